// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/embree/embree_api.hpp"
#include "render/tracer.hpp"
#include "scene/geometry.hpp"

#include <span>
#include <vector>

namespace weft::render::embree {

/// The meshes of a geometry, and a scene of its instances.
class EmbreeScene {
public:
    /// Copies the meshes. @throws as create_embree_tracer().
    explicit EmbreeScene(const scene::Geometry& geometry);

    /// @throws ArgumentError as scene::require_valid(), DeviceError; the old instances then stay in force.
    void update_instances(std::span<const scene::Instance> instances);

    /// @throws as Tracer::update(), but for what that says of `meshes`; the old meshes and instances then stay in force.
    void update(std::span<const MeshSource> meshes, std::span<const scene::Instance> instances);
    std::size_t mesh_count() const noexcept { return m_meshes.size(); }
    std::uint64_t vertex_count(std::size_t mesh) const { return m_meshes[mesh].vertex_count; }
    std::uint64_t triangle_count(std::size_t mesh) const { return m_meshes[mesh].triangle_count; }

    RTCScene top() const noexcept { return m_top.get(); }
    /// Index into Geometry::instances of a hit in lane `lane`; RTC_INVALID_GEOMETRY_ID for none.
    static unsigned instance_of(const RTCHit16& hit, unsigned lane) noexcept {
        const unsigned instance = hit.instID[0][lane];
        return instance != RTC_INVALID_GEOMETRY_ID ? instance : hit.geomID[lane];
    }

private:
    struct Mesh {
        UniqueGeometry geometry; ///< empty for a mesh without triangles
        UniqueScene scene;       ///< made for the first instance that moves it
        std::uint64_t vertex_count = 0;
        std::uint64_t triangle_count = 0;
    };

    [[nodiscard]] Mesh create_mesh(const scene::MeshView& mesh) const;
    [[nodiscard]] UniqueGeometry create_instance(Mesh& mesh, const scene::Transform& transform);
    [[nodiscard]] UniqueScene create_scene() const;
    /// The top level over meshes. @throws as update_instances().
    [[nodiscard]] UniqueScene create_top(std::span<Mesh* const> meshes,
                                         std::span<const scene::Instance> instances);
    /// @throws DeviceError if Embree reported an error since the last call.
    void require_success(const char* call) const;

    UniqueDevice m_device; ///< outlives what follows
    std::vector<Mesh> m_meshes;
    UniqueScene m_top;
};

} // namespace weft::render::embree
