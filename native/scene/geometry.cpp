// SPDX-License-Identifier: Apache-2.0
#include "scene/geometry.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace weft::scene {

using core::ArgumentError;
using core::text;

namespace {

using Matrix = std::array<double, 12>;

constexpr double kMinVolume = 1e-6;

bool is_finite(float value) {
    return std::isfinite(value);
}

double column_length(const Matrix& m, std::size_t column) {
    return std::hypot(m[column], m[column + 4], m[column + 8]);
}

/// The inverse of the 3x3 part, times its determinant.
double adjugate(const Matrix& m, std::size_t row, std::size_t column) {
    const std::size_t r1 = (column + 1) % 3 * 4;
    const std::size_t r2 = (column + 2) % 3 * 4;
    const std::size_t c1 = (row + 1) % 3;
    const std::size_t c2 = (row + 2) % 3;
    return m[r1 + c1] * m[r2 + c2] - m[r1 + c2] * m[r2 + c1];
}

void require_lengths(const MeshView& mesh, std::size_t index) {
    if (mesh.positions.size() % 3 != 0) {
        throw ArgumentError(text("geometry: mesh ", index, " has ", mesh.positions.size(),
                                 " coordinates; give it 3 a vertex"));
    }
    if (mesh.triangles.size() % 3 != 0) {
        throw ArgumentError(text("geometry: mesh ", index, " has ", mesh.triangles.size(),
                                 " indices of vertices; give it 3 a triangle"));
    }
}

void require_vertices_of_triangles(const MeshView& mesh, std::size_t index) {
    const std::size_t vertex_count = mesh.positions.size() / 3;
    // A maximum is found several at a time, the first of something is not.
    std::uint32_t last = 0;
    for (const std::uint32_t vertex : mesh.triangles) {
        last = std::max(last, vertex);
    }
    if (mesh.triangles.empty() || last < vertex_count) {
        return;
    }
    const auto bad = std::ranges::find_if(
        mesh.triangles, [&](std::uint32_t vertex) { return vertex >= vertex_count; });
    if (bad == mesh.triangles.end()) {
        return;
    }
    const auto at = static_cast<std::size_t>(bad - mesh.triangles.begin());
    throw ArgumentError(text("geometry: mesh ", index, ": triangle ", at / 3, " uses vertex ", *bad,
                             " of ", vertex_count, "; indices count from 0"));
}

} // namespace

void require_finite_vertices(const MeshView& mesh, std::size_t index) {
    std::uint32_t largest = 0;
    for (const float value : mesh.positions) {
        largest = std::max(largest, std::bit_cast<std::uint32_t>(value) << 1U);
    }
    if (is_finite(std::bit_cast<float>(largest >> 1U))) {
        return;
    }
    const auto bad = std::ranges::find_if_not(mesh.positions, is_finite);
    const auto at = static_cast<std::size_t>(bad - mesh.positions.begin());
    throw ArgumentError(text("geometry: mesh ", index, ": the ", "xyz"[at % 3],
                             " coordinate of vertex ", at / 3, " is ", *bad,
                             "; vertices must be finite"));
}

Transform require_inverse(const Transform& object_to_world, std::size_t index) {
    Matrix m{};
    std::ranges::copy(object_to_world, m.begin());
    const double volume = column_length(m, 0) * column_length(m, 1) * column_length(m, 2);
    const double determinant =
        m[0] * adjugate(m, 0, 0) + m[1] * adjugate(m, 1, 0) + m[2] * adjugate(m, 2, 0);
    Transform inverse{};
    for (std::size_t row = 0; row < 3; ++row) {
        double moved = 0;
        for (std::size_t column = 0; column < 3; ++column) {
            const double entry = adjugate(m, row, column) / determinant;
            inverse[row * 4 + column] = static_cast<float>(entry);
            moved += entry * m[column * 4 + 3];
        }
        inverse[row * 4 + 3] = static_cast<float>(-moved);
    }
    // Written so that NaN is refused.
    const bool is_solid = std::abs(determinant) > kMinVolume * volume;
    if (!is_solid || !std::ranges::all_of(object_to_world, is_finite) ||
        !std::ranges::all_of(inverse, is_finite)) {
        throw ArgumentError(
            text("geometry: the object_to_world of instance ", index,
                 " has no inverse; scale no axis to nothing and use finite numbers"));
    }
    return inverse;
}

void require_valid_instances(std::span<const Instance> instances, std::size_t mesh_count) {
    if (instances.size() > kMaxInstances) {
        throw ArgumentError(text("geometry: ", instances.size(), " instances; at most ",
                                 kMaxInstances, " are possible"));
    }
    for (std::size_t i = 0; i < instances.size(); ++i) {
        if (instances[i].mesh >= mesh_count) {
            throw ArgumentError(text("geometry: instance ", i, " shows mesh ", instances[i].mesh,
                                     " of ", mesh_count, "; meshes count from 0"));
        }
        static_cast<void>(require_inverse(instances[i].object_to_world, i));
    }
}

void require_valid(const Geometry& geometry) {
    std::uint64_t triangle_count = 0;
    for (std::size_t i = 0; i < geometry.meshes.size(); ++i) {
        require_lengths(geometry.meshes[i], i);
        require_finite_vertices(geometry.meshes[i], i);
        require_vertices_of_triangles(geometry.meshes[i], i);
        triangle_count += geometry.meshes[i].triangles.size() / 3;
    }
    if (triangle_count > kMaxTriangles) {
        throw ArgumentError(text("geometry: ", triangle_count, " triangles; at most ",
                                 kMaxTriangles, " are possible"));
    }
    require_valid_instances(geometry.instances, geometry.meshes.size());
}

} // namespace weft::scene
