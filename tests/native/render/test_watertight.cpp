// SPDX-License-Identifier: Apache-2.0
// No ray from inside a closed mesh gets out, not through edges and not through vertices.
#include "fixture.hpp"

using namespace weft;
using namespace weft::render;
using namespace weft::render::testing;

namespace {

/// Rays from `origin` through every vertex, and through points of every edge of a mesh.
std::vector<TestRay> rays_at_seams(const Mesh& mesh, const scene::Transform& m,
                                   std::array<float, 3> origin) {
    std::vector<TestRay> rays;
    const auto add = [&](std::uint32_t a, std::uint32_t b, float weight) {
        std::array<float, 3> at;
        for (std::size_t axis = 0; axis < 3; ++axis) {
            at[axis] = (1 - weight) * mesh.positions[3 * std::size_t{a} + axis] +
                       weight * mesh.positions[3 * std::size_t{b} + axis];
        }
        TestRay& ray = rays.emplace_back();
        ray.origin = origin;
        for (std::size_t row = 0; row < 3; ++row) {
            ray.direction[row] = m[row * 4] * at[0] + m[row * 4 + 1] * at[1] +
                                 m[row * 4 + 2] * at[2] + m[row * 4 + 3] - origin[row];
        }
    };
    for (std::size_t i = 0; i < mesh.triangles.size(); i += 3) {
        for (std::size_t k = 0; k < 3; ++k) {
            add(mesh.triangles[i + k], mesh.triangles[i + (k + 1) % 3], 0);
            add(mesh.triangles[i + k], mesh.triangles[i + (k + 1) % 3], 0.5F);
            add(mesh.triangles[i + k], mesh.triangles[i + (k + 1) % 3], 0.3F);
        }
    }
    return rays;
}

/// What a tracer may leak, of a hundred rays at seams: nothing, but how exact ray queries are is their driver's. Mesa 25.0's
/// software driver leaks 10 of 216 at a cube and 48 of 27,000 at a sphere.
std::size_t allowed_leaks(const TracerDesc& desc) {
    return desc.kind == TracerKind::ray_query ? 5 : 0;
}

/// Leaks of a hundred rays, rounded up.
std::size_t leak_count(const TracerDesc& desc, const Fixture& fixture, const Mesh& mesh,
                       const scene::Transform& transform, std::array<float, 3> origin) {
    const scene::Geometry geometry{.meshes = {mesh}, .instances = {{0, transform}}};
    const auto tracer = create_tracer(fixture.context, geometry, desc);
    const std::vector<TestRay> rays = rays_at_seams(mesh, transform, origin);
    std::size_t leaks = 0;
    for (const TestHit& hit : closest(*tracer, rays)) {
        leaks += hit.instance == kNoInstance ? 1 : 0;
    }
    for (const std::uint32_t is_visible : visible(*tracer, rays)) {
        leaks += is_visible;
    }
    return (100 * leaks + 2 * rays.size() - 1) / (2 * rays.size());
}

} // namespace

TEST_CASE("closed meshes have no leaks at edges and vertices") {
    const auto scale = GENERATE(1.0F, 1e-5F, 1e5F);
    Fixture fixture;
    const Mesh sphere = make_sphere(1500, 0.05F);
    const Mesh cube = make_cube();
    const auto turned = make_transform({scale, 0.7F * scale, 1.3F * scale}, 0.7F,
                                       {0.1F * scale, -0.2F * scale, 0.3F * scale});
    const std::array<float, 3> inside{0.15F * scale, -0.1F * scale, 0.35F * scale};

    for (const TracerDesc& desc : fixture.tracers()) {
        INFO("tracer " << to_string(desc.kind) << ", trees of " << to_string(desc.builder)
                       << ", scale " << scale);
        CHECK(leak_count(desc, fixture, sphere, turned, inside) <= allowed_leaks(desc));
        CHECK(leak_count(desc, fixture, cube, turned, inside) <= allowed_leaks(desc));
        CHECK(leak_count(desc, fixture, sphere, scene::kIdentity, {0, 0, 0}) <=
              allowed_leaks(desc));
        CHECK(leak_count(desc, fixture, cube, scene::kIdentity, {0, 0, 0}) <= allowed_leaks(desc));
    }
}
