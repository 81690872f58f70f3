// SPDX-License-Identifier: Apache-2.0
// What rays can hit: triangle meshes, and where they stand. Borrowed arrays: the caller keeps them.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

/// Row-major 3x4: p' = (m[0] x + m[1] y + m[2] z + m[3], ...).
using Transform = std::array<float, 12>;

inline constexpr Transform kIdentity{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};

/// One triangle mesh. Empty spans are allowed.
struct MeshView {
    std::span<const float> positions;         ///< 3 a vertex, metres, object space
    std::span<const std::uint32_t> triangles; ///< 3 a triangle: indices of vertices
};

/// A mesh at a place. Non-uniform scale and mirrors are allowed, singular transforms are not.
struct Instance {
    std::uint32_t mesh = 0; ///< index into Geometry::meshes
    Transform object_to_world = kIdentity;
};

struct Geometry {
    std::vector<MeshView> meshes{};
    std::vector<Instance> instances{};
};

/// Most triangles of all meshes together, and most instances, that acceleration structures index.
inline constexpr std::uint64_t kMaxTriangles = std::uint64_t{1} << 31U;
inline constexpr std::uint64_t kMaxInstances = std::uint64_t{1} << 23U;

/// @throws ArgumentError that names mesh and vertex for a coordinate that is NaN or infinite; mesh and triangle for
///         an index without a vertex; the mesh for a length that is no multiple of 3; the instance for a mesh that
///         is not there and for a transform that require_inverse() refuses; and for more than the numbers above.
void require_valid(const Geometry& geometry);
/// The part of require_valid() that concerns vertices of mesh `index`.
void require_finite_vertices(const MeshView& mesh, std::size_t index);
/// The part of require_valid() that concerns instances of `mesh_count` meshes.
void require_valid_instances(std::span<const Instance> instances, std::size_t mesh_count);

/// The transform that undoes the one of instance `index`.
/// @throws ArgumentError that names the instance if an entry of it, or of the inverse, is no finite number, or if
///         the axes span a volume below 1e-6 of that of a box with their lengths.
[[nodiscard]] Transform require_inverse(const Transform& object_to_world, std::size_t index);

} // namespace weft::scene
