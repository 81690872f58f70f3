// SPDX-License-Identifier: Apache-2.0
#include "render/ray_query_scene.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::render {

using device::AccelerationStructureRef;
using device::InstanceRecord;
using device::TriangleBuild;

namespace {

/// Meshes are built side by side until they have so many triangles: their inputs take 36 bytes each, and scratch about
/// as much, at a time.
constexpr std::uint64_t kGroupTriangles = std::uint64_t{1} << 21U;
/// A tree whose boxes have grown with moving vertices so often is made anew: drivers do not say how good it is.
constexpr std::uint32_t kMaxMoves = 32;

std::uint64_t input_bytes(const scene::MeshView& mesh) {
    return mesh.positions.size_bytes() + mesh.triangles.size_bytes();
}

std::shared_ptr<device::Buffer> upload(device::Device& device, device::RayQueries& queries,
                                       std::span<const std::byte> bytes, const char* label) {
    auto buffer = queries.create_input({.size_bytes = bytes.size(), .label = label});
    device.upload(*buffer, 0, bytes);
    return buffer;
}

std::uint64_t size_of(const AccelerationStructureRef& structure) {
    return structure ? structure->memory()->size_bytes() : 0;
}

} // namespace

RayQueryScene::RayQueryScene(std::shared_ptr<device::Device> device,
                             const scene::Geometry& geometry)
    : m_device(std::move(device)), m_queries(*m_device->ray_queries()) {
    scene::require_valid(geometry);
    m_meshes.resize(geometry.meshes.size());
    std::vector<Order> orders;
    orders.reserve(m_meshes.size());
    for (std::size_t i = 0; i < m_meshes.size(); ++i) {
        orders.push_back({.out = &m_meshes[i], .mesh = &geometry.meshes[i], .from = nullptr});
    }
    build(orders);
    update_instances(geometry.instances);
}

/// In groups, so that what they are made of does not take the memory of all meshes once more.
void RayQueryScene::build(std::span<const Order> orders) {
    while (!orders.empty()) {
        std::uint64_t triangles = 0;
        std::size_t count = 0;
        do {
            triangles += orders[count++].mesh->triangles.size() / 3;
        } while (count < orders.size() && triangles < kGroupTriangles);
        build_group(orders.first(count));
        orders = orders.subspan(count);
    }
}

void RayQueryScene::build_group(std::span<const Order> orders) {
    std::vector<std::shared_ptr<device::Buffer>> inputs;
    std::vector<TriangleBuild> builds;
    std::vector<Mesh*> built;
    std::uint64_t bytes = 0;
    for (const Order& order : orders) {
        const scene::MeshView& mesh = *order.mesh;
        Mesh& out = *order.out;
        out.vertex_count = mesh.positions.size() / 3;
        out.triangle_count = mesh.triangles.size() / 3;
        if (mesh.triangles.empty()) {
            continue;
        }
        const Mesh* const from = order.from;
        out.is_movable = from != nullptr;
        const bool goes_on = from != nullptr && from->is_movable && from->move_count < kMaxMoves;
        out.move_count = goes_on ? from->move_count + 1 : 0;
        bytes += input_bytes(mesh);
        inputs.push_back(upload(*m_device, m_queries, std::as_bytes(mesh.positions),
                                "vertices of acceleration structures"));
        inputs.push_back(upload(*m_device, m_queries, std::as_bytes(mesh.triangles),
                                "triangles of acceleration structures"));
        builds.push_back(
            {.input = {.positions = inputs[inputs.size() - 2].get(),
                       .vertex_count = static_cast<std::uint32_t>(out.vertex_count),
                       .triangles = inputs.back().get(),
                       .triangle_count = static_cast<std::uint32_t>(out.triangle_count)},
             .is_movable = out.is_movable,
             .from = goes_on ? from->structure.get() : nullptr});
        built.push_back(&out);
    }
    m_input_bytes = std::max(m_input_bytes, bytes);
    const std::vector<AccelerationStructureRef> made = m_queries.build_triangles(builds);
    for (std::size_t i = 0; i < made.size(); ++i) {
        built[i]->structure = made[i];
    }
    std::erase_if(built, [](const Mesh* mesh) { return mesh->is_movable; });
    compact(built);
}

void RayQueryScene::compact(std::span<Mesh* const> meshes) {
    std::vector<AccelerationStructureRef> structures;
    std::ranges::transform(meshes, std::back_inserter(structures),
                           [](const Mesh* mesh) { return mesh->structure; });
    const std::vector<AccelerationStructureRef> copies = m_queries.compact(structures);
    for (std::size_t i = 0; i < copies.size(); ++i) {
        if (copies[i]) {
            meshes[i]->structure = copies[i];
        }
    }
}

AccelerationStructureRef RayQueryScene::create_top(std::span<const Mesh> meshes,
                                                   std::span<const scene::Instance> instances) {
    std::vector<InstanceRecord> records(std::max<std::size_t>(instances.size(), 1));
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const AccelerationStructureRef& structure = meshes[instances[i].mesh].structure;
        records[i].object_to_world = instances[i].object_to_world;
        // What has no triangles keeps its place: hits tell instances by their places.
        records[i].structure = structure ? structure->address() : 0;
    }
    const auto input = upload(*m_device, m_queries, std::as_bytes(std::span(records)),
                              "instances of acceleration structures");
    return m_queries.build_instances(*input, static_cast<std::uint32_t>(instances.size()));
}

void RayQueryScene::update_instances(std::span<const scene::Instance> instances) {
    scene::require_valid_instances(instances, m_meshes.size());
    m_top = create_top(m_meshes, instances);
}

void RayQueryScene::update(std::span<const MeshSource> meshes,
                           std::span<const scene::Instance> instances) {
    std::vector<Mesh> made(meshes.size());
    std::vector<Order> orders;
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        const MeshSource& source = meshes[i];
        const bool is_new = source.kept == MeshSource::kNew;
        if (!is_new && source.mesh.positions.empty()) {
            made[i] = m_meshes[source.kept];
            continue;
        }
        scene::require_valid({.meshes = {source.mesh}});
        orders.push_back({.out = &made[i],
                          .mesh = &source.mesh,
                          .from = is_new ? nullptr : &m_meshes[source.kept]});
    }
    build(orders);
    AccelerationStructureRef top = create_top(made, instances);
    m_meshes = std::move(made);
    m_top = std::move(top);
}

TracerMemory RayQueryScene::memory() const noexcept {
    TracerMemory out{.held = size_of(m_top), .build = m_input_bytes + m_queries.scratch_bytes()};
    for (const Mesh& mesh : m_meshes) {
        out.held += size_of(mesh.structure);
    }
    return out;
}

} // namespace weft::render
