// SPDX-License-Identifier: Apache-2.0
// What every tracer promises, on every tracer that this machine has.
#include "fixture.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace weft;
using namespace weft::render;
using namespace weft::render::testing;

namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Calls check(tracer) for all tracers.
template <typename Check>
void for_each_tracer(const scene::Geometry& geometry, const Check& check) {
    Fixture fixture;
    for (const TracerDesc& desc : fixture.tracers()) {
        INFO("tracer " << to_string(desc.kind) << ", trees of " << to_string(desc.builder));
        const auto tracer = create_tracer(fixture.context, geometry, desc);
        REQUIRE(tracer->kind() == desc.kind);
        check(*tracer);
    }
}

scene::Geometry one_instance(const Mesh& mesh) {
    return {.meshes = {mesh}, .instances = {{}}};
}

} // namespace

TEST_CASE("a tracer finds what a search through all triangles finds") {
    const auto [kind, size] = GENERATE(table<Soup, float>({{Soup::plain, 1.0F},
                                                           {Soup::plain, 1e-6F},
                                                           {Soup::plain, 1e6F},
                                                           {Soup::plain, 1e12F},
                                                           {Soup::slivers, 1.0F},
                                                           {Soup::degenerate, 1.0F},
                                                           {Soup::coplanar, 1.0F}}));
    const Mesh soup = make_soup(kind, 400, size, 1);
    const scene::Geometry geometry = one_instance(soup);
    const std::vector<TestRay> rays = make_rays(1000, size, 2);

    for_each_tracer(geometry, [&](Tracer& tracer) {
        const std::vector<TestHit> hits = closest(tracer, rays);

        CHECK(find_faults(geometry, rays, hits).empty());
        CHECK(std::ranges::any_of(hits, [](const TestHit& hit) { return hit.instance == 0; }));
    });
}

TEST_CASE("u and v are the weights of vertices 1 and 2, primitive and t belong to the triangle") {
    Mesh mesh;
    for (const float x : {0.0F, 10.0F}) {
        mesh.add_vertex(x, 0, 5);
        mesh.add_vertex(x + 4, 0, 5);
        mesh.add_vertex(x, 4, 5);
    }
    mesh.triangles = {0, 1, 2, 3, 4, 5};

    for_each_tracer(one_instance(mesh), [](Tracer& tracer) {
        const std::vector<TestRay> rays{{.origin = {11, 2, 1}, .direction = {0, 0, 2}}};
        const TestHit hit = closest(tracer, rays).at(0);

        CHECK(hit.t == Approx(2));
        CHECK(hit.u == Approx(0.25));
        CHECK(hit.v == Approx(0.5));
        CHECK(hit.primitive == 1);
        CHECK(hit.instance == 0);
    });
}

TEST_CASE("a miss has no instance and zeros, and a triangle has two sides") {
    const Mesh cube = make_cube();

    for_each_tracer(one_instance(cube), [](Tracer& tracer) {
        const std::vector<TestRay> rays{{.origin = {5, 0.1F, 0.2F}, .direction = {1, 0, 0}},
                                        {.origin = {5, 0.1F, 0.2F}, .direction = {-1, 0, 0}},
                                        {.origin = {0, 0.1F, 0.2F}, .direction = {-1, 0, 0}}};
        const std::vector<TestHit> hits = closest(tracer, rays);

        CHECK(hits[0].instance == kNoInstance);
        CHECK(hits[0].t == 0);
        CHECK(hits[0].primitive == 0);
        CHECK(hits[1].t == Approx(4));
        CHECK(hits[2].t == Approx(1));
        CHECK(visible(tracer, rays) == std::vector<std::uint32_t>{1, 0, 0});
    });
}

TEST_CASE("a ray ends at t_max and begins after t_min") {
    const Mesh cube = make_cube();

    for_each_tracer(one_instance(cube), [](Tracer& tracer) {
        const auto ray = [](float t_min, float t_max) {
            return TestRay{{-3, 0.1F, 0.2F}, t_min, {1, 0, 0}, t_max};
        };
        const std::vector<TestRay> rays{ray(0, 1.99F), ray(0, 2.01F),  ray(2.01F, 3.99F),
                                        ray(2.01F, 9), ray(-9, 2.01F), ray(4.01F, kInfinity)};
        const std::vector<TestHit> hits = closest(tracer, rays);

        CHECK(visible(tracer, rays) == std::vector<std::uint32_t>{1, 0, 1, 0, 0, 1});
        CHECK(hits[1].t == Approx(2));
        CHECK(hits[3].t == Approx(4));
        CHECK(hits[4].t == Approx(2));
    });
}

TEST_CASE("inactive rays hit nothing") {
    const Mesh cube = make_cube();

    for_each_tracer(one_instance(cube), [](Tracer& tracer) {
        const TestRay good{{-3, 0.1F, 0.2F}, 0, {1, 0, 0}, 10};
        std::vector<TestRay> rays(8, good);
        rays[1].t_max = 0;
        rays[2].t_min = 11;
        rays[3].t_max = kNaN;
        rays[4].direction = {0, 0, 0};
        rays[5].direction[1] = kNaN;
        rays[6].origin[2] = kInfinity;
        rays[7].t_max = -1;
        const std::vector<TestHit> hits = closest(tracer, rays);

        CHECK(hits[0].instance == 0);
        for (std::size_t i = 1; i < rays.size(); ++i) {
            CHECK(hits[i].instance == kNoInstance);
        }
        CHECK(visible(tracer, rays) == std::vector<std::uint32_t>{0, 1, 1, 1, 1, 1, 1, 1});
    });
}

TEST_CASE("scaled, mirrored and turned instances are found where they stand") {
    const Mesh soup = make_soup(Soup::plain, 100, 1, 3);
    const Mesh cube = make_cube();
    scene::Geometry geometry{.meshes = {soup, cube}};
    for (int i = 0; i < 12; ++i) {
        const auto x = static_cast<float>(i);
        geometry.instances.push_back(
            {.mesh = static_cast<std::uint32_t>(i % 2),
             .object_to_world = make_transform({1, i % 3 == 0 ? -0.5F : 0.3F, 0.1F + 0.2F * x}, x,
                                               {x - 6, 0.5F * x - 3, x - 6})});
    }
    const std::vector<TestRay> rays = make_rays(1000, 6, 4);

    for_each_tracer(geometry, [&](Tracer& tracer) {
        CHECK(find_faults(geometry, rays, closest(tracer, rays)).empty());
    });
}

TEST_CASE("instances move without a new tracer") {
    const Mesh soup = make_soup(Soup::plain, 100, 1, 5);
    scene::Geometry geometry = one_instance(soup);
    const std::vector<TestRay> rays = make_rays(500, 2, 6);

    for_each_tracer(geometry, [&](Tracer& tracer) {
        scene::Geometry moved = geometry;
        moved.instances = {{0, make_transform({1, 1, 1}, 1, {1, 0, 0})},
                           {0, make_transform({0.5F, 1, 1}, 2, {-1, 0, 0})}};
        tracer.update_instances(moved.instances);
        CHECK(find_faults(moved, rays, closest(tracer, rays)).empty());

        const std::vector<scene::Instance> wrong{{.mesh = 7}};
        CHECK_THROWS_AS(tracer.update_instances(wrong), core::ArgumentError);
        CHECK(find_faults(moved, rays, closest(tracer, rays)).empty());
    });
}

TEST_CASE("nothing to hit is a miss") {
    const Mesh empty;
    const scene::Geometry nothing;
    const scene::Geometry hollow{.meshes = {empty}, .instances = {{}, {}}};
    const std::vector<TestRay> rays = make_rays(5, 1, 7);

    for (const scene::Geometry& geometry : {nothing, hollow}) {
        for_each_tracer(geometry, [&](Tracer& tracer) {
            for (const TestHit& hit : closest(tracer, rays)) {
                CHECK(hit.instance == kNoInstance);
            }
            CHECK(visible(tracer, rays) == std::vector<std::uint32_t>(5, 1));
        });
    }
}

TEST_CASE("only the first rays of a batch are traced") {
    constexpr std::size_t kWords = std::size_t{kHitRows} * 9;
    const Mesh cube = make_cube();

    for_each_tracer(one_instance(cube), [](Tracer& tracer) {
        const std::vector<TestRay> rays(9, {.origin = {-3, 0, 0.1F}, .direction = {1, 0, 0}});
        RayBatch batch = make_batch(tracer, rays, 9);
        write_words(*batch.hits, std::vector<std::uint32_t>(kWords, 77));
        batch.count = 3;
        tracer.trace_closest(batch);
        const auto closest_words = read_words(*batch.hits, kWords);
        write_words(*batch.hits, std::vector<std::uint32_t>(kWords, 77));
        batch.count = 0;
        tracer.trace_any(batch);
        const auto any_words = read_words(*batch.hits, kWords);

        CHECK(closest_words[4 * 9 + 2] == 0);
        CHECK(closest_words[4 * 9 + 3] == 77);
        CHECK(any_words[0] == 77);
    });
}

TEST_CASE("a batch that does not fit is refused by name") {
    const Mesh cube = make_cube();

    for_each_tracer(one_instance(cube), [](Tracer& tracer) {
        const std::vector<TestRay> rays = make_rays(4, 1, 8);
        const RayBatch good = make_batch(tracer, rays, 4);
        RayBatch many = good;
        many.count = 5;
        RayBatch swapped = good;
        std::swap(swapped.rays, swapped.hits);
        RayBatch absent = good;
        absent.hits = nullptr;
        RayBatch large = good;
        large.capacity = 100;

        CHECK_THROWS_WITH(tracer.trace_closest(many), ContainsSubstring("5 rays in a batch of 4"));
        CHECK_THROWS_WITH(tracer.trace_any(swapped), ContainsSubstring("trace_any: 'rays'"));
        CHECK_THROWS_WITH(tracer.trace_closest(absent),
                          ContainsSubstring("'hits' must be a tensor"));
        CHECK_THROWS_WITH(tracer.trace_closest(large), ContainsSubstring("at least 800 elements"));
    });
}

TEST_CASE("geometry that cannot be traced is refused") {
    Mesh cube = make_cube();
    cube.positions[4] = kNaN;
    Fixture fixture;

    CHECK_THROWS_AS(create_tracer(fixture.context, one_instance(cube)), core::ArgumentError);
}

TEST_CASE("Embree and Weft's own tracer agree") {
    Fixture fixture;
    if (fixture.kinds().back() != TracerKind::embree) {
        return;
    }
    const Mesh sphere = make_sphere(5000, 0.05F);
    const Mesh soup = make_soup(Soup::plain, 300, 1, 9);
    const scene::Geometry geometry{
        .meshes = {sphere, soup},
        .instances = {{}, {1, make_transform({1, -2, 0.5F}, 1, {1, 0, 0})}, {1, scene::kIdentity}}};
    const std::vector<TestRay> rays = make_rays(20000, 2, 10);
    const auto bvh = create_tracer(fixture.context, geometry, TracerKind::bvh);
    const auto embree = create_tracer(fixture.context, geometry, TracerKind::embree);

    const std::vector<TestHit> ours = closest(*bvh, rays);
    const std::vector<TestHit> theirs = closest(*embree, rays);
    const std::vector<std::uint32_t> our_visible = visible(*bvh, rays);
    const std::vector<std::uint32_t> their_visible = visible(*embree, rays);

    std::size_t differences = 0;
    std::size_t ties = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const bool is_same_triangle =
            ours[i].primitive == theirs[i].primitive && ours[i].instance == theirs[i].instance;
        // The absolute part is for hits close to the origin, whose coordinates are rounded at a size of 1.
        const float error = 1e-5F * std::abs(theirs[i].t) + 2e-6F;
        const bool is_near = std::abs(ours[i].t - theirs[i].t) <= error;
        const bool is_agreed = is_near && our_visible[i] == their_visible[i];
        differences += is_agreed ? 0 : 1;
        ties += is_agreed && !is_same_triangle ? 1 : 0;
    }
    // Rays past a silhouette within rounding may differ: 2 in 20000 at most.
    CHECK(differences <= 2);
    CHECK(ties <= 20);
}

TEST_CASE("the wide tracer finds the hits of the other one, bit by bit") {
    Fixture fixture;
    const Mesh sphere = make_sphere(5000, 0.05F);
    const Mesh soup = make_soup(Soup::degenerate, 300, 1, 11);
    const scene::Geometry geometry{
        .meshes = {sphere, soup},
        .instances = {{}, {1, make_transform({1, -2, 0.5F}, 1, {1, 0, 0})}, {1, scene::kIdentity}}};
    const std::vector<TestRay> rays = make_rays(20000, 2, 12);
    const auto bvh = create_tracer(fixture.context, geometry, TracerKind::bvh);
    const auto wide = create_tracer(fixture.context, geometry, TracerKind::wide_bvh);

    const std::vector<TestHit> hits = closest(*bvh, rays);
    const std::vector<TestHit> wide_hits = closest(*wide, rays);

    CHECK(visible(*bvh, rays) == visible(*wide, rays));
    std::size_t ties = 0;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const bool is_same_triangle = hits[i].primitive == wide_hits[i].primitive &&
                                      hits[i].instance == wide_hits[i].instance;
        ties += is_same_triangle ? 0 : 1;
        REQUIRE(hits[i].t == wide_hits[i].t);
        if (is_same_triangle) {
            REQUIRE(hits[i].u == wide_hits[i].u);
            REQUIRE(hits[i].v == wide_hits[i].v);
        }
    }
    CHECK(ties <= 20);
}

TEST_CASE("rays along an axis meet large and flat meshes") {
    const float size = 1e6F;
    Mesh floor;
    for (const float x : {-size, size}) {
        for (const float y : {-size, size}) {
            floor.add_vertex(x, y, 0);
        }
    }
    floor.triangles = {0, 1, 2, 1, 3, 2};
    const Mesh sphere = make_sphere(800);
    const scene::Geometry geometry{
        .meshes = {floor, sphere},
        .instances = {{}, {1, make_transform({size, size, size}, 0, {0, 0, 3 * size})}}};
    std::vector<TestRay> rays;
    for (int i = 0; i < 200; ++i) {
        const float at = size * (static_cast<float>(i) / 100 - 0.995F);
        rays.push_back({.origin = {at, 0.3F * at, -size}, .direction = {0, 0, 1}});
        rays.push_back({.origin = {at, -0.7F * at, 9 * size}, .direction = {-0.0F, 0, -2}});
        rays.push_back({.origin = {-3 * size, 0.5F * at, 3 * size}, .direction = {1, 0, -0.0F}});
        rays.push_back({.origin = {0.4F * at, 5 * size, 3 * size}, .direction = {0, -1, 1e-30F}});
    }

    for_each_tracer(geometry, [&](Tracer& tracer) {
        const std::vector<TestHit> hits = closest(tracer, rays);

        CHECK(find_faults(geometry, rays, hits).empty());
        CHECK(std::ranges::count(hits, kNoInstance, &TestHit::instance) == 0);
    });
}

TEST_CASE("automatic is Embree on software devices that have it, else Weft's own") {
    Fixture fixture;

    const auto tracer = create_tracer(fixture.context, {});

    CHECK(tracer->kind() == fixture.kinds().back());
    if (!is_available(TracerKind::embree)) {
        CHECK_THROWS_WITH(create_tracer(fixture.context, {}, TracerKind::embree),
                          ContainsSubstring("Embree"));
    }
}
