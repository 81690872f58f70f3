// SPDX-License-Identifier: Apache-2.0
// What the tracer ray_query asks of a driver, without one; test_tracers.cpp traces with it where the driver can.
#include "fixture.hpp"

#include "compile/spirv_capabilities.hpp"
#include "core/error.hpp"
#include "device/null/null_device.hpp"

#include <algorithm>

using namespace weft;
using namespace weft::render;
using namespace weft::render::testing;
using device::InstanceRecord;
using device::NullDevice;
using device::NullRayQueries;

namespace {

/// A device that says it has ray queries, and a compiler beside it.
struct NullFixture {
    std::shared_ptr<NullDevice> device = device::create_null_device();
    dispatch::Context context = make_context(device, Fixture::cache_directory());

    std::unique_ptr<Tracer> create(const scene::Geometry& geometry) const {
        return create_tracer(context, geometry, TracerKind::ray_query);
    }
    NullRayQueries::Log log() const { return device->ray_queries()->log(); }
};

} // namespace

TEST_CASE("instances go to the driver in their order, with their rows, seen by all rays") {
    const NullFixture null;
    const Mesh cube = make_cube();
    const Mesh sphere = make_sphere(100);
    const Mesh empty;
    const scene::Geometry geometry{.meshes = {cube, empty, sphere},
                                   .instances = {{2, make_transform({1, -2, 0.5F}, 1, {3, 4, 5})},
                                                 {1, scene::kIdentity},
                                                 {0, scene::kIdentity},
                                                 {2, {1, 2, 3, 4, 5, 7, 7, 8, 9, 10, 12, 12}}}};

    const auto tracer = null.create(geometry);
    const std::vector<InstanceRecord> records = null.log().instances;

    CHECK(tracer->kind() == TracerKind::ray_query);
    REQUIRE(records.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(records[i].object_to_world == geometry.instances[i].object_to_world);
        CHECK(records[i].number_and_mask >> 24U == 0xFF);
        CHECK(records[i].offset_and_flags >> 24U == 0x5); // two-sided, opaque
    }
    CHECK(records[0].structure == records[3].structure);
    CHECK(records[0].structure != records[2].structure);
    CHECK(records[2].structure != 0);
    CHECK(records[1].structure == 0);
}

TEST_CASE("structures of the driver are compacted and counted") {
    const NullFixture null;
    const Mesh cube = make_cube();
    const scene::Geometry geometry{.meshes = {cube, cube}, .instances = {{}, {1}, {1}}};

    const auto tracer = null.create(geometry);

    CHECK(null.log().builds.size() == 2);
    CHECK(null.log().compacted == 2);
    CHECK(tracer->memory().held ==
          12 * NullRayQueries::kTriangleBytes + 4 * NullRayQueries::kInstanceBytes);
    CHECK(tracer->memory().build == 2 * (8 * 12 + 12 * 12));
}

TEST_CASE("a mesh that moves is made so that it can, then its boxes move, and anew when worn") {
    const NullFixture null;
    const Mesh cube = make_cube();
    const Mesh other = make_sphere(100);
    const scene::Geometry geometry{.meshes = {cube, other}, .instances = {{}, {1}}};
    const auto tracer = null.create(geometry);
    const std::uint64_t other_structure = null.log().instances[1].structure;
    Mesh moved = cube;

    for (int i = 0; i < 35; ++i) {
        moved.positions[0] += 0.01F;
        const std::vector<MeshSource> sources{{.kept = 0, .mesh = moved}, {.kept = 1}};
        tracer->update(sources, geometry.instances);
    }

    const NullRayQueries::Log log = null.log();
    REQUIRE(log.builds.size() == 2 + 35);
    CHECK(log.compacted == 2);
    CHECK(!log.builds[0].is_movable);
    for (std::size_t i = 0; i < 35; ++i) {
        CHECK(log.builds[2 + i].is_movable);
        CHECK((log.builds[2 + i].from == nullptr) == (i == 0 || i == 33));
    }
    CHECK(log.instances[1].structure == other_structure);
    CHECK(log.top_levels == 36);
}

TEST_CASE("an update that is refused leaves the driver's structures as they were") {
    const NullFixture null;
    const Mesh cube = make_cube();
    const scene::Geometry geometry{.meshes = {cube}, .instances = {{}}};
    const auto tracer = null.create(geometry);
    const std::uint64_t held = tracer->memory().held;
    Mesh wrong = cube;
    wrong.triangles[5] = 99;

    const std::vector<MeshSource> sources{{.kept = 0, .mesh = wrong}};
    CHECK_THROWS_WITH(tracer->update(sources, geometry.instances), ContainsSubstring("99"));
    const std::vector<scene::Instance> absent{{.mesh = 3}};
    CHECK_THROWS_AS(tracer->update_instances(absent), core::ArgumentError);

    CHECK(tracer->memory().held == held);
    CHECK(null.log().top_levels == 1);
    CHECK(null.log().builds.size() == 1);
}

TEST_CASE("memory of structures goes back when their tracer goes") {
    const NullFixture null;
    const std::uint64_t before = null.device->memory_info().used;
    const Mesh cube = make_cube();

    {
        const auto tracer = null.create({.meshes = {cube}, .instances = {{}}});
        CHECK(null.device->memory_info().used == before + tracer->memory().held);
    }

    CHECK(null.device->memory_info().used == before);
}

TEST_CASE("more than a driver takes, and too little memory, are refused by name") {
    const NullFixture null;
    NullRayQueries few(*null.device, 1, 1);
    const auto input = few.create_input({.size_bytes = 128});
    device::TriangleBuild build{.input = {.positions = input.get(),
                                          .vertex_count = 3,
                                          .triangles = input.get(),
                                          .triangle_count = 2}};

    CHECK_THROWS_WITH(few.build_triangles({&build, 1}),
                      ContainsSubstring("2 triangles, this device's ray queries take at most 1"));
    CHECK_THROWS_WITH(few.build_instances(*input, 2),
                      ContainsSubstring("2 instances, this device's ray queries take at most 1"));
    CHECK_THROWS_WITH(few.build_instances(*input, 3),
                      ContainsSubstring("3 instances take 192 bytes, got 128"));
    build.input.triangle_count = 1;
    build.input.vertex_count = 11;
    CHECK_THROWS_WITH(few.build_triangles({&build, 1}),
                      ContainsSubstring("'positions' must hold 11 rows of 12 bytes, got 128"));
    build.input.vertex_count = 0;
    CHECK_THROWS_WITH(few.build_triangles({&build, 1}), ContainsSubstring("'positions'"));
}

TEST_CASE("kernels of ray_query ask for ray queries, those of bvh do not") {
    constexpr std::uint32_t kRayQueryKHR = 4472; // SPIR-V's number of the capability
    const Mesh cube = make_cube();
    for (const TracerKind kind : {TracerKind::ray_query, TracerKind::bvh}) {
        std::vector<std::vector<std::uint32_t>> kernels;
        const std::shared_ptr<NullDevice> device = device::create_null_device(
            device::create_null_device()->info(), [&](const device::KernelDesc& desc) {
                kernels.push_back(compile::read_spirv_capabilities(desc.code));
            });
        const dispatch::Context context = make_context(device);
        const auto tracer =
            create_tracer(context, {.meshes = {cube}, .instances = {{}}}, {.kind = kind});

        const std::vector<TestRay> rays(4, {.origin = {-3, 0, 0.1F}, .direction = {1, 0, 0}});
        const RayBatch batch = make_batch(*tracer, rays, 4);
        tracer->trace_closest(batch);
        tracer->trace_any(batch);

        REQUIRE(kernels.size() == 2);
        for (const std::vector<std::uint32_t>& capabilities : kernels) {
            CHECK((std::ranges::count(capabilities, kRayQueryKHR) == 1) ==
                  (kind == TracerKind::ray_query));
        }
    }
}

TEST_CASE("a device without ray queries refuses the tracer, and nobody gets it unasked") {
    device::DeviceFeatures features = device::create_null_device()->info().features;
    features.ray_query = false;
    const std::shared_ptr<NullDevice> without = device::create_null_device(features);
    const dispatch::Context context = make_context(without, Fixture::cache_directory());
    const NullFixture null;

    CHECK(without->ray_queries() == nullptr);
    CHECK_THROWS_WITH(create_tracer(context, {}, TracerKind::ray_query),
                      ContainsSubstring("create_tracer: ray_query cannot trace here") &&
                          ContainsSubstring("VK_KHR_ray_query") && ContainsSubstring("use bvh"));
    CHECK(create_tracer(null.context, {})->kind() == TracerKind::bvh);
}
