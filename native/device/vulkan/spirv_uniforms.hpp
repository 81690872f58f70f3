// SPDX-License-Identifier: Apache-2.0
// Finds what NVIDIA's Vulkan driver (tried: 580.159.04 on an H200) reads wrongly. Slang copies vectors of a uniform buffer
// to a variable and takes a component of that by a number known at run time only. The driver's compiler reads the buffer
// instead, with 4 bytes a component, also where a component has 1 or 2: half4 {1, 2, 3, 4} gives 1, 3, 0, 0.
#pragma once

#include "device/vulkan/spirv_module.hpp"

#include <optional>
#include <string>

namespace weft::device::vulkan {

/// The uniform ("" if the code does not name it) that a vector of 8- or 16-bit numbers, or something that holds one, comes
/// from whose component the kernel takes by a number that is no constant. nullopt if there is none. Errs on the safe side:
/// what was computed from such a uniform counts, and so do elements of arrays of structures.
[[nodiscard]] std::optional<std::string> find_indexed_narrow_uniform(const SpirvModule& module);

} // namespace weft::device::vulkan
