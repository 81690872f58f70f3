// SPDX-License-Identifier: Apache-2.0
// What trees are built over: the triangles of a mesh, and instances.
#pragma once

#include "core/thread_pool.hpp"
#include "scene/bvh.hpp"
#include "scene/bvh_split.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

struct Primitives {
    std::vector<BvhPrimitive> list;
    Bounds bounds; ///< of all
};

/// Elements that a thread takes at once.
inline constexpr std::size_t kChunk = std::size_t{1} << 16U;

constexpr std::size_t chunk_count(std::size_t count) {
    return (count + kChunk - 1) / kChunk;
}

/// The triangles of a mesh; ids are their indices.
[[nodiscard]] Primitives list_triangles(const MeshView& mesh, core::ThreadPool& pool);

/// Whether all coordinates are finite.
[[nodiscard]] bool has_finite_vertices(const MeshView& mesh, core::ThreadPool& pool);

/// The box of all vertices of a mesh, in use or not; root is 0.
[[nodiscard]] BvhMesh bound_vertices(const MeshView& mesh, core::ThreadPool& pool);

/// The instances whose mesh is not empty; ids are indices into `instances`.
/// @throws ArgumentError as require_valid_instances().
[[nodiscard]] Primitives list_instances(std::span<const Instance> instances,
                                        std::span<const BvhMesh> meshes);

/// A triangle of a mesh for the leaves of a tree; is_last is 0.
[[nodiscard]] BvhTriangle make_triangle(const MeshView& mesh, std::uint32_t triangle);

/// Instance `index` for the leaves of a tree.
[[nodiscard]] BvhInstance make_instance(std::span<const Instance> instances,
                                        std::span<const BvhMesh> meshes, std::uint32_t index);

/// What the top level needs of a mesh whose tree begins at node `root`.
[[nodiscard]] BvhMesh make_mesh(std::uint32_t root, const Primitives& triangles);

} // namespace weft::scene
