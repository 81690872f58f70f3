// SPDX-License-Identifier: Apache-2.0
#include "scene/mesh.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>

namespace weft::scene {

using core::ArgumentError;
using core::text;

namespace {

void require_count(const Mesh& mesh, std::string_view what, std::size_t count, std::size_t wanted) {
    if (count != wanted) {
        throw ArgumentError(text("Mesh '", mesh.name, "': ", what, " must be ", wanted,
                                 " numbers for ", mesh.triangle_count(), " triangles, got ",
                                 count));
    }
}

void require_threes(const Mesh& mesh, std::string_view what, std::size_t count) {
    if (count % 3 != 0) {
        throw ArgumentError(text("Mesh '", mesh.name, "': ", what,
                                 " must be three numbers each, got ", count, " numbers"));
    }
}

void require_sets(const Mesh& mesh, std::string_view what, const std::vector<AttributeSet>& sets,
                  std::size_t corner_size) {
    for (const AttributeSet& set : sets) {
        require_count(mesh, text(what, " '", set.name, "'"), set.values.values.size(),
                      3 * corner_size * mesh.triangle_count());
    }
}

void require_finite(const Mesh& mesh) {
    // A maximum is found several at a time, the first of something is not.
    std::uint32_t largest = 0;
    for (const float value : mesh.positions.values) {
        largest = std::max(largest, std::bit_cast<std::uint32_t>(value) << 1U);
    }
    if (std::isfinite(std::bit_cast<float>(largest >> 1U))) {
        return;
    }
    const auto bad = std::ranges::find_if_not(mesh.positions.values,
                                              [](float value) { return std::isfinite(value); });
    throw ArgumentError(text("Mesh '", mesh.name, "': vertex ",
                             (bad - mesh.positions.values.begin()) / 3,
                             " is not finite; remove or repair it"));
}

[[noreturn]] void refuse_triangle(const Mesh& mesh, std::size_t triangle) {
    const auto corners = mesh.triangles.values.subspan(3 * triangle, 3);
    throw ArgumentError(text("Mesh '", mesh.name, "': triangle ", triangle, " names vertices [",
                             corners[0], ", ", corners[1], ", ", corners[2], "], the mesh has ",
                             mesh.vertex_count()));
}

void require_vertices(const Mesh& mesh) {
    std::uint32_t last = 0;
    for (const std::uint32_t vertex : mesh.triangles.values) {
        last = std::max(last, vertex);
    }
    const std::size_t count = mesh.vertex_count();
    if (mesh.triangles.values.empty() || last < count) {
        return;
    }
    const auto bad = std::ranges::find_if(mesh.triangles.values,
                                          [&](std::uint32_t vertex) { return vertex >= count; });
    const auto at = static_cast<std::size_t>(bad - mesh.triangles.values.begin());
    refuse_triangle(mesh, std::min(at / 3, mesh.triangle_count() - 1));
}

} // namespace

MeshRef mesh(Mesh described) {
    require_threes(described, "positions", described.positions.values.size());
    require_threes(described, "triangles", described.triangles.values.size());
    const std::size_t triangles = described.triangle_count();
    if (described.normals) {
        require_count(described, "normals", described.normals->values.size(), 9 * triangles);
    }
    require_sets(described, "UV set", described.uvs, 2);
    require_sets(described, "colour", described.colors, 3);
    if (described.slots) {
        require_count(described, "slots", described.slots->values.size(), triangles);
    }
    require_vertices(described);
    require_finite(described);
    return std::make_shared<const Mesh>(std::move(described));
}

std::uint32_t require_vertex(const Mesh& mesh, std::size_t triangle, std::size_t corner) {
    const std::uint32_t vertex = mesh.triangles.values[3 * triangle + corner];
    if (vertex >= mesh.vertex_count()) {
        refuse_triangle(mesh, triangle);
    }
    return vertex;
}

} // namespace weft::scene
