// SPDX-License-Identifier: Apache-2.0
#include "scene/geometry_table.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

namespace weft::scene {

using core::ArgumentError;
using core::text;

namespace {

Transform to_floats(const Affine& transform) {
    Transform single{};
    std::ranges::transform(transform, single.begin(),
                           [](double entry) { return static_cast<float>(entry); });
    return single;
}

bool is_mirrored(const Transform& transform) {
    Affine exact{};
    std::ranges::copy(transform, exact.begin());
    return !(determinant(exact) > 0);
}

} // namespace

GeometryTable build_geometry_table(const Scene& scene) {
    if (scene.objects.size() > kMaxInstances) {
        throw ArgumentError(text("Scene: ", scene.objects.size(), " objects; at most ",
                                 kMaxInstances, " are possible"));
    }
    for (const Object& object : scene.objects) {
        require_valid(object);
    }
    GeometryTable table{.meshes = meshes_of(scene)};
    std::unordered_map<const Mesh*, std::uint32_t> numbers;
    std::uint64_t count = 0;
    for (const MeshRef& mesh : table.meshes) {
        numbers.emplace(mesh.get(), static_cast<std::uint32_t>(numbers.size()));
        table.first_triangle.push_back(static_cast<std::uint32_t>(count));
        count += mesh->triangle_count();
        if (count > kMaxTriangles) {
            throw ArgumentError(text("Scene: more than ", kMaxTriangles, " triangles; use fewer"));
        }
    }
    table.triangle_count = static_cast<std::uint32_t>(count);
    for (const Object& object : scene.objects) {
        table.mesh_of_instance.push_back(numbers.at(object.mesh.get()));
        table.transforms.push_back(to_floats(object.transform));
    }
    table.has_baked_transforms = table.meshes.size() == scene.objects.size() && !has_media(scene) &&
                                 std::ranges::none_of(table.transforms, is_mirrored);
    return table;
}

Box bounding_box(const Object& object) {
    const Affine& m = object.transform;
    const std::span<const float> positions = object.mesh->positions.values;
    constexpr double kFar = std::numeric_limits<double>::infinity();
    Box box{.lowest = {kFar, kFar, kFar}, .highest = {-kFar, -kFar, -kFar}};
    for (std::size_t at = 0; at + 2 < positions.size(); at += 3) {
        const double x = positions[at];
        const double y = positions[at + 1];
        const double z = positions[at + 2];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const double* const row = m.data() + 4 * axis;
            const double place = x * row[0] + y * row[1] + z * row[2] + row[3];
            box.lowest[axis] = std::min(box.lowest[axis], place);
            box.highest[axis] = std::max(box.highest[axis], place);
        }
    }
    return box;
}

double extent_of(std::span<const Box> boxes) {
    if (boxes.empty()) {
        return 1;
    }
    Box all = boxes.front();
    for (const Box& box : boxes) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            all.lowest[axis] = std::min(all.lowest[axis], box.lowest[axis]);
            all.highest[axis] = std::max(all.highest[axis], box.highest[axis]);
        }
    }
    double square = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double size = all.highest[axis] - all.lowest[axis];
        square += size * size;
    }
    return std::max(std::sqrt(square) / 2, 1e-6);
}

std::vector<InstanceRow> instance_rows(const Scene& scene, const GeometryTable& table,
                                       std::span<const std::uint32_t> first_lights) {
    if (first_lights.size() != scene.objects.size()) {
        throw ArgumentError(text("instance_rows: first_lights must be ", scene.objects.size(),
                                 ", one an object, got ", first_lights.size()));
    }
    std::vector<InstanceRow> rows(std::max<std::size_t>(scene.objects.size(), 1));
    std::uint32_t slots = 0;
    for (std::size_t k = 0; k < scene.objects.size(); ++k) {
        rows[k] = {.first_triangle = table.first_triangle[table.mesh_of_instance[k]],
                   .first_slot = slots,
                   .first_light = first_lights[k],
                   .object = static_cast<std::uint32_t>(k)};
        slots += static_cast<std::uint32_t>(scene.objects[k].materials.size());
    }
    return rows;
}

std::vector<std::uint32_t> materials_of_slots(const Scene& scene) {
    std::unordered_map<const Material*, std::uint32_t> numbers;
    std::vector<std::uint32_t> slots;
    for (const Object& object : scene.objects) {
        for (const MaterialRef& material : object.materials) {
            const auto next = static_cast<std::uint32_t>(numbers.size());
            slots.push_back(numbers.try_emplace(material.get(), next).first->second);
        }
    }
    if (slots.empty()) {
        slots.push_back(0);
    }
    return slots;
}

} // namespace weft::scene
