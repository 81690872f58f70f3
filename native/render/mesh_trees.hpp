// SPDX-License-Identifier: Apache-2.0
// The trees of the meshes of a BvhTracer on the device: made by the host (scene/bvh.hpp, scene/wide_bvh.hpp) or by the
// device (device_tree.hpp), side by side in two arrays.
#pragma once

#include "core/thread_pool.hpp"
#include "render/device_tree.hpp"
#include "render/range_array.hpp"
#include "render/tracer.hpp"

#include <optional>
#include <span>
#include <vector>

namespace weft::render {

/// The tree of one mesh.
struct MeshTree {
    scene::BvhMesh mesh;
    DeviceRange nodes;
    DeviceRange triangles;
    std::uint64_t vertex_count = 0;
    std::optional<DeviceTree> device_tree; ///< empty: the host made it
};

class MeshTrees {
public:
    MeshTrees(const dispatch::Context& context, bool is_wide, TreeBuilder builder);

    /// Makes the trees of meshes, beside those that are there.
    /// @param meshes valid, see scene::require_valid(). @throws DeviceError if memory is short; nothing has changed then.
    [[nodiscard]] std::vector<MeshTree> build(std::span<const scene::MeshView> meshes,
                                              core::ThreadPool& pool);
    /// Makes the tree of a mesh whose vertices have moved, beside the one that it had: by new boxes if the device made that one, and
    /// if a ray takes at most 1.5 times as long through it as when it was made; else anew.
    /// @param mesh with the triangles of `tree`, and as many vertices, all finite.
    /// @throws as build(); ArgumentError for an index without vertex, if it is found.
    [[nodiscard]] MeshTree rebuild(const MeshTree& tree, const scene::MeshView& mesh,
                                   core::ThreadPool& pool);
    /// Gives back the memory of a tree.
    void drop(const MeshTree& tree);

    const tensor::TensorRef& nodes() const noexcept { return m_nodes.words(); }
    const tensor::TensorRef& triangles() const noexcept { return m_triangles.words(); }
    /// Most bytes of the device that a call of build() or rebuild() took beside the trees so far.
    std::uint64_t build_bytes() const noexcept { return m_build_bytes; }

private:
    bool is_for_device(const scene::MeshView& mesh) const noexcept;
    template <typename Structure>
    void build_on_host(std::span<const scene::MeshView> meshes,
                       std::span<const std::size_t> numbers, core::ThreadPool& pool,
                       std::vector<MeshTree>& out);
    MeshTree build_on_device(const scene::MeshView& mesh, core::ThreadPool& pool);
    MeshTree refit(const MeshTree& tree, const scene::MeshView& mesh, float& cost,
                   core::ThreadPool& pool);
    void note_build(const scene::MeshView& mesh) noexcept;

    DeviceTreeBuilder m_builder;
    bool m_is_wide;
    std::uint64_t m_least_for_device; ///< triangles of a mesh
    RangeArray m_nodes;
    RangeArray m_triangles;
    std::uint64_t m_build_bytes = 0;
};

} // namespace weft::render
