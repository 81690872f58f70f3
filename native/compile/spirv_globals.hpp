// SPDX-License-Identifier: Apache-2.0
// Which module-scope uniforms a kernel reads, and where its block of them is bound: Slang's reflection of a
// program tells neither reliably, its SPIR-V does.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>

namespace weft::compile {

struct SpirvGlobals {
    bool is_used = false;
    std::uint32_t set = 0;
    std::uint32_t binding = 0;
    bool reads_all = false;          ///< the block is read as a whole
    std::set<std::uint32_t> offsets; ///< bytes; members that are read, if not reads_all
};

/// The uniform block of a kernel that Slang compiled; not used if `code` is no SPIR-V.
[[nodiscard]] SpirvGlobals read_spirv_globals(std::span<const std::byte> code);

} // namespace weft::compile
