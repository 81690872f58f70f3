// SPDX-License-Identifier: Apache-2.0
#include "render/mesh_trees.hpp"

#include "scene/bvh.hpp"
#include "scene/bvh_primitives.hpp"
#include "scene/wide_bvh.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

namespace weft::render {

namespace {

constexpr std::uint32_t kBinaryNodeWords = sizeof(scene::BvhNode) / sizeof(std::uint32_t);
constexpr std::uint32_t kWideNodeWords = sizeof(scene::WideNode) / sizeof(std::uint32_t);
constexpr std::uint32_t kTriangleWords = sizeof(scene::BvhTriangle) / sizeof(std::uint32_t);
/// A tree whose cost has grown by more than this, because vertices moved, is made anew.
constexpr float kMaxGrowth = 1.5F;

std::uint64_t least_for_device(const dispatch::Context& context, bool is_wide,
                               TreeBuilder builder) {
    constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
    if (is_wide || builder == TreeBuilder::host) {
        return kNever;
    }
    if (builder == TreeBuilder::device) {
        return kMinDeviceTree;
    }
    return context.device->info().features.is_software ? kNever : kDeviceTreeTriangles;
}

/// About how many nodes a tree has, to reserve memory.
std::uint64_t estimate_nodes(std::uint64_t triangles) {
    return triangles / 2 + triangles / 8;
}

template <typename Structure>
Structure build_structure(const scene::Geometry& geometry, core::ThreadPool& pool) {
    if constexpr (std::is_same_v<Structure, scene::WideBvh>) {
        return scene::build_wide_bvh(geometry, pool);
    } else {
        return scene::build_bvh(geometry, pool);
    }
}

std::uint32_t triangle_count(const scene::MeshView& mesh) {
    return static_cast<std::uint32_t>(mesh.triangles.size() / 3);
}

} // namespace

MeshTrees::MeshTrees(const dispatch::Context& context, bool is_wide, TreeBuilder builder)
    : m_builder(context), m_is_wide(is_wide),
      m_least_for_device(least_for_device(context, is_wide, builder)),
      m_nodes(context.device, is_wide ? kWideNodeWords : kBinaryNodeWords, "bvh nodes"),
      m_triangles(context.device, kTriangleWords, "bvh triangles") {}

bool MeshTrees::is_for_device(const scene::MeshView& mesh) const noexcept {
    const std::uint64_t count = mesh.triangles.size() / 3;
    return count >= m_least_for_device && count <= kMaxDeviceTree;
}

void MeshTrees::note_build(const scene::MeshView& mesh) noexcept {
    m_build_bytes = std::max(m_build_bytes, device_tree_build_bytes(mesh));
}

void MeshTrees::drop(const MeshTree& tree) {
    m_nodes.give_back(tree.nodes);
    m_triangles.give_back(tree.triangles);
}

/// All in one structure, so that many small meshes take two uploads.
template <typename Structure>
void MeshTrees::build_on_host(std::span<const scene::MeshView> meshes,
                              std::span<const std::size_t> numbers, core::ThreadPool& pool,
                              std::vector<MeshTree>& out) {
    scene::Geometry geometry;
    for (const std::size_t number : numbers) {
        geometry.meshes.push_back(meshes[number]);
    }
    Structure made = build_structure<Structure>(geometry, pool);
    const DeviceRange nodes = m_nodes.take(static_cast<std::uint32_t>(made.nodes.size()));
    DeviceRange triangles;
    try {
        triangles = m_triangles.take(static_cast<std::uint32_t>(made.triangles.size()));
    } catch (...) {
        m_nodes.give_back(nodes);
        throw;
    }
    scene::move_nodes(made.nodes, nodes.first, triangles.first);
    std::uint32_t triangle = triangles.first;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        const bool is_last = i + 1 == numbers.size();
        const std::size_t end = is_last ? made.nodes.size() : made.meshes[i + 1].root;
        MeshTree& tree = out[numbers[i]];
        tree.mesh = made.meshes[i];
        tree.mesh.root += nodes.first;
        tree.vertex_count = geometry.meshes[i].positions.size() / 3;
        tree.nodes = {.first = tree.mesh.root,
                      .count = static_cast<std::uint32_t>(end - made.meshes[i].root)};
        tree.triangles = {.first = triangle, .count = triangle_count(geometry.meshes[i])};
        triangle += tree.triangles.count;
    }
    m_nodes.upload(nodes, std::as_bytes(std::span(made.nodes)));
    m_triangles.upload(triangles, std::as_bytes(std::span(made.triangles)));
}

MeshTree MeshTrees::build_on_device(const scene::MeshView& mesh, core::ThreadPool& pool) {
    note_build(mesh);
    const ClusteredMesh clustered = m_builder.cluster(mesh, pool);
    MeshTree tree;
    try {
        tree.nodes = m_nodes.take(clustered.node_count);
        tree.triangles = m_triangles.take(clustered.triangle_count);
        tree.device_tree =
            m_builder.place(clustered, {.nodes = *nodes(), .triangles = *triangles()},
                            {.node = tree.nodes.first, .triangle = tree.triangles.first});
    } catch (...) {
        drop(tree);
        throw;
    }
    tree.mesh = clustered.mesh;
    tree.vertex_count = mesh.positions.size() / 3;
    tree.mesh.root = tree.nodes.first;
    return tree;
}

std::vector<MeshTree> MeshTrees::build(std::span<const scene::MeshView> meshes,
                                       core::ThreadPool& pool) {
    std::vector<MeshTree> out(meshes.size());
    std::vector<std::size_t> for_host;
    std::uint64_t for_device = 0;
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        if (is_for_device(meshes[i])) {
            for_device += triangle_count(meshes[i]);
        } else {
            for_host.push_back(i);
        }
    }
    try {
        if (!for_host.empty()) {
            m_is_wide ? build_on_host<scene::WideBvh>(meshes, for_host, pool, out)
                      : build_on_host<scene::Bvh>(meshes, for_host, pool, out);
        }
        // What one takes is known in time, holes of trees that are gone are better than more memory.
        if (m_triangles.is_empty() && meshes.size() - for_host.size() > 1) {
            m_nodes.reserve(estimate_nodes(for_device));
            m_triangles.reserve(for_device);
        }
        for (std::size_t i = 0; i < meshes.size(); ++i) {
            if (is_for_device(meshes[i])) {
                out[i] = build_on_device(meshes[i], pool);
            }
        }
    } catch (...) {
        std::ranges::for_each(out, [this](const MeshTree& tree) { drop(tree); });
        throw;
    }
    return out;
}

MeshTree MeshTrees::refit(const MeshTree& tree, const scene::MeshView& mesh, float& cost,
                          core::ThreadPool& pool) {
    if (!tree.device_tree->indices) {
        scene::require_valid({.meshes = {mesh}}); // its indices go to the device
    }
    MeshTree moved{.mesh = scene::bound_vertices(mesh, pool),
                   .nodes = {},
                   .triangles = {},
                   .vertex_count = tree.vertex_count,
                   .device_tree = tree.device_tree};
    try {
        moved.nodes = m_nodes.take(tree.nodes.count);
        moved.triangles = m_triangles.take(tree.triangles.count);
        cost = m_builder.refit(*moved.device_tree, mesh, moved.mesh,
                               {.nodes = *nodes(), .triangles = *triangles()},
                               {.node = tree.nodes.first, .triangle = tree.triangles.first},
                               {.node = moved.nodes.first, .triangle = moved.triangles.first});
    } catch (...) {
        drop(moved);
        throw;
    }
    moved.mesh.root = moved.nodes.first;
    return moved;
}

MeshTree MeshTrees::rebuild(const MeshTree& tree, const scene::MeshView& mesh,
                            core::ThreadPool& pool) {
    if (tree.device_tree) {
        float cost = 0;
        MeshTree moved = refit(tree, mesh, cost, pool);
        if (cost <= kMaxGrowth * moved.device_tree->cost) {
            return moved;
        }
        drop(moved);
    }
    scene::require_valid({.meshes = {mesh}});
    return build(std::span(&mesh, 1), pool).front();
}

} // namespace weft::render
