// SPDX-License-Identifier: Apache-2.0
#include "render/geometry_tensors.hpp"

#include "core/thread_pool.hpp"
#include "scene/corners.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace weft::render {

using reflect::ScalarKind;
using scene::Mesh;
using scene::MeshRef;
using scene::Object;

namespace {

template <typename T>
std::span<T> as_numbers(std::span<std::byte> bytes) {
    static_assert(sizeof(T) == 4);
    return {reinterpret_cast<T*>(bytes.data()), bytes.size() / sizeof(T)};
}

/// A mesh, and the object whose transform is baked into it, if one is.
struct MeshInstance {
    MeshRef mesh;
    const Object* object = nullptr;

    [[nodiscard]] const scene::Affine* transform() const {
        return object == nullptr ? nullptr : &object->transform;
    }
    /// The key of a part of it.
    [[nodiscard]] PartKey key(std::string_view name) const {
        PartKey key(name);
        key.add_identity(mesh);
        if (object != nullptr) {
            key.add_bytes(std::as_bytes(std::span(object->transform)));
        }
        return key;
    }
};

using Meshes = std::vector<MeshInstance>;

Meshes mesh_instances(const scene::Scene& scene, const scene::GeometryTable& table) {
    Meshes meshes;
    for (std::size_t k = 0; k < table.meshes.size(); ++k) {
        // Those with baked transforms are in the order of objects.
        meshes.push_back({.mesh = table.meshes[k],
                          .object = table.has_baked_transforms ? &scene.objects[k] : nullptr});
    }
    return meshes;
}

/// Threads that are started when a large mesh is written.
class Threads {
public:
    /// @returns nullptr where one thread is as quick.
    core::ThreadPool* for_mesh(const Mesh& mesh) {
        constexpr std::size_t kLargeMesh = std::size_t{1} << 16U; // triangles
        if (mesh.triangle_count() < kLargeMesh) {
            return nullptr;
        }
        return m_pool ? &*m_pool : &m_pool.emplace();
    }

private:
    std::optional<core::ThreadPool> m_pool;
};

using WriteCorners = void (*)(const Mesh&, const scene::Affine*, std::span<float>,
                              core::ThreadPool*);

std::vector<Chunk> corner_chunks(const Meshes& meshes, std::string_view name, WriteCorners write,
                                 Threads& threads) {
    std::vector<Chunk> chunks;
    for (const MeshInstance& instance : meshes) {
        chunks.push_back({.key = instance.key(name),
                          .count = 9 * instance.mesh->triangle_count(),
                          .write = [instance, write, &threads](std::span<std::byte> out) {
                              write(*instance.mesh, instance.transform(), as_numbers<float>(out),
                                    threads.for_mesh(*instance.mesh));
                          }});
    }
    chunks.push_back(zeros_chunk(9));
    return chunks;
}

std::vector<Chunk> slot_chunks(const Meshes& meshes, std::span<const std::uint32_t> materials) {
    std::vector<Chunk> chunks;
    for (const MeshInstance& instance : meshes) {
        PartKey key("slots");
        key.add_identity(instance.mesh);
        std::span<const std::uint32_t> own;
        if (instance.object != nullptr) {
            own = materials.first(instance.object->materials.size());
            materials = materials.subspan(own.size());
            key.add_bytes(std::as_bytes(own));
        }
        chunks.push_back({.key = std::move(key),
                          .count = instance.mesh->triangle_count(),
                          .write = [mesh = instance.mesh, own](std::span<std::byte> out) {
                              scene::write_slots(*mesh, own, as_numbers<std::uint32_t>(out));
                          }});
    }
    chunks.push_back(zeros_chunk(1));
    return chunks;
}

using Sets = std::vector<scene::AttributeSet> Mesh::*;

std::size_t set_count(const Meshes& meshes, Sets sets) {
    std::size_t count = 1;
    for (const MeshInstance& instance : meshes) {
        count = std::max(count, ((*instance.mesh).*sets).size());
    }
    return count;
}

/// One block of all triangles a set; one set of one triangle if there is nothing.
/// @param size numbers a triangle. @param chunk that of a set which a mesh has.
template <typename MakeChunk>
std::vector<Chunk> set_chunks(const Meshes& meshes, Sets sets, std::size_t size,
                              const MakeChunk& chunk) {
    std::vector<Chunk> chunks;
    for (std::size_t set = 0; set < set_count(meshes, sets); ++set) {
        for (const MeshInstance& instance : meshes) {
            const bool is_there = set < ((*instance.mesh).*sets).size();
            chunks.push_back(is_there ? chunk(instance, set)
                                      : zeros_chunk(size * instance.mesh->triangle_count()));
        }
    }
    const bool is_empty =
        std::ranges::all_of(chunks, [](const Chunk& entry) { return entry.count == 0; });
    return is_empty ? std::vector{zeros_chunk(size)} : chunks;
}

std::vector<Chunk> attribute_chunks(const Meshes& meshes, std::string_view name, Sets sets,
                                    std::size_t size) {
    return set_chunks(meshes, sets, size, [&](const MeshInstance& instance, std::size_t set) {
        PartKey key(name);
        key.add_identity(instance.mesh).add(static_cast<std::uint64_t>(set));
        return Chunk{.key = std::move(key),
                     .count = size * instance.mesh->triangle_count(),
                     .write = [mesh = instance.mesh, sets, set](std::span<std::byte> out) {
                         const std::span<const float> own = ((*mesh).*sets)[set].values.values;
                         std::ranges::copy(std::as_bytes(own), out.begin());
                     }};
    });
}

using Floats = std::shared_ptr<const std::vector<float>>;

/// Those of a mesh in object space take long to make, and stay where it is moved.
Floats own_tangents(KeptParts& kept, const MeshRef& mesh, std::size_t set) {
    PartKey key("tangents of a mesh");
    key.add_identity(mesh).add(static_cast<std::uint64_t>(set));
    return kept.get<Floats>(std::move(key), [&] {
        return std::make_shared<const std::vector<float>>(
            scene::corner_tangents(*mesh, mesh->uvs[set].values.values));
    });
}

std::vector<Chunk> tangent_chunks(KeptParts& kept, const Meshes& meshes, Threads& threads) {
    return set_chunks(meshes, &Mesh::uvs, 12, [&](const MeshInstance& instance, std::size_t set) {
        PartKey key = instance.key("tangents");
        key.add(static_cast<std::uint64_t>(set));
        return Chunk{.key = std::move(key),
                     .count = 12 * instance.mesh->triangle_count(),
                     .write = [&kept, instance, set, &threads](std::span<std::byte> out) {
                         const Floats own = own_tangents(kept, instance.mesh, set);
                         if (instance.object == nullptr) {
                             std::ranges::copy(std::as_bytes(std::span(*own)), out.begin());
                         } else {
                             scene::transform_tangents(*own, *instance.transform(),
                                                       as_numbers<float>(out),
                                                       threads.for_mesh(*instance.mesh));
                         }
                     }};
    });
}

} // namespace

GeometryTensors build_geometry_tensors(KeptParts& kept, const scene::Scene& scene,
                                       const scene::GeometryTable& table, bool has_tangents) {
    const Meshes meshes = mesh_instances(scene, table);
    const std::vector<std::uint32_t> materials = scene::materials_of_slots(scene);
    Threads threads;
    return {
        .positions = kept.assemble(
            "positions", corner_chunks(meshes, "positions", scene::write_positions, threads)),
        .normals = kept.assemble("normals",
                                 corner_chunks(meshes, "normals", scene::write_normals, threads)),
        .uvs = kept.assemble("uvs", attribute_chunks(meshes, "uvs", &Mesh::uvs, 6)),
        .colors = kept.assemble("colors", attribute_chunks(meshes, "colors", &Mesh::colors, 9)),
        .slots = kept.assemble("slots", slot_chunks(meshes, materials), ScalarKind::uint32),
        .tangents = kept.assemble("tangents", has_tangents ? tangent_chunks(kept, meshes, threads)
                                                           : std::vector{zeros_chunk(4)}),
    };
}

double find_extent(KeptParts& kept, const scene::Scene& scene) {
    std::vector<scene::Box> boxes;
    for (const Object& object : scene.objects) {
        if (object.mesh->vertex_count() > 0) {
            boxes.push_back(kept.get<scene::Box>(
                MeshInstance{.mesh = object.mesh, .object = &object}.key("box"),
                [&] { return scene::bounding_box(object); }));
        }
    }
    return scene::extent_of(boxes);
}

SceneGeometry scene_geometry(KeptParts& kept, scene::Scene scene) {
    SceneGeometry made{.scene = std::move(scene), .table = {}};
    made.table = scene::build_geometry_table(made.scene);
    made.extent = find_extent(kept, made.scene);
    return made;
}

EmissiveMeshesRef emissive_meshes(KeptParts& kept, const scene::Scene& scene,
                                  const scene::GeometryTable& table, std::uint32_t first_light) {
    const std::vector<scene::SlotEmissions> emissions = scene::slot_emissions(scene);
    PartKey key("emissive meshes");
    key.add(static_cast<std::uint64_t>(scene.objects.size()));
    bool has_light = false;
    for (std::size_t k = 0; k < emissions.size(); ++k) {
        if (emissions[k].empty()) {
            continue;
        }
        has_light = true;
        const Object& object = scene.objects[k];
        key.add(MeshInstance{.mesh = object.mesh, .object = &object}.key("object"));
        key.add(static_cast<std::uint64_t>(k));
        key.add(table.first_triangle[table.mesh_of_instance[k]]);
        for (const std::optional<scene::Emission>& emission : emissions[k]) {
            key.add(emission.has_value());
            if (emission) {
                key.add_bytes(std::as_bytes(std::span(emission->radiance)));
                key.add(emission->both_sides).add(emission->varies);
            }
        }
    }
    key.add(has_light ? first_light : 0);
    return kept.get<EmissiveMeshesRef>(std::move(key), [&] {
        return std::make_shared<const scene::EmissiveMeshes>(
            scene::find_emissive_meshes(scene, emissions, first_light));
    });
}

} // namespace weft::render
