// SPDX-License-Identifier: Apache-2.0
#include "scene/emissive_meshes.hpp"

#include "scene/ray_kinds.hpp"
#include "scene/vector3.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_map>
#include <utility>

namespace weft::scene {

namespace {

using Corners = std::array<Double3, 3>;

/// A triangle by the linear part of its transform.
Corners transformed(const Object& object, std::size_t triangle) {
    const Mesh& mesh = *object.mesh;
    const Affine& m = object.transform;
    Corners corners{};
    for (std::size_t c = 0; c < 3; ++c) {
        const auto vertex =
            mesh.positions.values.subspan(3 * std::size_t{require_vertex(mesh, triangle, c)}, 3);
        const double x = vertex[0];
        const double y = vertex[1];
        const double z = vertex[2];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double* const row = m.data() + 4 * axis;
            corners[c][axis] = x * row[0] + y * row[1] + z * row[2];
        }
    }
    return corners;
}

double area_of(const Corners& corners) {
    return length(cross(difference(corners[1], corners[0]), difference(corners[2], corners[0]))) /
           2;
}

void add_triangle(EmissivePart& part, std::uint32_t primitive, const Corners& corners,
                  const Affine& transform) {
    part.primitives.push_back(primitive);
    part.areas.push_back(area_of(corners));
    for (const Double3& corner : corners) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            part.corners.push_back(corner[axis] + transform[4 * axis + 3]);
        }
    }
}

/// Those of one object, by slots.
std::vector<EmissivePart> parts_of(const Object& object, const SlotEmissions& emissions) {
    const bool is_mirrored = determinant(object.transform) < 0;
    std::vector<EmissivePart> parts(emissions.size());
    for (std::size_t slot = 0; slot < emissions.size(); ++slot) {
        parts[slot].slot = static_cast<std::uint32_t>(slot);
        parts[slot].emission = emissions[slot].value_or(Emission{});
        parts[slot].is_mirrored = is_mirrored;
    }
    for (std::size_t k = 0; k < object.mesh->triangle_count(); ++k) {
        const std::uint32_t slot = object.mesh->slot(k);
        if (slot >= emissions.size() || !emissions[slot]) {
            continue;
        }
        const Corners corners = transformed(object, k);
        if (area_of(corners) > 0) {
            add_triangle(parts[slot], static_cast<std::uint32_t>(k), corners, object.transform);
        }
    }
    return parts;
}

} // namespace

std::vector<SlotEmissions> slot_emissions(const Scene& scene) {
    std::unordered_map<const Material*, std::optional<Emission>> known;
    const auto find = [&](const MaterialRef& material) {
        const auto [found, is_new] = known.try_emplace(material.get());
        if (is_new) {
            found->second = light_of(*material->surface);
        }
        return found->second;
    };
    std::vector<SlotEmissions> emissions;
    for (const Object& object : scene.objects) {
        SlotEmissions& own = emissions.emplace_back();
        std::ranges::transform(object.materials, std::back_inserter(own), find);
        const bool has_light =
            std::ranges::any_of(own, [](const auto& emission) { return emission.has_value(); });
        if (!has_light || object.mesh->triangle_count() == 0 ||
            (object.hidden_from & kScatteredRays) != 0) {
            own.clear();
        }
    }
    return emissions;
}

EmissiveMeshes find_emissive_meshes(const Scene& scene, std::span<const SlotEmissions> emissions,
                                    std::uint32_t first_light) {
    EmissiveMeshes found;
    found.first_of_instance.assign(scene.objects.size(), InstanceRow::kDark);
    for (std::size_t k = 0; k < std::min(emissions.size(), scene.objects.size()); ++k) {
        if (emissions[k].empty()) {
            continue;
        }
        const std::size_t first = found.light_of_triangle.size();
        found.first_of_instance[k] = static_cast<std::uint32_t>(first);
        found.light_of_triangle.resize(first + scene.objects[k].mesh->triangle_count(),
                                       InstanceRow::kDark);
        for (EmissivePart& part : parts_of(scene.objects[k], emissions[k])) {
            if (!emissions[k][part.slot]) {
                continue;
            }
            part.instance = static_cast<std::uint32_t>(k);
            part.first_light = first_light + found.light_count;
            for (const std::uint32_t primitive : part.primitives) {
                found.light_of_triangle[first + primitive] = first_light + found.light_count++;
            }
            found.parts.push_back(std::move(part));
        }
    }
    return found;
}

EmissiveLights emissive_lights(const EmissiveMeshes& emissive, const GeometryTable& table) {
    EmissiveLights lights;
    for (const EmissivePart& part : emissive.parts) {
        const bool both_sides = part.emission.both_sides;
        const auto bounds = triangle_bounds(part.corners, both_sides, part.is_mirrored);
        const std::uint32_t first = table.first_triangle[table.mesh_of_instance[part.instance]];
        std::vector<std::uint32_t> triangles(part.primitives);
        for (std::uint32_t& triangle : triangles) {
            triangle += first;
        }
        std::ranges::copy(triangle_rows({.instance = part.instance,
                                         .triangles = triangles,
                                         .areas = part.areas,
                                         .radiance = part.emission.radiance,
                                         .both_sides = both_sides,
                                         .varies = part.emission.varies,
                                         .bounds = bounds}),
                          std::back_inserter(lights.rows));
        if (!part.emission.varies) {
            continue;
        }
        for (std::size_t k = 0; k < part.primitives.size(); ++k) {
            lights.textured.push_back(part.first_light + static_cast<std::uint32_t>(k));
            lights.places.push_back({part.primitives[k], part.instance});
        }
    }
    return lights;
}

std::vector<std::uint32_t> materials_of_lights(const Scene& scene, const EmissiveMeshes& emissive) {
    std::unordered_map<const Material*, std::uint32_t> numbers;
    for (const MaterialRef& material : materials_of(scene)) {
        numbers.emplace(material.get(), static_cast<std::uint32_t>(numbers.size()));
    }
    std::vector<std::uint32_t> materials;
    for (const EmissivePart& part : emissive.parts) {
        const MaterialRef& own = scene.objects[part.instance].materials[part.slot];
        materials.insert(materials.end(), part.primitives.size(), numbers.at(own.get()));
    }
    return materials;
}

std::vector<std::uint32_t> lights_of_triangles(const GeometryTable& table,
                                               const EmissiveMeshes& emissive) {
    if (!table.has_baked_transforms) {
        std::vector<std::uint32_t> lights = emissive.light_of_triangle;
        lights.push_back(InstanceRow::kDark);
        return lights;
    }
    std::vector<std::uint32_t> lights(std::size_t{table.triangle_count} + 1, InstanceRow::kDark);
    for (std::size_t k = 0; k < emissive.first_of_instance.size(); ++k) {
        const std::uint32_t first = emissive.first_of_instance[k];
        if (first == InstanceRow::kDark) {
            continue;
        }
        const std::uint32_t mesh = table.mesh_of_instance[k];
        const auto count = static_cast<std::ptrdiff_t>(table.meshes[mesh]->triangle_count());
        std::copy_n(emissive.light_of_triangle.begin() + first, count,
                    lights.begin() + table.first_triangle[mesh]);
    }
    return lights;
}

} // namespace weft::scene
