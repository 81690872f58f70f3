// SPDX-License-Identifier: Apache-2.0
// Devices by name, as WEFT_DEVICE and the option --device have them. Not installed.
#pragma once

#include "device/device.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::engine {

struct DeviceName {
    device::DeviceType type = device::DeviceType::automatic; ///< vulkan or cuda
    std::optional<std::int32_t>
        adapter{}; ///< as DeviceDesc::adapter, 0 and up; nullopt: none is named
};

/// "vulkan", "cuda" or one of them with the index of an adapter: "vulkan:1". nullopt for any other text.
[[nodiscard]] std::optional<DeviceName> parse_device_name(std::string_view text) noexcept;

} // namespace weft::engine
