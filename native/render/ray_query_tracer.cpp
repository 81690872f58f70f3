// SPDX-License-Identifier: Apache-2.0
#include "render/ray_query_tracer.hpp"

#include "core/text.hpp"
#include "render/ray_query_scene.hpp"
#include "render/trace_kernels.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace weft::render {

using dispatch::Node;
using dispatch::NodeKind;

namespace {

/// The memory of a structure as an argument, so that a launch comes after the build and before what follows.
tensor::TensorRef as_words(const device::AccelerationStructure& structure) {
    const auto count =
        static_cast<std::int64_t>(structure.memory()->size_bytes() / sizeof(std::uint32_t));
    return tensor::Tensor::wrap(
        structure.memory(),
        {.dtype = reflect::scalar_type(reflect::ScalarKind::uint32), .shape = {count}});
}

class RayQueryTracer final : public Tracer {
public:
    RayQueryTracer(const dispatch::Context& context, const scene::Geometry& geometry)
        : Tracer(context.device), m_scene(context.device, geometry),
          m_kernels(context, {.module = "weft/render/ray_query", .type = "RayQueryView"}),
          m_memory(as_words(m_scene.top())) {}

    TracerKind kind() const noexcept override { return TracerKind::ray_query; }
    device::MemoryKind ray_memory() const noexcept override { return device::MemoryKind::device; }
    void trace_closest(const RayBatch& batch) override {
        require_batch(batch, kHitRows, "trace_closest");
        m_kernels.trace_closest(batch, [this](auto& arguments) { add_view(arguments); });
    }
    void trace_any(const RayBatch& batch) override {
        require_batch(batch, 1, "trace_any");
        m_kernels.trace_any(batch, [this](auto& arguments) { add_view(arguments); });
    }
    void update_instances(std::span<const scene::Instance> instances) override {
        m_scene.update_instances(instances);
        m_memory = as_words(m_scene.top());
    }
    void update(std::span<const MeshSource> meshes,
                std::span<const scene::Instance> instances) override {
        std::vector<MeshSize> sizes;
        std::ranges::transform(m_scene.meshes(), std::back_inserter(sizes),
                               [](const RayQueryScene::Mesh& mesh) -> MeshSize {
                                   return {.vertices = mesh.vertex_count,
                                           .triangles = mesh.triangle_count};
                               });
        require_sources(meshes, sizes, instances, m_pool);
        m_scene.update(meshes, instances);
        m_memory = as_words(m_scene.top());
    }
    TracerMemory memory() const noexcept override { return m_scene.memory(); }

private:
    /// RayQueryView of ray_query.slang.
    void add_view(dispatch::ArgumentList& arguments) const {
        Node& structure = add_node(arguments, NodeKind::structure);
        structure.subtree = 3;
        structure.children = 2;
        Node& memory = arguments.nodes.emplace_back();
        memory.kind = NodeKind::tensor;
        memory.name = "memory";
        memory.tensor = m_memory.get();
        Node& address = arguments.nodes.emplace_back();
        address.kind = NodeKind::integer;
        address.scalar = reflect::ScalarKind::uint64;
        address.name = "address";
        address.integer = std::bit_cast<std::int64_t>(m_scene.top().address());
    }

    core::ThreadPool m_pool;
    RayQueryScene m_scene;
    TraceKernels m_kernels;
    tensor::TensorRef m_memory; ///< of the top level
};

} // namespace

std::string ray_query_obstacle(const device::Device& device) {
    if (device.info().features.ray_query) {
        return {};
    }
    return device.info().type == device::DeviceType::cuda
               ? core::text("'", device.info().name, "' is a CUDA device, ray queries are Vulkan's")
               : core::text("the driver of '", device.info().name, "' (", device.info().driver,
                            ") has no VK_KHR_ray_query with VK_KHR_acceleration_structure");
}

std::unique_ptr<Tracer> create_ray_query_tracer(const dispatch::Context& context,
                                                const scene::Geometry& geometry) {
    return std::make_unique<RayQueryTracer>(context, geometry);
}

} // namespace weft::render
