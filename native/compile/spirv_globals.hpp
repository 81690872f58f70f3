// SPDX-License-Identifier: Apache-2.0
// What of the module scope a kernel reads, and where: Slang's reflection of a program does not tell reliably, its
// SPIR-V does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::compile {

/// Bytes [begin, end) of the uniform block.
struct UniformRange {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
};

/// Something that the kernel reaches through a descriptor (or as a push constant).
struct SpirvResource {
    std::string name; ///< "" if the code has none for it
    std::uint32_t set = 0;
    std::uint32_t binding = 0;
};

struct SpirvGlobals {
    bool is_used = false; ///< the kernel reads the uniform block
    std::uint32_t set = 0;
    std::uint32_t binding = 0;
    std::vector<UniformRange> ranges;     ///< that are read, in any order
    std::vector<SpirvResource> resources; ///< besides the block and what generated code declares

    /// True if the value of `size` bytes at `offset` is read, wholly or in part.
    [[nodiscard]] bool reads(std::uint32_t offset, std::uint32_t size) const noexcept;
};

/// What a kernel that Slang compiled reads; nothing if `code` is no SPIR-V.
[[nodiscard]] SpirvGlobals read_spirv_globals(std::span<const std::byte> code);

} // namespace weft::compile
