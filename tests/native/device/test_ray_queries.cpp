// SPDX-License-Identifier: Apache-2.0
// Acceleration structures of the driver, where it has them: tests/full/test_ray_query.py brings one that does.
#include "device/ray_queries.hpp"
#include "device/support.hpp"
#include "support/catch.hpp"

using namespace weft::device;
using namespace weft::test;

namespace {

constexpr std::uint32_t kTriangles = 2000;

/// A fan of triangles around the origin, in memory that builds may read.
struct Fan {
    std::shared_ptr<Buffer> positions;
    std::shared_ptr<Buffer> triangles;

    explicit Fan(Device& device) {
        std::vector<float> points{0, 0, 0};
        std::vector<std::uint32_t> corners;
        for (std::uint32_t i = 0; i <= kTriangles; ++i) {
            const auto x = static_cast<float>(i);
            points.insert(points.end(), {x, static_cast<float>(kTriangles) - x, x * x});
        }
        for (std::uint32_t i = 0; i < kTriangles; ++i) {
            corners.insert(corners.end(), {0, i + 1, i + 2});
        }
        positions = upload(device, std::as_bytes(std::span(points)));
        triangles = upload(device, std::as_bytes(std::span(corners)));
    }

    TriangleBuild build(bool is_movable, const AccelerationStructure* from = nullptr) const {
        return {.input = {.positions = positions.get(),
                          .vertex_count = kTriangles + 2,
                          .triangles = triangles.get(),
                          .triangle_count = kTriangles},
                .is_movable = is_movable,
                .from = from};
    }

private:
    static std::shared_ptr<Buffer> upload(Device& device, std::span<const std::byte> bytes) {
        auto buffer = device.ray_queries()->create_input({.size_bytes = bytes.size()});
        device.upload(*buffer, 0, bytes);
        return buffer;
    }
};

AccelerationStructureRef build_top(Device& device, const AccelerationStructure& bottom) {
    RayQueries& queries = *device.ray_queries();
    const InstanceRecord record{.object_to_world = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0},
                                .structure = bottom.address()};
    const auto records = queries.create_input({.size_bytes = sizeof record});
    device.upload(*records, 0, bytes_of(record));
    return queries.build_instances(*records, 1);
}

/// Calls check(device) if the driver has ray queries.
template <typename Check>
void with_ray_queries(const Check& check) {
    CheckedDevice device;
    if (device->ray_queries() == nullptr) {
        CHECK(!device->info().features.ray_query);
        return;
    }
    CHECK(device->info().features.ray_query);
    check(*device);
}

} // namespace

TEST_CASE("structures count as memory of the device, and go back") {
    with_ray_queries([](Device& device) {
        const std::uint64_t before = device.memory_info().used;
        {
            const Fan fan(device);
            const TriangleBuild build = fan.build(false);
            const auto made = device.ray_queries()->build_triangles({&build, 1});
            CHECK(made.at(0)->address() != 0);
            CHECK(device.memory_info().used >= before + made[0]->memory()->size_bytes());
        }
        device.wait();

        CHECK(device.memory_info().used == before);
    });
}

TEST_CASE("structures may be dropped, compacted and moved while the device builds") {
    with_ray_queries([](Device& device) {
        RayQueries& queries = *device.ray_queries();
        const Fan fan(device);
        for (int i = 0; i < 20; ++i) {
            const std::array builds{fan.build(false), fan.build(true)};
            auto made = queries.build_triangles(builds);
            const AccelerationStructureRef top = build_top(device, *made[0]);
            const auto copies = queries.compact({made.data(), 1});
            CHECK((!copies[0] ||
                   copies[0]->memory()->size_bytes() < made[0]->memory()->size_bytes()));
            const TriangleBuild moved = fan.build(true, made[1].get());
            const auto later = queries.build_triangles({&moved, 1});
            CHECK(later[0]->address() != made[1]->address());
        }
        device.wait();
    });
}

TEST_CASE("a device may be closed before its structures go") {
    with_ray_queries([](Device& device) {
        const Fan fan(device);
        const TriangleBuild build = fan.build(false);
        const auto made = device.ray_queries()->build_triangles({&build, 1});

        device.close();

        CHECK_THROWS_AS(device.ray_queries()->build_triangles({&build, 1}),
                        weft::core::DeviceError);
    });
}

TEST_CASE("a limit of memory counts structures and arrays together") {
    CheckedDevice device(Device::create(
        {.type = DeviceType::vulkan, .debug = true, .memory_limit = std::uint64_t{100} << 20U}));
    RayQueries* const queries = device->ray_queries();
    if (queries == nullptr) {
        return;
    }
    const std::uint64_t part = std::uint64_t{40} << 20U;
    const auto array = device->create_buffer({.size_bytes = part});
    const auto input = queries->create_input({.size_bytes = part});

    CHECK(message_of<weft::core::DeviceError>([&] {
              (void)queries->create_input({.size_bytes = part});
          }).find("memory_limit") != std::string::npos);
    CHECK(message_of<weft::core::DeviceError>([&] {
              (void)device->create_buffer({.size_bytes = part});
          }).find("memory_limit") != std::string::npos);
}
