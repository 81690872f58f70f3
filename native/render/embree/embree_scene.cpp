// SPDX-License-Identifier: Apache-2.0
#include "render/embree/embree_scene.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::render::embree {

using core::DeviceError;
using core::text;

namespace {

template <typename Value>
void copy_to_buffer(RTCGeometry geometry, RTCBufferType type, RTCFormat format,
                    std::span<const Value> values) {
    void* const memory = api().rtcSetNewGeometryBuffer(geometry, type, 0, format, 3 * sizeof(Value),
                                                       values.size() / 3);
    if (memory != nullptr) {
        std::ranges::copy(values, static_cast<Value*>(memory));
    }
}

} // namespace

EmbreeScene::EmbreeScene(const scene::Geometry& geometry) : m_device(api().rtcNewDevice(nullptr)) {
    if (!m_device) {
        throw DeviceError("create_tracer: Embree does not start", DeviceError::Kind::unavailable,
                          "rtcNewDevice", api().rtcGetDeviceError(nullptr));
    }
    scene::require_valid(geometry);
    for (const scene::MeshView& mesh : geometry.meshes) {
        m_meshes.push_back(create_mesh(mesh));
    }
    update_instances(geometry.instances);
}

void EmbreeScene::require_success(const char* call) const {
    const RTCError error = api().rtcGetDeviceError(m_device.get());
    if (error == RTC_ERROR_OUT_OF_MEMORY) {
        throw DeviceError("create_tracer: the host has no memory left for Embree's acceleration "
                          "structure; use fewer triangles",
                          DeviceError::Kind::out_of_memory, call, error);
    }
    if (error != RTC_ERROR_NONE) {
        throw DeviceError(text("create_tracer: ", call, " failed with Embree's error ", error),
                          DeviceError::Kind::failure, call, error);
    }
}

EmbreeScene::Mesh EmbreeScene::create_mesh(const scene::MeshView& mesh) const {
    Mesh out;
    out.vertex_count = mesh.positions.size() / 3;
    out.triangle_count = mesh.triangles.size() / 3;
    if (mesh.triangles.empty()) {
        return out;
    }
    UniqueGeometry made(api().rtcNewGeometry(m_device.get(), RTC_GEOMETRY_TYPE_TRIANGLE));
    copy_to_buffer(made.get(), RTC_BUFFER_TYPE_VERTEX, RTC_FORMAT_FLOAT3, mesh.positions);
    copy_to_buffer(made.get(), RTC_BUFFER_TYPE_INDEX, RTC_FORMAT_UINT3, mesh.triangles);
    api().rtcCommitGeometry(made.get());
    require_success("rtcSetNewGeometryBuffer");
    out.geometry = std::move(made);
    return out;
}

UniqueScene EmbreeScene::create_scene() const {
    UniqueScene made(api().rtcNewScene(m_device.get()));
    require_success("rtcNewScene");
    api().rtcSetSceneFlags(made.get(), RTC_SCENE_FLAG_ROBUST);
    return made;
}

UniqueGeometry EmbreeScene::create_instance(Mesh& mesh, const scene::Transform& transform) {
    if (!mesh.scene) {
        UniqueScene made = create_scene();
        api().rtcAttachGeometry(made.get(), mesh.geometry.get());
        api().rtcCommitScene(made.get());
        require_success("rtcCommitScene");
        mesh.scene = std::move(made);
    }
    UniqueGeometry made(api().rtcNewGeometry(m_device.get(), RTC_GEOMETRY_TYPE_INSTANCE));
    api().rtcSetGeometryInstancedScene(made.get(), mesh.scene.get());
    api().rtcSetGeometryTransform(made.get(), 0, RTC_FORMAT_FLOAT3X4_ROW_MAJOR, transform.data());
    api().rtcCommitGeometry(made.get());
    return made;
}

UniqueScene EmbreeScene::create_top(std::span<Mesh* const> meshes,
                                    std::span<const scene::Instance> instances) {
    std::vector<std::size_t> uses(meshes.size());
    for (const scene::Instance& instance : instances) {
        ++uses[instance.mesh];
    }
    UniqueScene top = create_scene();
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const scene::Instance& instance = instances[i];
        Mesh& mesh = *meshes[instance.mesh];
        if (!mesh.geometry) {
            continue;
        }
        const auto id = static_cast<unsigned>(i);
        if (uses[instance.mesh] == 1 && instance.object_to_world == scene::kIdentity) {
            api().rtcAttachGeometryByID(top.get(), mesh.geometry.get(), id);
        } else {
            const UniqueGeometry placed = create_instance(mesh, instance.object_to_world);
            api().rtcAttachGeometryByID(top.get(), placed.get(), id);
        }
    }
    api().rtcCommitScene(top.get());
    require_success("rtcCommitScene");
    return top;
}

void EmbreeScene::update_instances(std::span<const scene::Instance> instances) {
    scene::require_valid_instances(instances, m_meshes.size());
    std::vector<Mesh*> meshes;
    std::ranges::transform(m_meshes, std::back_inserter(meshes), [](Mesh& mesh) { return &mesh; });
    m_top = create_top(meshes, instances);
}

void EmbreeScene::update(std::span<const MeshSource> meshes,
                         std::span<const scene::Instance> instances) {
    std::vector<Mesh> made(meshes.size());
    std::vector<Mesh*> all;
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        const MeshSource& source = meshes[i];
        const bool is_same = source.kept != MeshSource::kNew && source.mesh.positions.empty();
        if (!is_same) {
            scene::require_valid({.meshes = {source.mesh}});
            made[i] = create_mesh(source.mesh);
        }
        all.push_back(is_same ? &m_meshes[source.kept] : &made[i]);
    }
    UniqueScene top = create_top(all, instances);
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        if (all[i] != &made[i]) {
            made[i] = std::move(*all[i]);
        }
    }
    m_top = std::move(top);
    m_meshes = std::move(made);
}

} // namespace weft::render::embree
