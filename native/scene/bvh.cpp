// SPDX-License-Identifier: Apache-2.0
#include "scene/bvh.hpp"

#include "scene/bvh_tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::scene {

namespace {

constexpr TreeLimits kMeshLimits{.leaf_size = 4, .depth = kMostMeshDepth};
constexpr TreeLimits kTopLimits{.leaf_size = 1, .depth = kMostTopDepth};
/// Elements that a thread takes at once.
constexpr std::size_t kChunk = std::size_t{1} << 16U;

/// Calls work(begin, end, chunk) for all chunks of [0, count).
template <typename Work>
void run_chunks(core::ThreadPool& pool, std::size_t count, const Work& work) {
    pool.run((count + kChunk - 1) / kChunk, [&](std::size_t chunk) {
        work(chunk * kChunk, std::min(count, (chunk + 1) * kChunk), chunk);
    });
}

using Point = std::array<float, 3>;

Point vertex_of(const MeshView& mesh, std::size_t triangle, std::size_t corner) {
    const float* const at =
        mesh.positions.data() + std::size_t{3} * mesh.triangles[3 * triangle + corner];
    return {at[0], at[1], at[2]};
}

BvhPrimitive primitive_of(const MeshView& mesh, std::size_t triangle) {
    const Point a = vertex_of(mesh, triangle, 0);
    const Point b = vertex_of(mesh, triangle, 1);
    const Point c = vertex_of(mesh, triangle, 2);
    BvhPrimitive primitive{};
    primitive.id = static_cast<std::uint32_t>(triangle);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        primitive.lowest[axis] = std::min({a[axis], b[axis], c[axis]});
        primitive.highest[axis] = std::max({a[axis], b[axis], c[axis]});
    }
    return primitive;
}

/// The primitives of a mesh, and the bounds of all.
Bounds list_primitives(const MeshView& mesh, std::span<BvhPrimitive> primitives,
                       core::ThreadPool& pool) {
    std::vector<Bounds> parts((primitives.size() + kChunk - 1) / kChunk);
    run_chunks(pool, primitives.size(), [&](std::size_t begin, std::size_t end, std::size_t chunk) {
        for (std::size_t i = begin; i < end; ++i) {
            primitives[i] = primitive_of(mesh, i);
            parts[chunk].include(primitives[i]);
        }
    });
    Bounds bounds;
    for (const Bounds& part : parts) {
        bounds.include(part);
    }
    return bounds;
}

/// Lets a traversal find the end of a leaf without its length.
void mark_last_triangles(std::span<const BvhNode> nodes, Bvh& bvh) {
    for (const BvhNode& node : nodes) {
        for (std::size_t c = 0; c < 2; ++c) {
            if (node.count[c] != 0) {
                bvh.triangles[(node.child[c] & ~kLeafBit) + node.count[c] - 1].is_last = 1;
            }
        }
    }
}

void add_mesh(const MeshView& mesh, core::ThreadPool& pool, Bvh& bvh) {
    std::vector<BvhPrimitive> primitives(mesh.triangles.size() / 3);
    const Bounds bounds = list_primitives(mesh, primitives, pool);
    const std::size_t first = bvh.triangles.size();
    const std::size_t first_node = bvh.nodes.size();
    BvhMesh& added = bvh.meshes.emplace_back();
    added.root = build_tree(primitives, static_cast<std::uint32_t>(first), bounds, kMeshLimits,
                            pool, bvh.nodes);
    added.is_empty = primitives.empty();
    std::copy_n(bounds.box.lowest.array().begin(), 3, added.lowest.begin());
    std::copy_n(bounds.box.highest.array().begin(), 3, added.highest.begin());
    bvh.triangles.resize(first + primitives.size());
    run_chunks(pool, primitives.size(), [&](std::size_t begin, std::size_t end, std::size_t) {
        for (std::size_t i = begin; i < end; ++i) {
            const std::uint32_t triangle = primitives[i].id;
            bvh.triangles[first + i] = {.vertex0 = vertex_of(mesh, triangle, 0),
                                        .primitive = triangle,
                                        .vertex1 = vertex_of(mesh, triangle, 1),
                                        .is_last = 0,
                                        .vertex2 = vertex_of(mesh, triangle, 2),
                                        .unused = 0};
        }
    });
    mark_last_triangles(std::span(bvh.nodes).subspan(first_node), bvh);
}

float clamp_to_float(double value) {
    constexpr double kMost = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(value, -kMost, kMost));
}

/// The box of an instance in the world, larger by what rounding can move a ray on its way into object space.
BvhPrimitive primitive_of(const Instance& instance, const BvhMesh& mesh, std::uint32_t id) {
    constexpr double kSlack = 1.0 / (1U << 20U);
    BvhPrimitive primitive{};
    primitive.id = id;
    for (std::size_t row = 0; row < 3; ++row) {
        double low = instance.object_to_world[row * 4 + 3];
        double high = low;
        double size = std::abs(low);
        for (std::size_t column = 0; column < 3; ++column) {
            const double m = instance.object_to_world[row * 4 + column];
            const double a = m * mesh.lowest[column];
            const double b = m * mesh.highest[column];
            low += std::min(a, b);
            high += std::max(a, b);
            size += std::max(std::abs(a), std::abs(b));
        }
        primitive.lowest[row] = clamp_to_float(low - kSlack * size);
        primitive.highest[row] = clamp_to_float(high + kSlack * size);
    }
    return primitive;
}

} // namespace

void update_instances(Bvh& bvh, std::span<const Instance> instances, core::ThreadPool& pool) {
    require_valid_instances(instances, bvh.meshes.size());
    std::vector<BvhPrimitive> primitives;
    primitives.reserve(instances.size());
    Bounds bounds;
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const BvhMesh& mesh = bvh.meshes[instances[i].mesh];
        if (!mesh.is_empty) {
            primitives.push_back(primitive_of(instances[i], mesh, static_cast<std::uint32_t>(i)));
            bounds.include(primitives.back());
        }
    }
    bvh.top_nodes.clear();
    static_cast<void>(build_tree(primitives, 0, bounds, kTopLimits, pool, bvh.top_nodes));
    bvh.instances.clear();
    bvh.instances.reserve(primitives.size());
    for (const BvhPrimitive& primitive : primitives) {
        const Instance& instance = instances[primitive.id];
        bvh.instances.push_back(
            {.world_to_object = require_inverse(instance.object_to_world, primitive.id),
             .root = bvh.meshes[instance.mesh].root,
             .instance = primitive.id,
             .unused = {}});
    }
}

Bvh build_bvh(const Geometry& geometry, core::ThreadPool& pool) {
    require_valid(geometry);
    Bvh bvh;
    bvh.meshes.reserve(geometry.meshes.size());
    for (const MeshView& mesh : geometry.meshes) {
        add_mesh(mesh, pool, bvh);
    }
    update_instances(bvh, geometry.instances, pool);
    return bvh;
}

} // namespace weft::scene
