// SPDX-License-Identifier: Apache-2.0
// Mesa's software driver up to 24.3 lets the threads that run in lockstep do 65,535 rounds, in all loops together. Then
// every loop ends after the round that it is in, and the kernel goes on with what it has. Up to 23.3 a value that was
// loaded in a loop is also lost after it, if threads leave the loop in different rounds. Decision 20 tells more.
#pragma once

#include "device/vulkan/spirv_module.hpp"

namespace weft::device::vulkan {

/// Where a guarded kernel tells that a loop was cut short.
struct LoopReport {
    std::uint32_t argument_offset =
        0;                  ///< bytes; the push constants there hold the address of a word
    std::uint32_t mark = 1; ///< written to that word
};

/// Changes every loop so that a kernel tells when the driver ended one, and so that values which leave a loop are kept
/// for each thread. Short loops whose number of
/// rounds is known are unrolled.
/// @return whether there is a loop: the kernel then reads the address and needs a place for it.
bool guard_loops(SpirvModule& module, const LoopReport& report);

} // namespace weft::device::vulkan
