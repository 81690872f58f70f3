// SPDX-License-Identifier: Apache-2.0
// Triangles that give off light, each a light of its own.
#pragma once

#include "core/api.hpp"
#include "scene/emission.hpp"
#include "scene/geometry_table.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weft::scene {

/// Triangles with one slot of one object. Each is a light; their numbers follow each other in the order of triangles.
struct EmissivePart {
    std::uint32_t instance = 0;
    std::uint32_t slot = 0;
    Emission emission{};
    bool is_mirrored = false;                ///< the transform makes the other side the front
    std::uint32_t first_light = 0;           ///< number of the first one's light
    std::vector<std::uint32_t> primitives{}; ///< numbers among the mesh's triangles, ascending
    std::vector<double> areas{};             ///< of each, in the world, m^2, above 0
    std::vector<double> corners{};           ///< of each, in the world, metres, 9 a triangle
};

/// Lights of emissive meshes, and where instances find them. In the order of objects, then of slots.
struct EmissiveMeshes {
    std::vector<EmissivePart> parts{};
    /// Of each object: where in `light_of_triangle` its triangles begin; InstanceRow::kDark: it gives off no light.
    std::vector<std::uint32_t> first_of_instance{};
    std::vector<std::uint32_t> light_of_triangle{}; ///< InstanceRow::kDark: none
    std::uint32_t light_count = 0;
};

/// What a slot of an object gives off; not set: nothing, or bounces alone may find it.
using SlotEmissions = std::vector<std::optional<Emission>>;

/// Of the objects of a scene. Those without light, without triangles, or hidden from rays that a bounce sends have none.
[[nodiscard]] WEFT_API std::vector<SlotEmissions> slot_emissions(const Scene& scene);

/// @param emissions as slot_emissions() returns them. @param first_light number of the first light.
/// @throws ArgumentError if a mesh names a vertex that there is not.
[[nodiscard]] WEFT_API EmissiveMeshes find_emissive_meshes(const Scene& scene,
                                                           std::span<const SlotEmissions> emissions,
                                                           std::uint32_t first_light);

/// Lights of emissive meshes as the table of lights has them.
struct EmissiveLights {
    std::vector<LightRow> rows{};
    std::vector<std::uint32_t>
        textured{}; ///< numbers of those whose light varies over their triangle
    std::vector<std::array<std::uint32_t, 2>>
        places{}; ///< of those: triangle of the mesh, number of the object
};

[[nodiscard]] WEFT_API EmissiveLights emissive_lights(const EmissiveMeshes& emissive,
                                                      const GeometryTable& table);

/// Number of the material of each light of emissive meshes, as materials_of() counts them.
/// @param scene the one of the meshes, or one with the same objects.
/// @throws ArgumentError if two materials have one name.
[[nodiscard]] WEFT_API std::vector<std::uint32_t>
materials_of_lights(const Scene& scene, const EmissiveMeshes& emissive);

/// The lights of triangles where kernels look for them, and one more: none. If the table is placed, those of all triangles.
[[nodiscard]] WEFT_API std::vector<std::uint32_t>
lights_of_triangles(const GeometryTable& table, const EmissiveMeshes& emissive);

} // namespace weft::scene
