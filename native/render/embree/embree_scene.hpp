// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "render/embree/embree_api.hpp"
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
    };

    [[nodiscard]] UniqueGeometry create_mesh(const scene::MeshView& mesh) const;
    [[nodiscard]] UniqueGeometry create_instance(Mesh& mesh, const scene::Transform& transform);
    [[nodiscard]] UniqueScene create_scene() const;
    /// @throws DeviceError if Embree reported an error since the last call.
    void require_success(const char* call) const;

    UniqueDevice m_device; ///< outlives what follows
    std::vector<Mesh> m_meshes;
    UniqueScene m_top;
};

} // namespace weft::render::embree
