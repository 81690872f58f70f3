// SPDX-License-Identifier: Apache-2.0
#include "scene/corners.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "core/thread_pool.hpp"
#include "scene/vector3.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace weft::scene {

using core::ArgumentError;
using core::text;

namespace {

using Float3 = std::array<float, 3>;

constexpr std::size_t kGrain = std::size_t{1} << 14U; ///< triangles that a thread takes at once

Float3 at(std::span<const float> values, std::size_t row) {
    return {values[3 * row], values[3 * row + 1], values[3 * row + 2]};
}

void put(std::span<float> out, std::size_t row, const Float3& value) {
    std::ranges::copy(value, out.begin() + static_cast<std::ptrdiff_t>(3 * row));
}

/// Length 1, or as it is if it has none.
Float3 unit(const Float3& v) {
    const float length = std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    const float divisor = length > 0 ? length : 1.0F;
    return {v[0] / divisor, v[1] / divisor, v[2] / divisor};
}

Float3 face_normal(const Float3& a, const Float3& b, const Float3& c) {
    const Float3 p{b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    const Float3 q{c[0] - a[0], c[1] - a[1], c[2] - a[2]};
    return {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
}

/// 3x3 part, row-major.
using Matrix = std::array<double, 9>;

Matrix linear_part(const Affine& m) {
    return {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]};
}

/// Turns normals as the transform turns surfaces.
Matrix inverse_transpose(const Affine& transform) {
    const Matrix m = linear_part(transform);
    const double whole = determinant(transform);
    Matrix out{};
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t column = 0; column < 3; ++column) {
            const std::size_t r1 = (row + 1) % 3;
            const std::size_t r2 = (row + 2) % 3;
            const std::size_t c1 = (column + 1) % 3;
            const std::size_t c2 = (column + 2) % 3;
            const double cofactor =
                m[3 * r1 + c1] * m[3 * r2 + c2] - m[3 * r1 + c2] * m[3 * r2 + c1];
            out[3 * row + column] = cofactor / whole;
        }
    }
    return out;
}

/// The direction of a matrix times a vector; 0 if it has none.
Float3 transformed(const Matrix& m, const Float3& v) {
    const double x = v[0];
    const double y = v[1];
    const double z = v[2];
    const Double3 w{x * m[0] + y * m[1] + z * m[2], x * m[3] + y * m[4] + z * m[5],
                    x * m[6] + y * m[7] + z * m[8]};
    const double length = std::sqrt(dot(w, w));
    const double factor = 1 / (length > 0 ? length : 1.0);
    return {static_cast<float>(w[0] * factor), static_cast<float>(w[1] * factor),
            static_cast<float>(w[2] * factor)};
}

void require_size(const Mesh& mesh, std::size_t found, std::size_t wanted) {
    if (found != wanted) {
        throw ArgumentError(text("Mesh '", mesh.name, "': there is room for ", found,
                                 " numbers of its corners, give it ", wanted));
    }
}

std::vector<float> transformed_vertices(const Mesh& mesh, const Affine& m, core::ThreadPool* pool) {
    const std::span<const float> own = mesh.positions.values;
    std::vector<float> out(own.size());
    core::run_ranges(pool, mesh.vertex_count(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const double x = own[3 * k];
            const double y = own[3 * k + 1];
            const double z = own[3 * k + 2];
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const double* const row = m.data() + 4 * axis;
                out[3 * k + axis] =
                    static_cast<float>(x * row[0] + y * row[1] + z * row[2] + row[3]);
            }
        }
    });
    return out;
}

} // namespace

void write_positions(const Mesh& mesh, const Affine* transform, std::span<float> out,
                     core::ThreadPool* pool) {
    require_size(mesh, out.size(), 9 * mesh.triangle_count());
    std::vector<float> moved;
    std::span<const float> vertices = mesh.positions.values;
    if (transform != nullptr) {
        moved = transformed_vertices(mesh, *transform, pool);
        vertices = moved;
    }
    core::run_ranges(pool, mesh.triangle_count(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            for (std::size_t corner = 0; corner < 3; ++corner) {
                put(out, 3 * k + corner, at(vertices, require_vertex(mesh, k, corner)));
            }
        }
    });
}

void write_normals(const Mesh& mesh, const Affine* transform, std::span<float> out,
                   core::ThreadPool* pool) {
    require_size(mesh, out.size(), 9 * mesh.triangle_count());
    const Matrix turn = transform == nullptr ? Matrix{} : inverse_transpose(*transform);
    const auto finish = [&](const Float3& normal) {
        const Float3 own = unit(normal);
        return transform == nullptr ? own : transformed(turn, own);
    };
    const std::span<const float> vertices = mesh.positions.values;
    const auto flat = [&](std::size_t k) {
        return finish(face_normal(at(vertices, require_vertex(mesh, k, 0)),
                                  at(vertices, require_vertex(mesh, k, 1)),
                                  at(vertices, require_vertex(mesh, k, 2))));
    };
    core::run_ranges(pool, mesh.triangle_count(), kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const Float3 face = mesh.normals ? Float3{} : flat(k);
            for (std::size_t corner = 3 * k; corner < 3 * k + 3; ++corner) {
                put(out, corner, mesh.normals ? finish(at(mesh.normals->values, corner)) : face);
            }
        }
    });
}

void write_slots(const Mesh& mesh, std::span<const std::uint32_t> materials,
                 std::span<std::uint32_t> out) {
    require_size(mesh, out.size(), mesh.triangle_count());
    for (std::size_t k = 0; k < out.size(); ++k) {
        const std::uint32_t slot = mesh.slot(k);
        if (materials.empty()) {
            out[k] = slot;
            continue;
        }
        if (slot >= materials.size()) {
            throw ArgumentError(text("Mesh '", mesh.name, "': triangle ", k, " is in slot ", slot,
                                     ", its object has ", materials.size(), " materials"));
        }
        out[k] = materials[slot];
    }
}

void transform_tangents(std::span<const float> own, const Affine& transform, std::span<float> out,
                        core::ThreadPool* pool) {
    const Matrix turn = linear_part(transform);
    const std::size_t count = std::min(own.size(), out.size()) / 4;
    core::run_ranges(pool, count, 3 * kGrain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = 4 * begin; k < 4 * end; k += 4) {
            const Float3 tangent = transformed(turn, {own[k], own[k + 1], own[k + 2]});
            std::ranges::copy(tangent, out.begin() + static_cast<std::ptrdiff_t>(k));
            out[k + 3] = own[k + 3];
        }
    });
}

} // namespace weft::scene
