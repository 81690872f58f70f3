// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/thread_pool.hpp"
#include "render/mesh_trees.hpp"
#include "render/trace_kernels.hpp"

#include <vector>

namespace weft::render {

/// Weft's own acceleration structures in device memory, traced by shaders/weft/render/bvh.slang. Run on every device.
class BvhTracer final : public Tracer {
public:
    /// The structure BvhView or WideBvhView of bvh.slang, a tensor of uint32 a field. Valid until update() or update_instances(), then asked anew.
    struct View {
        tensor::TensorRef nodes;
        tensor::TensorRef triangles;
        tensor::TensorRef top_nodes;
        tensor::TensorRef instances;
    };

    /// @param is_wide which structure
    /// @throws ArgumentError as scene::require_valid(); DeviceError if memory is short.
    [[nodiscard]] static std::unique_ptr<BvhTracer> create(const dispatch::Context& context,
                                                           const scene::Geometry& geometry,
                                                           bool is_wide, TreeBuilder builder);

    TracerKind kind() const noexcept override;
    device::MemoryKind ray_memory() const noexcept override { return device::MemoryKind::device; }
    void trace_closest(const RayBatch& batch) override;
    void trace_any(const RayBatch& batch) override;
    void update_instances(std::span<const scene::Instance> instances) override;
    void update(std::span<const MeshSource> meshes,
                std::span<const scene::Instance> instances) override;
    TracerMemory memory() const noexcept override;

    const View& view() const noexcept { return m_view; }
    /// Appends the view as one argument, a structure called `name`, for a kernel that traces rays itself. The tensors
    /// must outlive the launch.
    static void add_view(const View& view, std::string_view name,
                         dispatch::ArgumentList& arguments);

private:
    struct TopLevel {
        tensor::TensorRef nodes;
        tensor::TensorRef instances;
    };

    BvhTracer(const dispatch::Context& context, const scene::Geometry& geometry, bool is_wide,
              TreeBuilder builder);
    /// The top level over meshes, on the device.
    template <typename Structure>
    [[nodiscard]] TopLevel make_top_level(std::span<const MeshTree> meshes,
                                          std::span<const scene::Instance> instances);
    [[nodiscard]] TopLevel top_level(std::span<const MeshTree> meshes,
                                     std::span<const scene::Instance> instances);
    /// The trees of meshes, those that are kept among them. @param made gets those that are not, also if it throws.
    [[nodiscard]] std::vector<MeshTree> make_trees(std::span<const MeshSource> meshes,
                                                   std::vector<MeshTree>& made);
    void take(std::vector<MeshTree> meshes, TopLevel top);

    core::ThreadPool m_pool;
    bool m_is_wide;
    MeshTrees m_trees;
    std::vector<MeshTree> m_meshes;
    View m_view;
    TraceKernels m_kernels;
};

} // namespace weft::render
