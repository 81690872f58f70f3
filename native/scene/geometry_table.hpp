// SPDX-License-Identifier: Apache-2.0
// Where the meshes and objects of a scene lie in the tables that kernels read (shaders/weft/render/scene_view.slang).
#pragma once

#include "core/api.hpp"
#include "scene/geometry.hpp"
#include "scene/light_rows.hpp"
#include "scene/scene.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

/// Triangles of all meshes lie one mesh after the other.
struct GeometryTable {
    std::vector<MeshRef> meshes{};                 ///< in the order of first use
    std::vector<std::uint32_t> first_triangle{};   ///< of each mesh
    std::uint32_t triangle_count = 0;              ///< of all meshes
    std::vector<std::uint32_t> mesh_of_instance{}; ///< of each object
    std::vector<Transform> transforms{};           ///< of each object, to world
    /// Every mesh is placed once and not mirrored, and no object holds a medium: triangles lie in world space, and know
    /// their materials.
    bool has_baked_transforms = false;
};

/// @throws ArgumentError if there are more triangles or objects than tables can number, and as require_valid() of objects.
[[nodiscard]] WEFT_API GeometryTable build_geometry_table(const Scene& scene);

/// A box along the axes of the world, metres.
struct Box {
    std::array<double, 3> lowest;
    std::array<double, 3> highest;
};
/// Around an object that has vertices.
[[nodiscard]] WEFT_API Box bounding_box(const Object& object);
/// Half the diagonal around all boxes, metres, at least 1e-6; 1 without boxes.
[[nodiscard]] WEFT_API double extent_of(std::span<const Box> boxes);

/// What kernels know of an object: the words of InstanceWord.
struct InstanceRow {
    static constexpr std::uint32_t kDark = kNoLight; ///< stands for no light

    std::uint32_t first_triangle = 0;
    std::uint32_t first_slot = 0;      ///< among those of materials_of_slots()
    std::uint32_t first_light = kDark; ///< where lights of its triangles begin; kDark: none has one
    std::uint32_t object = 0;          ///< its number
};
static_assert(sizeof(InstanceRow) == 4 * sizeof(std::uint32_t));

/// Of each object, at least one.
/// @param first_lights as EmissiveMeshes has them, one an object.
[[nodiscard]] WEFT_API std::vector<InstanceRow>
instance_rows(const Scene& scene, const GeometryTable& table,
              std::span<const std::uint32_t> first_lights);

/// Number of the material of each slot of each object; one zero if there is none.
[[nodiscard]] WEFT_API std::vector<std::uint32_t> materials_of_slots(const Scene& scene);

} // namespace weft::scene
