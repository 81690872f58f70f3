// SPDX-License-Identifier: Apache-2.0
// Records of single lights, as shaders/weft/render/light.slang reads them: from lights, and from emissive triangles.
#pragma once

#include "core/api.hpp"
#include "scene/layouts.hpp"
#include "scene/light.hpp"
#include "scene/light_tree.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft::scene {

/// Stands for no light, and for no image of an environment.
inline constexpr std::uint32_t kNoLight = 0xFFFFFFFFU;

/// Words of layouts::LightWord and, by the kind, of PointWord, SunWord, AreaWord or TriangleWord; floats as their bits.
using LightWords = std::array<std::uint32_t, layouts::LightWord::kEnd>;

/// One light: its record, and the power by which it is drawn.
struct LightRow {
    LightWords words{}; ///< probability and trail are 0 until the table has all lights
    double power = 0;   ///< W, luminance
    double area = 0;    ///< of a triangle, m^2
    std::optional<LightBounds> bounds{}; ///< without its power; not set: infinitely far
};

/// Records of the lights of a scene.
struct AnalyticLightRows {
    std::vector<LightRow> rows; ///< one a light, in their order
    std::vector<float>
        profiles; ///< of all, as shaders/weft/render/light_profile.slang reads them; 0: no other
};

/// @param extent radius of the scene, metres: a sun's power grows with it.
/// @throws ArgumentError that names the light for a number that is not finite, a direction that is zero, a spread out of
///         range and an area of zero.
[[nodiscard]] WEFT_API AnalyticLightRows analytic_light_rows(std::span<const Light> lights,
                                                             double extent);

/// Triangles of one instance and one material, all of which shine.
struct EmissiveTriangles {
    std::uint32_t instance = 0;               ///< its index in the scene
    std::span<const std::uint32_t> triangles; ///< indices among the triangles of all meshes
    std::span<const double> areas;            ///< world space, m^2; one a triangle
    Rgb radiance{};                           ///< W/(m^2 sr)
    bool both_sides = false;                  ///< true: the back emits, too
    bool varies = false; ///< `radiance` is a factor of what is evaluated where light comes from
    std::span<const LightBounds> bounds; ///< one a triangle, see triangle_bounds()
};

/// One record a triangle, in their order.
/// @throws ArgumentError if there are not as many areas and bounds as triangles.
[[nodiscard]] WEFT_API std::vector<LightRow> triangle_rows(const EmissiveTriangles& emissive);

/// Where triangles are and in which directions they shine.
/// @param corners world space, metres, 9 a triangle.
/// @param both_sides both shine. @param is_mirrored the instance mirrors its mesh: the other side is the front.
/// @throws ArgumentError if there are not 9 numbers a triangle.
[[nodiscard]] WEFT_API std::vector<LightBounds>
triangle_bounds(std::span<const double> corners, bool both_sides, bool is_mirrored = false);

} // namespace weft::scene
