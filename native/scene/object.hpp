// SPDX-License-Identifier: Apache-2.0
// Meshes in the world. Plain data; what one object shares with another is shared by pointer. Any thread may read it.
#pragma once

#include "core/api.hpp"
#include "scene/materials.hpp"
#include "scene/mesh.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::scene {

/// Object to world, row-major 3x4: p' = (m[0] x + m[1] y + m[2] z + m[3], ...). Lengths in metres.
using Affine = std::array<double, 12>;

/// The identity: object space is world space.
inline constexpr Affine kIdentityTransform{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/// A mesh in the world. Several objects may share one mesh.
struct Object {
    MeshRef mesh{};                        ///< never null
    std::vector<MaterialRef> materials{};  ///< one a slot of the mesh, never null
    Affine transform = kIdentityTransform; ///< mirrors are allowed, what flattens is not
    /// Bits of RayKind of shaders/weft/render/ray_kind.slang: rays that pass it as if it were not there.
    std::uint32_t hidden_from = 0;
    /// Blender's Geometry Offset, 0 to 1: where smooth shading bends triangles, lights nearer to the edge of their shadow
    /// than this (a cosine) light them as the curved surface.
    float terminator_offset = 0;
    std::string name = "object"; ///< what messages call it
};

/// Checks an object.
/// @throws ArgumentError that names the object if mesh or a material is null, the mesh uses more slots than there are
///         materials, the transform is not finite or flattens, or the offset is not 0 to 1.
[[nodiscard]] WEFT_API Object object(Object described);
/// The part of object() that does not look at the mesh's triangles. @throws ArgumentError as object().
WEFT_API void require_valid(const Object& object);

/// Of the 3x3 part: the factor of volumes; below 0: it mirrors.
[[nodiscard]] WEFT_API double determinant(const Affine& transform) noexcept;

/// Whether rays towards lights may begin off an object's triangles: an offset above 0, and shading normals.
[[nodiscard]] inline bool lifts_light_rays(const Object& object) noexcept {
    return object.terminator_offset > 0 && object.mesh->normals.has_value();
}

} // namespace weft::scene
