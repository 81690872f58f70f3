// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/vulkan/api.hpp"

#include <string>
#include <string_view>

namespace weft::device::vulkan {

/// "VK_ERROR_DEVICE_LOST".
[[nodiscard]] std::string_view to_string(VkResult result) noexcept;

/// @throws DeviceError unless `result` is a success code. `call` is the Vulkan function, `context`
///         what Weft was doing.
void check(VkResult result, const char* call, std::string_view context);

} // namespace weft::device::vulkan
