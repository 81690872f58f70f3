// SPDX-License-Identifier: Apache-2.0
// The Vulkan backend as the rest of Weft sees it. Start reading in device.hpp beside this file.
#pragma once

#include "device/device.hpp"

#include <memory>
#include <vector>

namespace weft::device {

/// Usable Vulkan devices, best first: discrete, integrated, virtual, software. Empty without
/// Vulkan; never throws.
[[nodiscard]] std::vector<DeviceInfo> enumerate_vulkan();

/// @throws DeviceError{unavailable} if there is no loader, driver or usable device, or if debug is
///         asked for and the validation layer is absent; ArgumentError for an adapter out of range.
[[nodiscard]] std::shared_ptr<Device> create_vulkan_device(const DeviceDesc& desc);

} // namespace weft::device
