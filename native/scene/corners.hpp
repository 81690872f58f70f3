// SPDX-License-Identifier: Apache-2.0
// What kernels know of the corners of a mesh's triangles, in object space, or in the world by the transform of
// its only object. All are thread-safe, and throw ArgumentError that names the mesh if it names a vertex or a slot that
// there is not: arrays of the host language may have been written to since the mesh was made. Those that take a pool
// share large meshes out over its threads.
#pragma once

#include "core/api.hpp"
#include "scene/object.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft::core {
class ThreadPool;
}

namespace weft::scene {

/// @param transform object to world; nullptr: object space. @param out 9 floats a triangle, metres.
WEFT_API void write_positions(const Mesh& mesh, const Affine* transform, std::span<float> out,
                              core::ThreadPool* pool = nullptr);

/// Unit normals, flat where the mesh has none; zero where a triangle has no extent. With a transform: by its inverse transpose.
/// @param out 9 floats a triangle.
WEFT_API void write_normals(const Mesh& mesh, const Affine* transform, std::span<float> out,
                            core::ThreadPool* pool = nullptr);

/// The slot of each triangle, or the material in it.
/// @param materials of the slots; empty: slots are wanted. @param out one a triangle.
WEFT_API void write_slots(const Mesh& mesh, std::span<const std::uint32_t> materials,
                          std::span<std::uint32_t> out);

/// Tangents along growing u, and on what side the bitangent is, as MikkTSpace (Mikkelsen, "Simulation of Wrinkled Surfaces
/// Revisited", 2008): corners with equal position, normal, UVs and orientation share the mean of their triangles'
/// tangents, each in the plane of the normal and weighted by its angle. Object space.
/// @param uvs 6 floats a triangle: a UV set of the mesh.
/// @return 12 floats a triangle, 4 a corner: a unit vector, or 0 where UVs give none, and 1 or -1: the bitangent, along
///         growing v, is that times normal x tangent.
[[nodiscard]] WEFT_API std::vector<float> corner_tangents(const Mesh& mesh,
                                                          std::span<const float> uvs);

/// Tangents in the world. @param own as corner_tangents() returns them. @param out as many floats.
WEFT_API void transform_tangents(std::span<const float> own, const Affine& transform,
                                 std::span<float> out, core::ThreadPool* pool = nullptr);

} // namespace weft::scene
