// SPDX-License-Identifier: Apache-2.0
#include "scene/wide_bvh.hpp"

#include "scene/bvh_primitives.hpp"
#include "scene/bvh_tree.hpp"
#include "scene/wide_tree.hpp"

namespace weft::scene {

namespace {

constexpr TreeLimits kMeshLimits{.leaf_size = kWideLeaf, .depth = kMaxMeshDepth};
constexpr TreeLimits kTopLimits{.leaf_size = 1, .depth = kMaxTopDepth};

/// A wide tree over primitives; `order` has their places in the list.
WideTree build_wide_tree(Primitives& primitives, const TreeLimits& limits, core::ThreadPool& pool) {
    std::vector<BvhNode> binary;
    static_cast<void>(build_tree(primitives.list, 0, primitives.bounds, limits, pool, binary));
    return widen_tree(binary, limits.leaf_size, pool);
}

/// Appends nodes to those of other meshes, whose elements lie before theirs.
void append(std::span<const WideNode> added, std::size_t first_element,
            std::vector<WideNode>& nodes) {
    const auto first_node = static_cast<std::uint32_t>(nodes.size());
    nodes.insert(nodes.end(), added.begin(), added.end());
    move_nodes(std::span(nodes).subspan(first_node), first_node,
               static_cast<std::uint32_t>(first_element));
}

void add_mesh(const MeshView& mesh, core::ThreadPool& pool, WideBvh& bvh) {
    Primitives primitives = list_triangles(mesh, pool);
    const WideTree tree = build_wide_tree(primitives, kMeshLimits, pool);
    const std::size_t first = bvh.triangles.size();
    bvh.meshes.push_back(make_mesh(static_cast<std::uint32_t>(bvh.nodes.size()), primitives));
    append(tree.nodes, first, bvh.nodes);
    bvh.triangles.resize(first + tree.order.size());
    core::run_ranges(&pool, tree.order.size(), kChunk, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            bvh.triangles[first + i] = make_triangle(mesh, primitives.list[tree.order[i]].id);
        }
    });
}

} // namespace

void move_nodes(std::span<WideNode> nodes, std::uint32_t first_node, std::uint32_t first_element) {
    for (WideNode& node : nodes) {
        node.first_child += first_node;
        node.first_element += first_element;
    }
}

void update_instances(WideBvh& bvh, std::span<const Instance> instances, core::ThreadPool& pool) {
    Primitives primitives = list_instances(instances, bvh.meshes);
    WideTree tree = build_wide_tree(primitives, kTopLimits, pool);
    bvh.top_nodes = std::move(tree.nodes);
    bvh.instances.clear();
    bvh.instances.reserve(tree.order.size());
    for (const std::uint32_t place : tree.order) {
        bvh.instances.push_back(make_instance(instances, bvh.meshes, primitives.list[place].id));
    }
}

WideBvh build_wide_bvh(const Geometry& geometry, core::ThreadPool& pool) {
    require_valid(geometry);
    WideBvh bvh;
    bvh.meshes.reserve(geometry.meshes.size());
    for (const MeshView& mesh : geometry.meshes) {
        add_mesh(mesh, pool, bvh);
    }
    update_instances(bvh, geometry.instances, pool);
    return bvh;
}

} // namespace weft::scene
