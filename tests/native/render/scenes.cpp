// SPDX-License-Identifier: Apache-2.0
#include "scenes.hpp"

#include "core/text.hpp"
#include "render/tracer.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::render::testing {

namespace {

using Vector = std::array<double, 3>;

constexpr double kPi = std::numbers::pi;

Vector operator-(const Vector& a, const Vector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

double length(const Vector& a) {
    return std::sqrt(dot(a, a));
}

Vector transformed(const scene::Transform& m, const std::array<float, 3>& p) {
    Vector out;
    for (std::size_t row = 0; row < 3; ++row) {
        out[row] = double{m[row * 4]} * p[0] + double{m[row * 4 + 1]} * p[1] +
                   double{m[row * 4 + 2]} * p[2] + m[row * 4 + 3];
    }
    return out;
}

std::array<float, 3> vertex(const scene::MeshView& mesh, std::uint32_t triangle,
                            std::size_t corner) {
    const float* const at =
        &mesh.positions[std::size_t{3} * mesh.triangles[std::size_t{3} * triangle + corner]];
    return {at[0], at[1], at[2]};
}

/// In [-1, 1], the same with every standard library.
class Random {
public:
    explicit Random(std::uint32_t seed) : m_engine(seed) {}
    float operator()() {
        return static_cast<float>(m_engine() >> 8U) / static_cast<float>(1U << 23U) - 1.0F;
    }
    std::array<float, 3> in_cube() { return {(*this)(), (*this)(), (*this)()}; }

private:
    std::mt19937 m_engine;
};

} // namespace

Mesh make_sphere(std::size_t triangle_count, float bumps) {
    Mesh mesh;
    const auto rows = static_cast<std::uint32_t>(
        std::max(3.0, std::sqrt(static_cast<double>(triangle_count) / 4)));
    const std::uint32_t columns = 2 * rows;
    const auto add = [&](double polar, double azimuth) {
        const double radius = 1 + bumps * std::sin(20 * polar) * std::sin(15 * azimuth);
        mesh.add_vertex(static_cast<float>(radius * std::sin(polar) * std::cos(azimuth)),
                        static_cast<float>(radius * std::sin(polar) * std::sin(azimuth)),
                        static_cast<float>(radius * std::cos(polar)));
    };
    add(0, 0);
    for (std::uint32_t row = 1; row < rows; ++row) {
        for (std::uint32_t column = 0; column < columns; ++column) {
            add(kPi * row / rows, 2 * kPi * column / columns);
        }
    }
    add(kPi, 0);
    const std::uint32_t last = (rows - 1) * columns + 1;
    for (std::uint32_t column = 0; column < columns; ++column) {
        const std::uint32_t next = (column + 1) % columns;
        mesh.triangles.insert(mesh.triangles.end(), {0, 1 + column, 1 + next});
        for (std::uint32_t row = 0; row + 2 < rows; ++row) {
            const std::uint32_t a = 1 + row * columns;
            const std::uint32_t b = a + columns;
            mesh.triangles.insert(mesh.triangles.end(), {a + column, b + column, a + next, a + next,
                                                         b + column, b + next});
        }
        const std::uint32_t a = last - columns;
        mesh.triangles.insert(mesh.triangles.end(), {a + column, last, a + next});
    }
    return mesh;
}

Mesh make_cube() {
    Mesh mesh;
    for (int i = 0; i < 8; ++i) {
        mesh.add_vertex((i & 1) != 0 ? 1.0F : -1.0F, (i & 2) != 0 ? 1.0F : -1.0F,
                        (i & 4) != 0 ? 1.0F : -1.0F);
    }
    mesh.triangles = {0, 1, 2, 1, 3, 2, 4, 6, 5, 5, 6, 7, 0, 4, 1, 1, 4, 5,
                      2, 3, 6, 3, 7, 6, 0, 2, 4, 2, 6, 4, 1, 5, 3, 3, 5, 7};
    return mesh;
}

Mesh make_soup(Soup kind, std::size_t triangle_count, float size, std::uint32_t seed) {
    Mesh mesh;
    Random random(seed);
    for (std::size_t i = 0; i < triangle_count; ++i) {
        const std::array<float, 3> centre = random.in_cube();
        const std::array<float, 3> along = random.in_cube();
        const bool is_flat = kind == Soup::degenerate && i % 2 == 0;
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const std::array<float, 3> off = random.in_cube();
            const float thickness = kind == Soup::slivers ? 0.003F : is_flat ? 0.0F : 0.3F;
            const float at = (static_cast<float>(corner) - 1.0F) *
                             (kind == Soup::slivers || i % 4 == 0 ? 0.5F : 0.0F);
            const auto place = [&](std::size_t axis) {
                return size * (centre[axis] + at * along[axis] + thickness * off[axis]);
            };
            const bool is_in_plane = kind == Soup::coplanar;
            mesh.add_vertex(place(0), place(1), is_in_plane ? 0.25F * size : place(2));
            mesh.triangles.push_back(static_cast<std::uint32_t>(3 * i + corner));
        }
    }
    return mesh;
}

scene::Transform make_transform(std::array<float, 3> scale, float angle,
                                std::array<float, 3> translation) {
    const float c = std::cos(angle);
    const float s = std::sin(angle);
    return {c * scale[0],
            -s * scale[1],
            0,
            translation[0], //
            s * scale[0],
            c * scale[1],
            0,
            translation[1], //
            0,
            0,
            scale[2],
            translation[2]};
}

std::vector<TestRay> make_rays(std::size_t count, float size, std::uint32_t seed) {
    Random random(seed);
    std::vector<TestRay> rays(count);
    for (TestRay& ray : rays) {
        const std::array<float, 3> from = random.in_cube();
        const std::array<float, 3> to = random.in_cube();
        for (std::size_t axis = 0; axis < 3; ++axis) {
            ray.origin[axis] = 2 * size * from[axis];
            ray.direction[axis] = to[axis] - 2 * from[axis];
        }
        ray.t_max = 1e3F * size;
    }
    return rays;
}

Verdict judge(const scene::Geometry& geometry, std::uint32_t instance, std::uint32_t triangle,
              const TestRay& ray) {
    const scene::Instance& placed = geometry.instances[instance];
    const scene::MeshView& mesh = geometry.meshes[placed.mesh];
    const Vector origin{ray.origin[0], ray.origin[1], ray.origin[2]};
    const Vector direction{ray.direction[0], ray.direction[1], ray.direction[2]};
    std::array<Vector, 3> corners;
    double reach = length(origin);
    for (std::size_t i = 0; i < 3; ++i) {
        corners[i] = transformed(placed.object_to_world, vertex(mesh, triangle, i));
        reach = std::max(reach, length(corners[i]));
    }
    const Vector edge1 = corners[1] - corners[0];
    const Vector edge2 = corners[2] - corners[0];
    const Vector from = origin - corners[0];
    const Vector p = cross(direction, edge2);
    const Vector q = cross(from, edge1);
    const double determinant = dot(edge1, p);
    // Edge functions are sums of products of two distances from the ray's origin, so they err by this.
    const double slack = 1e-5 * reach * reach * length(direction);
    if (!(std::abs(determinant) > slack)) {
        return {}; // seen from the edge, or without area
    }
    const double u = dot(from, p) / determinant;
    const double v = dot(direction, q) / determinant;
    const double least = std::min({u, v, 1 - u - v});
    const double error = slack / std::abs(determinant);
    Verdict verdict;
    verdict.t = dot(edge2, q) / determinant;
    verdict.t_error = (3e-5 + error) * reach / length(direction);
    const bool is_between =
        verdict.t > ray.t_min + verdict.t_error && verdict.t < ray.t_max - verdict.t_error;
    const bool is_outside =
        verdict.t < ray.t_min - verdict.t_error || verdict.t > ray.t_max + verdict.t_error;
    verdict.is_sure_hit = least > error && is_between;
    verdict.is_sure_miss = least < -error || is_outside;
    return verdict;
}

std::string find_fault(const scene::Geometry& geometry, const TestRay& ray, const TestHit& hit) {
    const bool is_miss = hit.instance == kNoInstance;
    if (!is_miss) {
        if (hit.instance >= geometry.instances.size()) {
            return core::text("instance ", hit.instance);
        }
        const Verdict own = judge(geometry, hit.instance, hit.primitive, ray);
        if (own.is_sure_miss) {
            return core::text("passes beside triangle ", hit.primitive);
        }
        if (own.is_sure_hit && std::abs(own.t - hit.t) > own.t_error) {
            return core::text("t ", hit.t, " of triangle ", hit.primitive, ", should be ", own.t);
        }
    }
    for (std::uint32_t i = 0; i < geometry.instances.size(); ++i) {
        const scene::MeshView& mesh = geometry.meshes[geometry.instances[i].mesh];
        for (std::uint32_t triangle = 0; triangle < mesh.triangles.size() / 3; ++triangle) {
            const Verdict other = judge(geometry, i, triangle, ray);
            if (other.is_sure_hit && (is_miss || other.t < hit.t - 2 * other.t_error)) {
                return core::text("misses triangle ", triangle, " of instance ", i, " at ",
                                  other.t);
            }
        }
    }
    return {};
}

} // namespace weft::render::testing
