// SPDX-License-Identifier: Apache-2.0
// Which module-scope uniforms a kernel reads, told from the CUDA source that Slang made of it. Slang keeps all
// uniforms of the linked modules in one structure, used or not.
#pragma once

#include <cstddef>
#include <set>
#include <string_view>

namespace weft::compile {

/// Name of the block in CUDA source and in the module that NVRTC makes.
inline constexpr std::string_view kCudaGlobals = "SLANG_globalParams";

struct CudaGlobals {
    bool is_used = false;
    bool reads_all = false; ///< some access does not name a member
    std::set<std::size_t>
        members; ///< that are read, counted in the order of declaration, if not reads_all
};

/// The uniform block of a kernel that Slang compiled.
[[nodiscard]] CudaGlobals read_cuda_globals(std::string_view source);

} // namespace weft::compile
