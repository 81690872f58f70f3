// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/vulkan/spirv_module.hpp"

namespace weft::device::vulkan {

/// Rewrites steps from an address of memory to an element of it (OpPtrAccessChain) as 64-bit integer arithmetic.
/// NVIDIA's compiler (driver 580) computes such a step in 32 bits, whatever the width of the element's number: what
/// lies beyond 4 GiB is then read and written modulo 4 GiB.
/// Code that has a step by a 64-bit number may work on such memory: then those by 32-bit numbers are rewritten, too.
/// Steps by constants below 2 GiB stay.
void widen_addresses(SpirvModule& module);

} // namespace weft::device::vulkan
