// SPDX-License-Identifier: Apache-2.0
// The frame around guarded loops: variables, and an entry point that reports at the end of each thread.
#pragma once

#include "device/vulkan/spirv_loops.hpp"

namespace weft::device::vulkan {

/// Storage class of memory behind addresses.
inline constexpr std::uint32_t kAddressStorage = 5349;

/// The function that is the entry point.
[[nodiscard]] std::uint32_t entry_function(const SpirvModule& module);

/// A variable of each thread, known to the entry point.
[[nodiscard]] std::uint32_t declare_private(SpirvModule& module, std::uint32_t type,
                                            std::uint32_t initial);

/// The input variable that holds the number of groups.
[[nodiscard]] std::uint32_t find_group_count(SpirvModule& module);

/// Puts an entry point around the present one, which writes `report.mark` if the variable `flag` is not 0.
void add_report(SpirvModule& module, std::uint32_t flag, const LoopReport& report);

} // namespace weft::device::vulkan
