// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace weft::test {

/// What a driver needs to know of machine code that NVRTC made.
struct CubinContents {
    std::map<std::string, std::size_t> kernels; ///< entry point -> bytes of its parameters
    std::map<std::string, std::size_t> globals; ///< variable in constant or global memory -> bytes
};

/// Whether `image` starts as an ELF file does.
bool is_cubin(const void* image);
/// Reads a 64-bit ELF file as NVRTC writes it; trusts its offsets.
CubinContents read_cubin(const void* image);

} // namespace weft::test
