// SPDX-License-Identifier: Apache-2.0
// What files call kinds of lights. Not installed.
#pragma once

#include "core/text.hpp"

#include <string>
#include <string_view>

namespace weft::scene {

/// "point" of "PointLight": the kind in jobs, and the name of a light that has none. @param class_name kName of a light.
[[nodiscard]] inline std::string kind_of_light(std::string_view class_name) {
    std::string kind(class_name.substr(0, class_name.size() - std::string_view("Light").size()));
    kind.front() = core::to_lower(kind.front());
    return kind;
}

} // namespace weft::scene
