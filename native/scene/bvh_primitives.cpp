// SPDX-License-Identifier: Apache-2.0
#include "scene/bvh_primitives.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace weft::scene {

namespace {

using Point = std::array<float, 3>;

Point vertex_of(const MeshView& mesh, std::size_t triangle, std::size_t corner) {
    const float* const at =
        mesh.positions.data() + std::size_t{3} * mesh.triangles[3 * triangle + corner];
    return {at[0], at[1], at[2]};
}

BvhPrimitive primitive_of(const MeshView& mesh, std::size_t triangle) {
    const Point a = vertex_of(mesh, triangle, 0);
    const Point b = vertex_of(mesh, triangle, 1);
    const Point c = vertex_of(mesh, triangle, 2);
    BvhPrimitive primitive{};
    primitive.id = static_cast<std::uint32_t>(triangle);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        primitive.lowest[axis] = std::min({a[axis], b[axis], c[axis]});
        primitive.highest[axis] = std::max({a[axis], b[axis], c[axis]});
    }
    return primitive;
}

float clamp_to_float(double value) {
    constexpr double kMaxFloat = std::numeric_limits<float>::max();
    return static_cast<float>(std::clamp(value, -kMaxFloat, kMaxFloat));
}

/// The box of an instance in the world, larger by what rounding can move a ray on its way into object space.
BvhPrimitive primitive_of(const Instance& instance, const BvhMesh& mesh, std::uint32_t id) {
    constexpr double kSlack = 1.0 / (1U << 20U);
    BvhPrimitive primitive{};
    primitive.id = id;
    for (std::size_t row = 0; row < 3; ++row) {
        double low = instance.object_to_world[row * 4 + 3];
        double high = low;
        double size = std::abs(low);
        for (std::size_t column = 0; column < 3; ++column) {
            const double m = instance.object_to_world[row * 4 + column];
            const double a = m * mesh.lowest[column];
            const double b = m * mesh.highest[column];
            low += std::min(a, b);
            high += std::max(a, b);
            size += std::max(std::abs(a), std::abs(b));
        }
        primitive.lowest[row] = clamp_to_float(low - kSlack * size);
        primitive.highest[row] = clamp_to_float(high + kSlack * size);
    }
    return primitive;
}

} // namespace

Primitives list_triangles(const MeshView& mesh, core::ThreadPool& pool) {
    Primitives out;
    out.list.resize(mesh.triangles.size() / 3);
    std::vector<Bounds> parts(chunk_count(out.list.size()));
    core::run_ranges(&pool, out.list.size(), kChunk,
                     [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                         for (std::size_t i = begin; i < end; ++i) {
                             out.list[i] = primitive_of(mesh, i);
                             parts[chunk].include(out.list[i]);
                         }
                     });
    for (const Bounds& part : parts) {
        out.bounds.include(part);
    }
    return out;
}

bool has_finite_vertices(const MeshView& mesh, core::ThreadPool& pool) {
    std::vector<std::uint32_t> largest(chunk_count(mesh.positions.size()));
    core::run_ranges(&pool, mesh.positions.size(), kChunk,
                     [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                         std::uint32_t most = 0;
                         for (const float value : mesh.positions.subspan(begin, end - begin)) {
                             most = std::max(most, std::bit_cast<std::uint32_t>(value) << 1U);
                         }
                         largest[chunk] = most;
                     });
    return std::ranges::all_of(largest, [](std::uint32_t most) {
        return std::isfinite(std::bit_cast<float>(most >> 1U));
    });
}

BvhMesh bound_vertices(const MeshView& mesh, core::ThreadPool& pool) {
    const std::size_t count = mesh.positions.size() / 3;
    std::vector<Box> parts(chunk_count(count));
    core::run_ranges(
        &pool, count, kChunk, [&](std::size_t begin, std::size_t end, std::size_t chunk) {
            std::array<float, 4> point{};
            for (std::size_t i = begin; i < end; ++i) {
                std::copy_n(mesh.positions.begin() + static_cast<std::ptrdiff_t>(3 * i), 3,
                            point.begin());
                parts[chunk].include(Lanes::load(point.data()), Lanes::load(point.data()));
            }
        });
    Box box;
    for (const Box& part : parts) {
        box.include(part);
    }
    BvhMesh out{.root = 0, .is_empty = mesh.triangles.empty()};
    std::copy_n(box.lowest.array().begin(), 3, out.lowest.begin());
    std::copy_n(box.highest.array().begin(), 3, out.highest.begin());
    return out;
}

Primitives list_instances(std::span<const Instance> instances, std::span<const BvhMesh> meshes) {
    require_valid_instances(instances, meshes.size());
    Primitives out;
    out.list.reserve(instances.size());
    for (std::size_t i = 0; i < instances.size(); ++i) {
        const BvhMesh& mesh = meshes[instances[i].mesh];
        if (!mesh.is_empty) {
            out.list.push_back(primitive_of(instances[i], mesh, static_cast<std::uint32_t>(i)));
            out.bounds.include(out.list.back());
        }
    }
    return out;
}

BvhTriangle make_triangle(const MeshView& mesh, std::uint32_t triangle) {
    return {.vertex0 = vertex_of(mesh, triangle, 0),
            .primitive = triangle,
            .vertex1 = vertex_of(mesh, triangle, 1),
            .is_last = 0,
            .vertex2 = vertex_of(mesh, triangle, 2),
            .unused = 0};
}

BvhInstance make_instance(std::span<const Instance> instances, std::span<const BvhMesh> meshes,
                          std::uint32_t index) {
    const Instance& instance = instances[index];
    return {.world_to_object = require_inverse(instance.object_to_world, index),
            .root = meshes[instance.mesh].root,
            .instance = index,
            .unused = {}};
}

BvhMesh make_mesh(std::uint32_t root, const Primitives& triangles) {
    BvhMesh mesh{.root = root, .is_empty = triangles.list.empty()};
    std::copy_n(triangles.bounds.box.lowest.array().begin(), 3, mesh.lowest.begin());
    std::copy_n(triangles.bounds.box.highest.array().begin(), 3, mesh.highest.begin());
    return mesh;
}

} // namespace weft::scene
