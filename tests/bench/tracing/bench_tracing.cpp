// SPDX-License-Identifier: Apache-2.0
// Prints the time to build acceleration structures, and rays a second of every tracer that the device has: rays of a
// camera (coherent), and rays in all directions from points inside the mesh (incoherent, as after a bounce).
//
//     weft_bench_tracing [vulkan|cuda] [triangles ...]      default: 16000 and 2000000 triangles
#include "tracing.hpp"

#include "scene/wide_bvh.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>

using namespace weft;
using namespace weft::render;
using namespace weft::render::testing;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;

/// Seconds that `work` takes, the median of some rounds.
template <typename Work>
double median_seconds(const Work& work) {
    std::vector<double> times;
    for (int i = 0; i < kRounds; ++i) {
        const auto start = Clock::now();
        work();
        times.push_back(std::chrono::duration<double>(Clock::now() - start).count());
    }
    std::ranges::sort(times);
    return times[kRounds / 2];
}

std::vector<TestRay> camera_rays(std::uint32_t width) {
    std::vector<TestRay> rays;
    rays.reserve(std::size_t{width} * width);
    for (std::uint32_t y = 0; y < width; ++y) {
        for (std::uint32_t x = 0; x < width; ++x) {
            const auto place = [&](std::uint32_t i) {
                return (static_cast<float>(i) + 0.5F) / static_cast<float>(width) - 0.5F;
            };
            rays.push_back({.origin = {0, 0, 3}, .direction = {place(x), place(y), -1}});
        }
    }
    return rays;
}

std::vector<TestRay> bounce_rays(std::size_t count) {
    std::mt19937 random(1);
    const auto number = [&] { return static_cast<float>(random() >> 8U) / 8388608.0F - 1.0F; };
    const auto direction = [&] {
        std::array<float, 3> d{};
        float square = 2;
        while (square > 1 || square < 1e-4F) {
            d = {number(), number(), number()};
            square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
        }
        for (float& component : d) {
            component /= std::sqrt(square);
        }
        return d;
    };
    std::vector<TestRay> rays(count);
    for (TestRay& ray : rays) {
        ray.origin = direction();
        for (float& coordinate : ray.origin) {
            coordinate *= 0.9F;
        }
        ray.direction = direction();
    }
    return rays;
}

void print_speed(const char* what, Tracer& tracer, std::span<const TestRay> rays, bool is_any) {
    const RayBatch batch = make_batch(tracer, rays, static_cast<std::uint32_t>(rays.size()));
    const auto trace = [&] {
        is_any ? tracer.trace_any(batch) : tracer.trace_closest(batch);
        tracer.device()->wait();
    };
    trace();
    std::printf("  %-24s %9.1f Mray/s\n", what,
                static_cast<double>(rays.size()) / median_seconds(trace) * 1e-6);
}

template <typename Build>
void print_build(const char* what, const Build& build) {
    double mebibytes = 0;
    const double seconds = median_seconds([&] {
        const auto bvh = build();
        mebibytes = static_cast<double>(bvh.nodes.size() * sizeof(bvh.nodes[0])) / (1U << 20U);
    });
    std::printf(" %s in %.1f ms, nodes of %.2f MiB\n", what, seconds * 1e3, mebibytes);
}

void print_builds(const scene::Geometry& geometry) {
    core::ThreadPool pool;
    std::printf("%zu triangles, %zu threads\n", geometry.meshes[0].triangles.size() / 3,
                pool.thread_count());
    print_build("tree", [&] { return build_bvh(geometry, pool); });
    print_build("wide tree", [&] { return build_wide_bvh(geometry, pool); });
}

void print_tracers(const dispatch::Context& context, const scene::Geometry& geometry) {
    const bool is_software = context.device->info().features.is_software;
    const std::uint32_t width = is_software ? 512 : 2048;
    for (const TracerKind kind : kTracerKinds) {
        const bool is_possible = kind != TracerKind::embree || (is_available(kind) && is_software);
        if (kind == TracerKind::automatic || !is_possible) {
            continue;
        }
        const auto start = Clock::now();
        const auto tracer = create_tracer(context, geometry, kind);
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        std::printf(" %s, ready in %.1f ms\n", std::string(to_string(kind)).c_str(), seconds * 1e3);
        const std::vector<TestRay> coherent = camera_rays(width);
        const std::vector<TestRay> incoherent = bounce_rays(coherent.size());
        print_speed("closest, coherent", *tracer, coherent, false);
        print_speed("closest, incoherent", *tracer, incoherent, false);
        print_speed("any, coherent", *tracer, coherent, true);
        print_speed("any, incoherent", *tracer, incoherent, true);
    }
}

} // namespace

int main(int argc, char** argv) {
    device::DeviceDesc desc;
    std::vector<std::size_t> sizes;
    for (int i = 1; i < argc; ++i) {
        if (std::strcmp(argv[i], "vulkan") == 0) {
            desc.type = device::DeviceType::vulkan;
        } else if (std::strcmp(argv[i], "cuda") == 0) {
            desc.type = device::DeviceType::cuda;
        } else {
            sizes.push_back(std::strtoull(argv[i], nullptr, 10));
        }
    }
    if (sizes.empty()) {
        sizes = {16'000, 2'000'000};
    }
    try {
        const auto device = device::Device::create(desc);
        std::printf("%s, %s\n", device->info().name.c_str(),
                    std::string(to_string(device->info().type)).c_str());
        const dispatch::Context context = make_context(device);
        for (const std::size_t size : sizes) {
            const Mesh mesh = make_sphere(size, 0.05F);
            const scene::Geometry geometry{.meshes = {mesh}, .instances = {{}}};
            print_builds(geometry);
            print_tracers(context, geometry);
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
    return 0;
}
