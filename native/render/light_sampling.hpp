// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/api.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::render {

/// How one of the lights is drawn at each surface. automatic: the tree where lights at finite distance and objects that
/// shine are kMinTreeLights or more. power: by their powers. tree: by about what they bring to the place.
enum class LightSampling : std::uint8_t { automatic, power, tree };
inline constexpr std::array<std::string_view, 3> kLightSamplings{"auto", "power", "tree"};

/// Not triangles: a light that is a mesh of many is drawn well by power, and in less time.
inline constexpr std::size_t kMinTreeLights = 8;

/// The sampling of that name. @throws ArgumentError that begins with `owner`.
[[nodiscard]] WEFT_API LightSampling require_light_sampling(std::string_view name,
                                                            std::string_view owner);

} // namespace weft::render
