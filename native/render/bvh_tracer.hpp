// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/thread_pool.hpp"
#include "dispatch/function.hpp"
#include "render/tracer.hpp"
#include "scene/bvh.hpp"
#include "scene/wide_bvh.hpp"

#include <variant>

namespace weft::render {

/// Weft's own acceleration structures in device memory, traced by shaders/weft/render/bvh.slang. Run on every device.
class BvhTracer final : public Tracer {
public:
    /// The structure BvhView or WideBvhView of bvh.slang, a tensor of uint32 a field. Valid until update_instances(), then asked anew.
    struct View {
        tensor::TensorRef nodes;
        tensor::TensorRef triangles;
        tensor::TensorRef top_nodes;
        tensor::TensorRef instances;
    };

    /// @param is_wide which structure
    /// @throws ArgumentError as scene::require_valid(); DeviceError if memory is short.
    [[nodiscard]] static std::unique_ptr<BvhTracer>
    create(const dispatch::Context& context, const scene::Geometry& geometry, bool is_wide);

    TracerKind kind() const noexcept override;
    device::MemoryKind ray_memory() const noexcept override { return device::MemoryKind::device; }
    void trace_closest(const RayBatch& batch) override;
    void trace_any(const RayBatch& batch) override;
    void update_instances(std::span<const scene::Instance> instances) override;

    const View& view() const noexcept { return m_view; }
    /// Appends the view as one argument, a structure called `name`, for a kernel that traces rays itself. The tensors
    /// must outlive the launch.
    static void add_view(const View& view, std::string_view name,
                         dispatch::ArgumentList& arguments);

private:
    using Structure = std::variant<scene::Bvh, scene::WideBvh>;

    BvhTracer(const dispatch::Context& context, const scene::Geometry& geometry, bool is_wide);
    void upload_meshes();
    void upload_top_level();
    void launch(dispatch::Function& function, const RayBatch& batch);

    core::ThreadPool m_pool;
    Structure m_bvh; ///< the arrays of the device are not kept
    View m_view;
    std::shared_ptr<dispatch::Module> m_module;
    std::shared_ptr<dispatch::Function> m_closest;
    std::shared_ptr<dispatch::Function> m_any;
    dispatch::ArgumentList m_arguments;
    dispatch::CallState m_state;
};

} // namespace weft::render
