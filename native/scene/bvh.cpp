// SPDX-License-Identifier: Apache-2.0
#include "scene/bvh.hpp"

#include "scene/bvh_primitives.hpp"
#include "scene/bvh_tree.hpp"

namespace weft::scene {

namespace {

constexpr TreeLimits kMeshLimits{.leaf_size = 4, .depth = kMaxMeshDepth};
constexpr TreeLimits kTopLimits{.leaf_size = 1, .depth = kMaxTopDepth};

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
    Primitives primitives = list_triangles(mesh, pool);
    const std::size_t first = bvh.triangles.size();
    const std::size_t first_node = bvh.nodes.size();
    const std::uint32_t root = build_tree(primitives.list, static_cast<std::uint32_t>(first),
                                          primitives.bounds, kMeshLimits, pool, bvh.nodes);
    bvh.meshes.push_back(make_mesh(root, primitives));
    bvh.triangles.resize(first + primitives.list.size());
    core::run_ranges(&pool, primitives.list.size(), kChunk,
                     [&](std::size_t begin, std::size_t end) {
                         for (std::size_t i = begin; i < end; ++i) {
                             bvh.triangles[first + i] = make_triangle(mesh, primitives.list[i].id);
                         }
                     });
    mark_last_triangles(std::span(bvh.nodes).subspan(first_node), bvh);
}

} // namespace

void move_nodes(std::span<BvhNode> nodes, std::uint32_t first_node, std::uint32_t first_triangle) {
    for (BvhNode& node : nodes) {
        for (std::uint32_t& child : node.child) {
            child += (child & kLeafBit) != 0 ? first_triangle : first_node;
        }
    }
}

void update_instances(Bvh& bvh, std::span<const Instance> instances, core::ThreadPool& pool) {
    Primitives primitives = list_instances(instances, bvh.meshes);
    bvh.top_nodes.clear();
    static_cast<void>(
        build_tree(primitives.list, 0, primitives.bounds, kTopLimits, pool, bvh.top_nodes));
    bvh.instances.clear();
    bvh.instances.reserve(primitives.list.size());
    for (const BvhPrimitive& primitive : primitives.list) {
        bvh.instances.push_back(make_instance(instances, bvh.meshes, primitive.id));
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
