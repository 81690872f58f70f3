// SPDX-License-Identifier: Apache-2.0
#include "core/cancellation.hpp"
#include "core/error.hpp"
#include "render/compile_together.hpp"
#include "render/film_tracer.hpp"
#include "scene/layouts.hpp"
#include "support/catch.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>

namespace weft::render {
namespace {

/// The field of that name.
const dispatch::Node& field(const KernelArgument& argument, std::string_view name) {
    for (const dispatch::Node& node : argument.nodes()) {
        if (node.name == name) {
            return node;
        }
    }
    FAIL("no field " << name);
    throw std::logic_error("unreachable");
}

TEST_CASE("settings refuse numbers out of their ranges, and name them") {
    const auto message = [](const PathSettings& settings) {
        try {
            require_valid(settings);
        } catch (const core::ArgumentError& error) {
            return std::string(error.what());
        }
        return std::string();
    };

    CHECK(message({}).empty());
    CHECK(message({.samples = 0}).find("samples must be at least 1") != std::string::npos);
    CHECK(message({.bounces = -2}).find("-2") != std::string::npos);
    CHECK(message({.filter_width = 0}).find("filter_width") != std::string::npos);
    CHECK(message({.exposure = -1}).find("exposure") != std::string::npos);
}

TEST_CASE("a step has no limits where there are none, and clamps sums of channels") {
    const KernelArgument plain = step_settings({.seed = 5}, {}, {3, 4}, {2, 1});
    scene::LightPaths limits;
    limits.clamp_direct = 2;
    limits.refractive_caustics = false;
    const KernelArgument held = step_settings({}, limits, {0, 1}, {0, 1});

    CHECK(plain.integer("seed") == 5);
    CHECK(plain.integer("firstPixel") == 3);
    CHECK(plain.integer("firstSample") == 2);
    CHECK(plain.integer("period") == kNever);
    CHECK(plain.integer("stops") == 0);
    CHECK(held.integer("stops") == scene::layouts::Stop::kRefraction);
    const dispatch::Node& most = field(held, "mostLight");
    CHECK(std::bit_cast<double>(held.words()[most.data_begin]) == 6);
    CHECK(std::bit_cast<double>(held.words()[most.data_begin + 1]) == kAllLight);
}

TEST_CASE("an argument inside another keeps its numbers") {
    KernelArgument inner;
    inner.add_reals("v", std::array{1.0, 2.0}, std::array<std::int64_t, 1>{2});
    KernelArgument outer;
    outer.add_integers("first", std::array<std::int64_t, 3>{7, 8, 9});
    outer.add_structure("inner", inner);
    outer.add_integer("last", 4);

    dispatch::ArgumentList list;
    KernelArgument::number(1).append_to(list);
    outer.append_to(list);

    REQUIRE(list.roots.size() == 2);
    CHECK(list.nodes[1].subtree == 5);
    CHECK(list.nodes[1].children == 3);
    const dispatch::Node& v = list.nodes[4];
    CHECK(v.name == "v");
    CHECK(list.shape(v).front() == 2);
    CHECK(std::bit_cast<double>(list.data(v)[1]) == 2.0);
    CHECK(outer.integer("last") == 4);
}

TEST_CASE("parts of a picture cover each pixel and sample once, whatever the batch becomes") {
    constexpr std::int64_t kPixels = 10;
    constexpr std::int64_t kSamples = 7;
    for (const std::int64_t first : {1, 4, 25, 1000}) {
        PictureParts parts(kPixels, kSamples, first);
        std::vector<int> seen(kPixels * kSamples);
        std::int64_t batch = first;
        while (const auto part = parts.next(batch)) {
            CHECK(part->pixels.count >= 1);
            for (std::int64_t p = 0; p < part->pixels.count; p++) {
                for (std::int64_t s = 0; s < part->samples.count; s++) {
                    seen.at(static_cast<std::size_t>((part->pixels.first + p) * kSamples +
                                                     part->samples.first + s))++;
                }
            }
            batch = batch > 3 ? batch - 1 : 50;
        }
        CHECK(seen == std::vector<int>(seen.size(), 1));
    }
}

TEST_CASE("paths have the rows that their scene needs, and hits room for words") {
    scene::SceneTraits limited;
    limited.has_limits = true;
    scene::SceneTraits walking;
    walking.has_walks = true;

    CHECK(path_rows({}) == scene::layouts::PathRow::kKind);
    CHECK(path_rows(limited) == scene::layouts::PathRow::kCounts);
    CHECK(path_rows(walking) == scene::layouts::PathRow::kLightWays);
    CHECK(path_buffer_bytes(256, walking) > path_buffer_bytes(256, {}));
    for (std::int64_t words = 1; words < 12; words++) {
        CHECK(rows_of_hits(words) * kHitRows >= words);
    }
}

TEST_CASE("the default batch follows the memory that is free, and is small in software") {
    constexpr std::uint64_t kGiB = std::uint64_t{1} << 30U;
    device::DeviceInfo gpu;
    gpu.limits.max_buffer_size = 64 * kGiB;
    device::DeviceInfo software = gpu;
    software.features.is_software = true;
    const auto batch = [&](const device::MemoryInfo& memory) {
        return default_batch(gpu, memory, {});
    };
    const auto bytes = [](std::int64_t paths) {
        return static_cast<std::uint64_t>(path_buffer_bytes(paths, {}));
    };

    CHECK(default_batch(software, {.total = 64 * kGiB}, {}) == 1 << 20);
    CHECK(batch({.total = 140 * kGiB, .available = 130 * kGiB}) == 1 << 24);
    CHECK(batch({.total = 140 * kGiB, .available = kGiB / 2}) == 1 << 20);
    CHECK(batch({.total = 140 * kGiB, .available = 130 * kGiB, .limit = kGiB}) == 1 << 20);
    for (const std::uint64_t free : {4 * kGiB, 6 * kGiB, 12 * kGiB}) {
        const std::int64_t paths = batch({.total = 2 * free, .available = free});
        CHECK(bytes(paths) <= free / 8);
        CHECK(bytes(2 * paths) > free / 8);
    }
    gpu.limits.max_buffer_size = kGiB;
    CHECK(bytes(batch({.total = 64 * kGiB})) <= kGiB);
}

TEST_CASE("jobs that compile are all run, and counted") {
    std::atomic<int> run{0};
    CompileProgress progress;

    compile_together(std::vector<std::function<void()>>(9, [&] { run++; }), [] {}, &progress);

    CHECK(run == 9);
    CHECK(progress.done == 9);
    CHECK(progress.total == 9);
}

TEST_CASE("the first error of a job ends the others") {
    std::atomic<int> run{0};
    std::vector<std::function<void()>> jobs(1, [] { throw std::runtime_error("no kernel"); });
    jobs.insert(jobs.end(), 1000, [&] {
        run++;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    });

    CHECK_THROWS_AS(compile_together(jobs, {}, nullptr), std::runtime_error);
    CHECK(run < 1000);
}

TEST_CASE("who waits for kernels leaves at once, and the jobs are told") {
    struct Left {};
    const auto told = std::make_shared<std::atomic<int>>(0);
    const auto job = [told] {
        try {
            for (;;) {
                core::poll_cancellation();
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
        } catch (const core::Interrupted&) {
            (*told)++;
            throw;
        }
    };
    const auto began = std::chrono::steady_clock::now();

    CHECK_THROWS_AS(compile_together({job, job}, [] { throw Left(); }, nullptr), Left);

    CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(5));
    for (int k = 0; k < 1000 && *told == 0; k++) {
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    CHECK(*told > 0);
}

} // namespace
} // namespace weft::render
