// SPDX-License-Identifier: Apache-2.0
// The kinds of code that devices run, and how values lie in memory for each. Device::target() says which
// a device wants; compile and reflect know the same two types, so nothing has to translate between them.
#pragma once

#include <cstdint>

namespace weft::core {

/// What a kernel is compiled to. A module is loaded for one.
enum class Target : std::uint8_t {
    spirv, ///< SPIR-V words, for Vulkan
    cuda,  ///< CUDA C++ text, for NVRTC
};

/// How values lie in device memory. The targets differ: bool, float2, float4, half3 and whatever holds
/// them. A module is loaded for one target, and all its types have that target's layout.
enum class LayoutRules : std::uint8_t {
    spirv, ///< Slang's natural layout: vectors aligned as their scalars, bool takes 4 bytes, a member may
           ///< start in the tail padding of the structure before it
    cuda, ///< C++ as NVRTC lays it out: float2 aligned to 8, float4 to 16, half3 takes 8 bytes, bool 1
    host, ///< arrays of the caller: vectors aligned as their scalars, bool 1, structures padded as in C
};

/// The rules by which code for `target` reads and writes memory; never `host`.
[[nodiscard]] constexpr LayoutRules layout_rules(Target target) noexcept {
    return target == Target::cuda ? LayoutRules::cuda : LayoutRules::spirv;
}

} // namespace weft::core
