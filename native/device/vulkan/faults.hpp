// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/vulkan/instance.hpp"

namespace weft::device::vulkan {

/// For tests (core/fault.hpp): puts a function that counts, and may fail, in front of every function that can fail.
/// Does nothing unless faults are on.
void count_calls(InstanceApi& api);
void count_calls(VolkDeviceTable& table);

} // namespace weft::device::vulkan
