// SPDX-License-Identifier: Apache-2.0
#include "engine/device_name.hpp"

#include <algorithm>
#include <charconv>

namespace weft::engine {

std::optional<DeviceName> parse_device_name(std::string_view text) noexcept {
    const std::size_t colon = std::min(text.find(':'), text.size());
    const std::string_view kind = text.substr(0, colon);
    if (kind != "vulkan" && kind != "cuda") {
        return std::nullopt;
    }
    DeviceName out{.type = kind == "cuda" ? device::DeviceType::cuda : device::DeviceType::vulkan};
    if (colon < text.size()) {
        std::int32_t adapter = -1;
        const char* const end = text.data() + text.size();
        const auto read = std::from_chars(text.data() + colon + 1, end, adapter);
        if (read.ec != std::errc() || read.ptr != end || adapter < 0) {
            return std::nullopt;
        }
        out.adapter = adapter;
    }
    return out;
}

} // namespace weft::engine
