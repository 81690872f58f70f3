// SPDX-License-Identifier: Apache-2.0
// Meshes, rays and an independent answer in double precision, for the tests and the bench of tracers.
#pragma once

#include "scene/geometry.hpp"

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace weft::render::testing {

struct Mesh {
    std::vector<float> positions;
    std::vector<std::uint32_t> triangles;

    operator scene::MeshView() const { return {positions, triangles}; }
    std::size_t triangle_count() const { return triangles.size() / 3; }
    void add_vertex(float x, float y, float z) { positions.insert(positions.end(), {x, y, z}); }
};

struct TestRay {
    std::array<float, 3> origin;
    float t_min = 0;
    std::array<float, 3> direction;
    float t_max = 1e30F;
};

struct TestHit {
    float t = 0;
    float u = 0;
    float v = 0;
    std::uint32_t primitive = 0;
    std::uint32_t instance = 0;
};

/// A closed sphere of radius 1 with bumps of this height; about `triangle_count` triangles.
Mesh make_sphere(std::size_t triangle_count, float bumps = 0);
/// A closed cube from -1 to 1: 12 triangles.
Mesh make_cube();

enum class Soup { plain, slivers, degenerate, coplanar };
/// Loose triangles within about `size` of the origin.
Mesh make_soup(Soup kind, std::size_t triangle_count, float size, std::uint32_t seed);
/// A rotation, after a scale by axis that may be negative, before a translation.
scene::Transform make_transform(std::array<float, 3> scale, float angle,
                                std::array<float, 3> translation);
/// Rays from around a ball of radius `size` to points in it.
std::vector<TestRay> make_rays(std::size_t count, float size, std::uint32_t seed);

/// What double precision says of one ray and one triangle of an instance.
struct Verdict {
    bool is_sure_hit = false;  ///< the ray passes through it by more than floats can err
    bool is_sure_miss = false; ///< it passes beside it by more than floats can err
    double t = 0;
    double t_error = 0; ///< by which floats may err
};
Verdict judge(const scene::Geometry& geometry, std::uint32_t instance, std::uint32_t triangle,
              const TestRay& ray);

/// "" if `hit` can be the first triangle along `ray`, else what is wrong with it. Looks at every triangle.
std::string find_fault(const scene::Geometry& geometry, const TestRay& ray, const TestHit& hit);

} // namespace weft::render::testing
