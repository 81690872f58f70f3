// SPDX-License-Identifier: Apache-2.0
// Albedo, normals, distances and numbers beside a picture, and how much of a pixel is covered.
#pragma once

#include "core/api.hpp"
#include "scene/layouts.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

namespace weft::render {

/// A layer of what a camera sees first.
struct AovSpec {
    std::string_view name;
    std::uint32_t first =
        0; ///< row, see shaders/weft/render/layers.slang; of alpha, which is none: LayerRow::kEnd
    std::uint32_t channels = 1; ///< floats a pixel
    bool is_mean = false; ///< over the pixel like the picture; else of the point at its centre
};

/// albedo and normal (unit, world space) are means over the pixel; depth (metres along the view, infinite where nothing is),
/// uv, object and material (numbers in the scene, -1: nothing) belong to the point at the pixel's centre; alpha is how
/// much of the pixel does not see past everything.
inline constexpr std::array<AovSpec, 7> kAovs{{
    {"albedo", scene::layouts::LayerRow::kAlbedo, 3, true},
    {"normal", scene::layouts::LayerRow::kNormal, 3, true},
    {"depth", scene::layouts::LayerRow::kDepth, 1, false},
    {"uv", scene::layouts::LayerRow::kUv, 2, false},
    {"object", scene::layouts::LayerRow::kObject, 1, false},
    {"material", scene::layouts::LayerRow::kMaterial, 1, false},
    {"alpha", scene::layouts::LayerRow::kEnd, 1, false},
}};

/// The AOV of a name. @throws ArgumentError that begins with `owner`.
[[nodiscard]] WEFT_API const AovSpec& require_aov(std::string_view name, std::string_view owner);

} // namespace weft::render
