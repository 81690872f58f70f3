// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/ray_queries.hpp"
#include "render/tracer.hpp"

#include <span>
#include <vector>

namespace weft::render {

/// The meshes and instances of a RayQueryTracer, as the driver's acceleration structures.
class RayQueryScene {
public:
    struct Mesh {
        device::AccelerationStructureRef structure; ///< null without triangles
        std::uint64_t vertex_count = 0;
        std::uint64_t triangle_count = 0;
        std::uint32_t move_count = 0; ///< since it was made anew
        bool is_movable = false;
    };

    /// @throws as create_ray_query_tracer().
    RayQueryScene(std::shared_ptr<device::Device> device, const scene::Geometry& geometry);

    /// @throws as Tracer::update_instances().
    void update_instances(std::span<const scene::Instance> instances);
    /// @throws as Tracer::update(), but for what that says of `meshes`; the old meshes and instances then stay in force.
    void update(std::span<const MeshSource> meshes, std::span<const scene::Instance> instances);

    const std::vector<Mesh>& meshes() const noexcept { return m_meshes; }
    /// Of the instances.
    const device::AccelerationStructure& top() const noexcept { return *m_top; }
    TracerMemory memory() const noexcept;

private:
    /// A mesh that is to be made. @param from null, or what it was before its vertices moved.
    struct Order {
        Mesh* out;
        const scene::MeshView* mesh;
        const Mesh* from;
    };

    void build(std::span<const Order> orders);
    void build_group(std::span<const Order> orders);
    void compact(std::span<Mesh* const> meshes);
    device::AccelerationStructureRef create_top(std::span<const Mesh> meshes,
                                                std::span<const scene::Instance> instances);

    std::shared_ptr<device::Device> m_device;
    device::RayQueries& m_queries;
    std::vector<Mesh> m_meshes;
    device::AccelerationStructureRef m_top;
    std::uint64_t m_input_bytes = 0; ///< most that a group of meshes took
};

} // namespace weft::render
