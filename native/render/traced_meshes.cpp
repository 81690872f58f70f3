// SPDX-License-Identifier: Apache-2.0
#include "render/traced_meshes.hpp"

#include "device/fork_guard.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_set>
#include <utility>

namespace weft::render {

using scene::Instance;
using scene::MeshRef;

namespace {

/// A tracer with room for so many times as many triangles as there are is made anew.
constexpr std::uint64_t kMaxRoom = 4;
/// Triangles by which meshes of one form are told apart before all are compared.
constexpr std::size_t kComparedTriangles = 64;

/// The shapes of a scene: each once, and which of them each mesh has.
struct SceneShapes {
    std::vector<PartKey> keys{};
    std::vector<MeshRef> meshes{};
    std::vector<std::uint32_t> of_mesh{};
    std::uint64_t triangle_count = 0;
};

template <typename T>
void add_array(PartKey& key, const scene::MeshArray<T>& array, const MeshRef& mesh) {
    key.add_identity(array.owner ? array.owner : mesh);
    key.add(reinterpret_cast<std::uintptr_t>(array.values.data()));
    key.add(static_cast<std::uint64_t>(array.values.size()));
}

PartKey shape_key(const MeshRef& mesh) {
    PartKey key("shape");
    add_array(key, mesh->positions, mesh);
    add_array(key, mesh->triangles, mesh);
    return key;
}

SceneShapes shapes_of(const SceneGeometry& geometry) {
    SceneShapes shapes;
    std::unordered_map<PartKey, std::uint32_t> numbers;
    for (const MeshRef& mesh : geometry.table.meshes) {
        PartKey key = shape_key(mesh);
        const auto next = static_cast<std::uint32_t>(numbers.size());
        const auto [found, is_new] = numbers.try_emplace(key, next);
        shapes.of_mesh.push_back(found->second);
        if (is_new) {
            shapes.keys.push_back(std::move(key));
            shapes.meshes.push_back(mesh);
            shapes.triangle_count += mesh->triangle_count();
        }
    }
    return shapes;
}

scene::MeshView view_of(const scene::Mesh& mesh) {
    return {.positions = mesh.positions.values, .triangles = mesh.triangles.values};
}

/// The objects of a scene. @param numbers of the tracer's meshes, by shape.
std::vector<Instance> instances_of(const SceneGeometry& geometry, const SceneShapes& shapes,
                                   std::span<const std::uint32_t> numbers) {
    std::vector<Instance> instances;
    for (std::size_t k = 0; k < geometry.table.transforms.size(); ++k) {
        const std::uint32_t shape = shapes.of_mesh[geometry.table.mesh_of_instance[k]];
        instances.push_back(
            {.mesh = numbers[shape], .object_to_world = geometry.table.transforms[k]});
    }
    return instances;
}

std::vector<std::uint32_t> in_order(const SceneShapes& shapes) {
    std::vector<std::uint32_t> numbers(shapes.keys.size());
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        numbers[k] = static_cast<std::uint32_t>(k);
    }
    return numbers;
}

std::shared_ptr<const TracedShapes> numbered(const SceneShapes& shapes) {
    auto made = std::make_shared<TracedShapes>();
    for (std::size_t k = 0; k < shapes.keys.size(); ++k) {
        made->emplace(shapes.keys[k], TracedShape{.number = static_cast<std::uint32_t>(k),
                                                  .mesh = shapes.meshes[k]});
    }
    return made;
}

/// What meshes must share so that one may be the other with vertices that have moved.
std::string form_of(const scene::Mesh& mesh) {
    const auto triangles = mesh.triangles.values;
    const auto first =
        std::as_bytes(triangles.first(std::min(triangles.size(), 3 * kComparedTriangles)));
    std::string form =
        std::to_string(mesh.vertex_count()) + " " + std::to_string(mesh.triangle_count()) + " ";
    form.append(reinterpret_cast<const char*>(first.data()), first.size());
    return form;
}

bool have_same_triangles(const scene::Mesh& a, const scene::Mesh& b) {
    return a.triangles.values.data() == b.triangles.values.data() ||
           std::ranges::equal(a.triangles.values, b.triangles.values);
}

/// Shapes of a tracer that a scene has not, by form; of several of one form the last.
std::map<std::string, TracedShape> gone_shapes(const TracedShapes& before,
                                               const SceneShapes& shapes) {
    const std::unordered_set<PartKey> wanted(shapes.keys.begin(), shapes.keys.end());
    std::map<std::string, TracedShape> gone;
    for (const auto& [key, shape] : before) {
        if (!wanted.contains(key)) {
            TracedShape& kept = gone.try_emplace(form_of(*shape.mesh), shape).first->second;
            kept = kept.number < shape.number ? shape : kept;
        }
    }
    return gone;
}

/// Meshes as Tracer::update() takes them. A mesh that is new, with the triangles of one that is gone, is that one with
/// other vertices.
struct Sources {
    std::vector<MeshSource> meshes{};
    TracerChange change{};
};

Sources sources_of(const SceneShapes& shapes, const TracedShapes& before) {
    std::map<std::string, TracedShape> gone = gone_shapes(before, shapes);
    Sources sources;
    for (std::size_t k = 0; k < shapes.keys.size(); ++k) {
        if (const auto known = before.find(shapes.keys[k]); known != before.end()) {
            sources.meshes.push_back({.kept = known->second.number});
            continue;
        }
        const scene::Mesh& mesh = *shapes.meshes[k];
        MeshSource& source = sources.meshes.emplace_back();
        source.mesh = view_of(mesh);
        sources.change.triangles += mesh.triangle_count();
        const auto old = gone.find(form_of(mesh));
        if (old != gone.end() && have_same_triangles(*old->second.mesh, mesh)) {
            source.kept = old->second.number;
            gone.erase(old);
            ++sources.change.moved;
        } else {
            ++sources.change.added;
        }
    }
    return sources;
}

bool are_equal(const std::vector<Instance>& a, const std::vector<Instance>& b) {
    return std::ranges::equal(a, b, [](const Instance& left, const Instance& right) {
        return left.mesh == right.mesh && left.object_to_world == right.object_to_world;
    });
}

bool are_equal(const TracedShapes& a, const TracedShapes& b) {
    return a.size() == b.size() && std::ranges::all_of(a, [&](const auto& entry) {
               const auto found = b.find(entry.first);
               return found != b.end() && found->second.number == entry.second.number;
           });
}

std::shared_ptr<Tracer> new_tracer(const dispatch::Context& context, const SceneShapes& shapes,
                                   std::vector<Instance> instances, const TracerDesc& desc) {
    scene::Geometry meshes;
    for (const MeshRef& mesh : shapes.meshes) {
        meshes.meshes.push_back(view_of(*mesh));
    }
    meshes.instances = std::move(instances);
    // The threads of its pool are those of the process that created it.
    return device::share_until_fork(create_tracer(context, meshes, desc));
}

/// Makes what a tracer has what a scene has.
TracerChange update(Tracer& tracer, TracerState& state, const SceneGeometry& geometry,
                    const SceneShapes& shapes) {
    const bool has_all = std::ranges::all_of(
        shapes.keys, [&](const PartKey& key) { return state.shapes->contains(key); });
    if (!has_all || state.triangle_count > 2 * shapes.triangle_count) {
        const Sources sources = sources_of(shapes, *state.shapes);
        std::vector<Instance> instances = instances_of(geometry, shapes, in_order(shapes));
        tracer.update(sources.meshes, instances);
        state.room = std::max(state.room, state.triangle_count + sources.change.triangles);
        state.shapes = numbered(shapes);
        state.triangle_count = shapes.triangle_count;
        state.instances = std::move(instances);
        return sources.change;
    }
    std::vector<std::uint32_t> numbers;
    for (const PartKey& key : shapes.keys) {
        numbers.push_back(state.shapes->at(key).number);
    }
    std::vector<Instance> instances = instances_of(geometry, shapes, numbers);
    if (!are_equal(instances, state.instances)) {
        tracer.update_instances(instances);
        state.instances = std::move(instances);
    }
    return {};
}

} // namespace

TracedMeshes::TracedMeshes(const dispatch::Context& context, const SceneGeometry& geometry,
                           const TracerDesc& desc, const TracedMeshes* before) {
    const SceneShapes shapes = shapes_of(geometry);
    if (before == nullptr || before->m_state->room > kMaxRoom * shapes.triangle_count) {
        m_state = std::make_shared<TracerState>();
        m_state->instances = instances_of(geometry, shapes, in_order(shapes));
        m_tracer = new_tracer(context, shapes, m_state->instances, desc);
        m_state->shapes = numbered(shapes);
        m_state->triangle_count = shapes.triangle_count;
        m_state->room = shapes.triangle_count;
        m_change = {.triangles = shapes.triangle_count,
                    .added = static_cast<std::uint32_t>(shapes.keys.size())};
    } else {
        m_tracer = before->m_tracer;
        m_state = before->m_state;
        m_change = update(*m_tracer, *m_state, geometry, shapes);
    }
    m_shapes = m_state->shapes;
    m_instances = m_state->instances;
}

bool TracedMeshes::is_current() const noexcept {
    return are_equal(m_state->instances, m_instances) &&
           (m_state->shapes == m_shapes || are_equal(*m_state->shapes, *m_shapes));
}

} // namespace weft::render
