// SPDX-License-Identifier: Apache-2.0
// Lights, in Blender's units: each equals Blender 5.0's of the same numbers in Cycles. Plain data; any thread may read it.
//
//     const Light key{.kind = SpotLight{.position = {0, 0, 3}, .direction = {0, 0, -1}, .power = 40}, .name = "Key"};
//
// To add a light: a structure here, its place in Light::kind, and row_of() in light_rows.cpp (docs/adding_a_light.md).
#pragma once

#include "scene/colors.hpp"
#include "scene/light_profile.hpp"
#include "scene/ray_kinds.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <numbers>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>

namespace weft::scene {

/// Metres, or a direction of any length but 0; world space.
using Vector3 = std::array<double, 3>;
/// Row-major 3x4, object to world, metres.
using LightTransform = std::array<double, 12>;

/// Both fill AreaLight::size from edge to edge.
enum class AreaShape : std::uint8_t { rectangle, ellipse };
/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 2> kAreaShapes{"rectangle", "ellipse"};

/// A member of a light and what scripts call it; fields() of a light lists all, and bindings read no others.
template <typename Kind, typename Member>
struct LightField {
    std::string_view name; ///< lives as long as the program
    Member Kind::* member; ///< never null
};
/// @param name a literal: it is not copied.
template <typename Kind, typename Member>
constexpr LightField<Kind, Member> light_field(std::string_view name, Member Kind::* member) {
    return {name, member};
}

/// A shining sphere, or a disc that faces what it lights.
struct PointLight {
    Vector3 position{}; ///< of its centre, metres, world space
    double power =
        1; ///< W over all directions, times `color`: the intensity is power / (4 pi), W/sr
    Rgb color{1, 1, 1};        ///< linear Rec.709, finite
    double radius = 0;         ///< metres; 0: a point
    bool soft_falloff = false; ///< a disc, as Blender's lights with soft falloff

    static constexpr std::string_view kName = "PointLight";
    static constexpr auto fields() {
        return std::tuple(light_field("position", &PointLight::position),
                          light_field("power", &PointLight::power),
                          light_field("color", &PointLight::color),
                          light_field("radius", &PointLight::radius),
                          light_field("soft_falloff", &PointLight::soft_falloff));
    }
};

/// A point light behind a cone.
struct SpotLight {
    Vector3 position{};                  ///< metres, world space
    Vector3 direction{0, 0, -1};         ///< in which it shines; any length but 0
    double angle = std::numbers::pi / 4; ///< of the whole cone, radians; more than pi counts as pi
    double blend = 0.15;                 ///< share of the cone that is soft edge, in [0, 1]
    double power = 1;                    ///< W of the point light without the cone, times `color`
    Rgb color{1, 1, 1};                  ///< linear Rec.709, finite
    double radius = 0;                   ///< metres; 0: a point
    bool soft_falloff = false;           ///< as of PointLight

    static constexpr std::string_view kName = "SpotLight";
    static constexpr auto fields() {
        return std::tuple(
            light_field("position", &SpotLight::position),
            light_field("direction", &SpotLight::direction),
            light_field("angle", &SpotLight::angle), light_field("blend", &SpotLight::blend),
            light_field("power", &SpotLight::power), light_field("color", &SpotLight::color),
            light_field("radius", &SpotLight::radius),
            light_field("soft_falloff", &SpotLight::soft_falloff));
    }
};

/// Light from one direction.
struct SunLight {
    Vector3 direction{0, 0, -1}; ///< in which the light travels; any length but 0
    double strength = 1;         ///< irradiance of a surface that faces it, W/m^2, times `color`
    Rgb color{1, 1, 1};          ///< linear Rec.709, finite
    double angle = 0;            ///< diameter of its disc, radians; 0: parallel light

    static constexpr std::string_view kName = "SunLight";
    static constexpr auto fields() {
        return std::tuple(light_field("direction", &SunLight::direction),
                          light_field("strength", &SunLight::strength),
                          light_field("color", &SunLight::color),
                          light_field("angle", &SunLight::angle));
    }
};

/// A shining rectangle or ellipse in the xy plane of its transform, shining along -z.
struct AreaLight {
    LightTransform transform{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}; ///< it scales the size
    std::array<double, 2> size{1,
                               1}; ///< extent along x and y, metres, before the transform's scale
    AreaShape shape = AreaShape::rectangle; ///< within `size`
    double power = 1;   ///< W, times `color`: the radiance is power / (pi area), W/(m^2 sr)
    Rgb color{1, 1, 1}; ///< linear Rec.709, finite
    /// Angle of the cone that it shines into, radians, 0.001 to pi (all sides alike); narrower ones shine stronger.
    double spread = std::numbers::pi;

    static constexpr std::string_view kName = "AreaLight";
    static constexpr auto fields() {
        return std::tuple(
            light_field("transform", &AreaLight::transform), light_field("size", &AreaLight::size),
            light_field("shape", &AreaLight::shape), light_field("power", &AreaLight::power),
            light_field("color", &AreaLight::color), light_field("spread", &AreaLight::spread));
    }
};

/// A light of any kind.
struct Light {
    std::variant<PointLight, SpotLight, SunLight, AreaLight> kind; ///< numbers are finite
    std::string name{};                            ///< what messages and parameters call it
    std::shared_ptr<const LightProfile> profile{}; ///< nullptr: it shines alike wherever it goes
    RayKinds hidden_from = 0;                      ///< of kLightRayKinds: rays that do not see it
    bool casts_shadow = true; ///< what is in its way hides it, and media dim it
};

/// "SpotLight 'Key'", as messages begin; UTF-8.
[[nodiscard]] WEFT_API std::string described(const Light& light);

/// @param owner begins the message. @throws ArgumentError unless `spread` is from 0.001 to pi.
void require_spread(std::string_view owner, double spread);

} // namespace weft::scene
