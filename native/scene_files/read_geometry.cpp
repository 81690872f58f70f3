// SPDX-License-Identifier: Apache-2.0
// Meshes, objects and cameras of files.
#include "core/error.hpp"
#include "core/text.hpp"
#include "scene_files/fields.hpp"

#include <cmath>

namespace weft::scene_files {

using core::ArgumentError;
using core::text;

namespace {

scene::MeshArray<float> rows(Fields& fields, std::string_view name) {
    const NumberArray array = fields.require_numbers(name);
    if (!array.has_shape({0, 3}) && array.size() != 0) {
        throw ArgumentError(
            text(fields.owner(), ": ", name, " must have shape (n, 3), got ", array.shape_text()));
    }
    return converted<float>(array);
}

scene::MeshArray<std::uint32_t> triangles_of(Fields& fields, std::size_t vertices) {
    const NumberArray array = fields.require_numbers("triangles");
    std::size_t bad = 0;
    scene::MeshArray<std::uint32_t> triangles = indices(array, bad);
    if (array.size() % 3 != 0) {
        throw ArgumentError(
            text(fields.owner(), ": triangles must have shape (n, 3), got ", array.shape_text()));
    }
    if (bad < array.size()) {
        throw ArgumentError(text(fields.owner(), ": triangle ", bad / 3,
                                 " names vertices that are no numbers of vertices, the mesh has ",
                                 vertices));
    }
    return triangles;
}

/// What corners are made of.
struct Corners {
    std::span<const std::uint32_t> vertices; ///< of each corner
    std::size_t vertex_count = 0;
};

/// Values at corners from values at corners or at vertices.
scene::MeshArray<float> corner_values(const std::string& name, const NumberArray& array,
                                      const Corners& corners, std::size_t width) {
    const std::size_t count = corners.vertices.size() / 3;
    if (array.shape == std::vector<std::uint64_t>{count, 3, width} ||
        array.shape == std::vector<std::uint64_t>{3 * count, width}) {
        return converted<float>(array);
    }
    if (array.shape != std::vector<std::uint64_t>{corners.vertex_count, width}) {
        throw ArgumentError(text(name, " must have shape (", corners.vertex_count, ", ", width,
                                 "), one a vertex, or (", count, ", 3, ", width,
                                 "), one a corner, got ", array.shape_text()));
    }
    const scene::MeshArray<float> values = converted<float>(array);
    std::vector<float> out;
    out.reserve(corners.vertices.size() * width);
    for (const std::uint32_t vertex : corners.vertices) {
        if (vertex >= corners.vertex_count) {
            throw ArgumentError(text(name, ": a triangle names vertex ", vertex, ", the mesh has ",
                                     corners.vertex_count));
        }
        const auto first = values.values.subspan(vertex * width, width);
        out.insert(out.end(), first.begin(), first.end());
    }
    return out;
}

std::vector<scene::AttributeSet> sets(Fields& fields, std::string_view name, std::string_view what,
                                      const Corners& corners, std::size_t width) {
    std::vector<scene::AttributeSet> out;
    for (const auto& [key, json] : fields.map(name)) {
        const std::string owner = text(fields.owner(), ": ", what, " '", key, "'");
        out.push_back({.name = key,
                       .values = corner_values(owner, fields.numbers_of(*json), corners, width)});
    }
    return out;
}

/// Columns of length 1, as numpy makes them.
void normalise_columns(std::array<double, 12>& matrix) {
    constexpr std::size_t kColumns = 4;
    for (std::size_t k = 0; k < 3; ++k) {
        double squares = 0;
        for (std::size_t row = 0; row < 3; ++row) {
            const double entry = matrix.at(kColumns * row + k);
            squares += entry * entry;
        }
        const double length = std::sqrt(squares);
        for (std::size_t row = 0; row < 3; ++row) {
            matrix.at(kColumns * row + k) /= length;
        }
    }
}

} // namespace

scene::MeshRef read_mesh(Fields& fields) {
    scene::Mesh mesh{.name = fields.text("name", "mesh")};
    mesh.positions = rows(fields, "positions");
    mesh.triangles = triangles_of(fields, mesh.vertex_count());
    const Corners corners{mesh.triangles.values, mesh.vertex_count()};
    if (const auto normals = fields.numbers("normals")) {
        mesh.normals = corner_values(text(fields.owner(), ": normals"), *normals, corners, 3);
    }
    mesh.uvs = sets(fields, "uvs", "UV set", corners, 2);
    mesh.colors = sets(fields, "colors", "colour", corners, 3);
    if (const auto slots = fields.numbers("slots")) {
        std::size_t bad = 0;
        mesh.slots = indices(*slots, bad);
        if (bad < slots->size() || !slots->has_shape({0}) ||
            slots->size() != mesh.triangle_count()) {
            throw ArgumentError(text(fields.owner(), ": slots must have shape (",
                                     mesh.triangle_count(), ",), got ", slots->shape_text()));
        }
    }
    return scene::mesh(std::move(mesh));
}

scene::Object read_object(Fields& fields) {
    scene::Object object{.mesh = fields.reference<scene::MeshRef>("mesh", "a mesh"),
                         .transform = fields.transform("transform", &scene::kIdentityTransform),
                         .name = fields.text("name", "object")};
    const Json& materials = fields.require("materials");
    if (!materials.is_array()) {
        throw std::runtime_error(
            text(fields.owner(), ": materials must be a list, got ", shown(materials)));
    }
    for (const Json& entry : materials) {
        object.materials.push_back(fields.reference_of<scene::MaterialRef>(entry, "a material"));
    }
    object.hidden_from =
        scene::ray_kinds(fields.owner(), fields.texts("hidden_from"), scene::kObjectRayKinds);
    object.terminator_offset =
        static_cast<float>(fields.number("shadow_terminator_geometry_offset", 0));
    return scene::object(std::move(object));
}

scene::Camera read_camera(Fields& fields) {
    scene::Camera camera{.width = fields.integer("width", {}),
                         .height = fields.integer("height", {}),
                         .name = fields.text("name", "camera")};
    camera.kind = static_cast<scene::CameraKind>(fields.choice("kind", scene::kCameraKinds));
    camera.fov = fields.number("fov", camera.fov);
    camera.scale = fields.number("scale", camera.scale);
    camera.sensor_fit =
        static_cast<scene::SensorFit>(fields.choice("sensor_fit", scene::kSensorFits));
    if (const auto shift = fields.numbers("shift")) {
        if (!shift->has_shape({2})) {
            throw ArgumentError(text(fields.owner(), ": shift must be two numbers, got shape ",
                                     shift->shape_text()));
        }
        const scene::MeshArray<double> numbers = converted<double>(*shift);
        camera.shift = {numbers.values[0], numbers.values[1]};
    }
    camera.transform = fields.transform("transform", &camera.transform);
    normalise_columns(camera.transform);
    camera.near = fields.number("near", camera.near);
    camera.far = fields.number("far", camera.far);
    camera.aperture = fields.number("aperture", camera.aperture);
    camera.focus = fields.number("focus", camera.focus);
    scene::require_valid(camera);
    return camera;
}

} // namespace weft::scene_files
