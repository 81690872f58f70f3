// SPDX-License-Identifier: Apache-2.0
// A load or store of a whole array is one instruction, of which drivers make one a number: the
// compiler of software Vulkan takes a time that grows with the square of a function's size, and
// NVIDIA's gives up. Reverse mode fills and copies arrays of all that a nest of loops has to keep
// (docs/decisions/0020-changed-spirv.md).
#pragma once

#include "device/vulkan/spirv_module.hpp"

namespace weft::device::vulkan {

/// Arrays of more numbers than these are filled and copied by loops.
inline constexpr std::uint64_t kMaxDirectNumbers = 256;

/// Makes loops of the stores that fill a variable of a function with one constant, or copy another
/// variable of it to it, where these hold large arrays. Other stores stay as they are.
void loop_over_arrays(SpirvModule& module);

/// Numbers in the arrays of the function that holds most of them.
[[nodiscard]] std::uint64_t array_numbers(const SpirvModule& module);

} // namespace weft::device::vulkan
