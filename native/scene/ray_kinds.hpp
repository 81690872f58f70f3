// SPDX-License-Identifier: Apache-2.0
// Kinds of ray, as Blender names them for the visibility of objects and worlds.
#pragma once

#include "core/api.hpp"
#include "scene/layouts.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace weft::scene {

/// Bits of layouts::RayKind; 0: none.
using RayKinds = std::uint32_t;

/// A kind as files and Python call it.
struct RayKindName {
    std::string_view name; ///< lives as long as the program
    RayKinds bit = 0;      ///< one bit of layouts::RayKind
};

/// Kinds that an object may be hidden from, then `volume`: rays that are scattered in a medium.
inline constexpr std::array<RayKindName, 6> kRayKinds{{
    {"camera", layouts::RayKind::kCamera},
    {"shadow", layouts::RayKind::kShadow},
    {"diffuse", layouts::RayKind::kDiffuse},
    {"glossy", layouts::RayKind::kGlossy},
    {"transmission", layouts::RayKind::kTransmission},
    {"volume", layouts::RayKind::kVolume},
}};
/// Kinds that objects and environments may be hidden from: all but `volume`.
inline constexpr std::span<const RayKindName> kObjectRayKinds = std::span(kRayKinds).first(5);
/// Kinds that lights may be hidden from: all but `camera` and `shadow`.
inline constexpr std::span<const RayKindName> kLightRayKinds = std::span(kRayKinds).subspan(2);
/// Kinds that a bounce sends. An environment or a mesh that one of them must not see is found by bounces alone.
inline constexpr RayKinds kScatteredRays =
    layouts::RayKind::kDiffuse | layouts::RayKind::kGlossy | layouts::RayKind::kTransmission;

/// Kinds of ray that may each see an environment of their own, in the order of environmentLayer() of
/// shaders/weft/render/ray_kind.slang, with the kind that it is hidden from them by: what is transmitted is of no other.
inline constexpr std::array<RayKindName, 7> kEnvironmentViews{{
    {"camera", layouts::RayKind::kCamera},
    {"diffuse reflection", layouts::RayKind::kDiffuse},
    {"diffuse transmission", layouts::RayKind::kTransmission},
    {"glossy reflection", layouts::RayKind::kGlossy},
    {"glossy transmission", layouts::RayKind::kTransmission},
    {"singular reflection", layouts::RayKind::kGlossy},
    {"singular transmission", layouts::RayKind::kTransmission},
}};

/// The bits of kinds by their names.
/// @param owner begins the message: "PointLight 'key'". @param known kinds that there may be.
/// @throws ArgumentError for a name that is not among `known`.
[[nodiscard]] WEFT_API RayKinds ray_kinds(std::string_view owner,
                                          std::span<const std::string> names,
                                          std::span<const RayKindName> known);

/// Raises what ray_kinds() does for a name. @param shown what came, as the message shows it.
[[noreturn]] void refuse_ray_kind(std::string_view owner, std::string_view shown,
                                  std::span<const RayKindName> known);

} // namespace weft::scene
