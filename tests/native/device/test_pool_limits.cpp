// SPDX-License-Identifier: Apache-2.0
// What a pool gives back, what a limit allows, and what an allocation costs beside much that is idle.
#include "device/null/null_device.hpp"
#include "device/pool.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <chrono>
#include <random>
#include <thread>

using weft::core::DeviceError;
using weft::device::Allocation;
using weft::device::MemoryBlock;
using weft::device::MemoryInfo;
using weft::device::MemoryLimit;
using weft::device::MemoryPool;
using weft::device::MemorySource;
using weft::device::PoolDesc;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Addresses without memory behind them. Work is finished unless `lag` says otherwise.
class FakeSource final : public MemorySource {
public:
    std::optional<MemoryBlock> allocate_block(std::uint64_t size_bytes) override {
        held += size_bytes;
        ++blocks;
        m_next += std::uint64_t{1} << 36;
        return MemoryBlock{.address = m_next, .size_bytes = size_bytes};
    }
    void release_block(const MemoryBlock& block) noexcept override {
        held -= block.size_bytes;
        --blocks;
    }
    std::uint64_t completed() const noexcept override { return done.load(); }
    void drain() override {
        ++drains;
        done.store(~std::uint64_t{0});
    }
    Budget budget() const noexcept override { return {.total = std::uint64_t{1} << 50}; }

    std::atomic<std::uint64_t> held{0};
    std::atomic<std::int64_t> blocks{0};
    std::atomic<std::uint64_t> done{~std::uint64_t{0}};
    std::atomic<int> drains{0};

private:
    std::uint64_t m_next = 0;
};

std::shared_ptr<MemoryLimit> limit_of(std::uint64_t bytes) {
    return std::make_shared<MemoryLimit>(bytes);
}

std::string out_of_memory(MemoryPool& pool, std::uint64_t size) {
    try {
        pool.free(pool.allocate(size, "large"), 0);
    } catch (const DeviceError& error) {
        CHECK(error.kind() == DeviceError::Kind::out_of_memory);
        return error.what();
    }
    return {};
}

/// The best of ten: nanoseconds of allocating and freeing so many bytes, a thousand times.
double cost_of(MemoryPool& pool, std::uint64_t size) {
    double best = 1e30;
    for (int round = 0; round < 10; ++round) {
        const auto begin = std::chrono::steady_clock::now();
        for (int i = 0; i < 1000; ++i) {
            pool.free(pool.allocate(size, "timed"), 0);
        }
        const std::chrono::duration<double, std::nano> spent =
            std::chrono::steady_clock::now() - begin;
        best = std::min(best, spent.count() / 1000);
    }
    return best;
}

} // namespace

TEST_CASE("pool: trim returns what statistics call idle, and keeps blocks with a live buffer") {
    FakeSource source;
    MemoryPool pool(source, {.device_name = "fake"});
    const Allocation small = pool.allocate(1000, "small");
    const Allocation beside = pool.allocate(5000, "beside");
    const Allocation large = pool.allocate(40 * kMiB, "large");
    CHECK(pool.statistics().idle == 0);

    pool.free(large, 0);
    pool.free(beside, 0);

    const MemoryInfo before = pool.statistics();
    CHECK(before.idle == 40 * kMiB);
    CHECK(pool.trim() == before.idle);
    CHECK(pool.trim() == 0);
    const MemoryInfo after = pool.statistics();
    CHECK(after.idle == 0);
    CHECK(after.reserved == source.held.load());
    CHECK(after.peak_reserved == before.reserved);
    pool.free(small, 0);
    CHECK(pool.trim() == after.reserved);
    CHECK(source.held.load() == 0);
}

TEST_CASE("pool: memory that the device still uses is idle, and stays until it has finished") {
    FakeSource source;
    source.done = 4;
    MemoryPool pool(source, {.device_name = "fake"});
    pool.free(pool.allocate(40 * kMiB, "busy"), 5);

    CHECK(pool.trim() == 0);
    source.done = 5;
    CHECK(pool.trim() == 40 * kMiB);
}

TEST_CASE(
    "pool: a limit gives idle memory back before it refuses, without waiting if it need not") {
    FakeSource source;
    MemoryPool pool(source, {.device_name = "fake", .limit = limit_of(256 * kMiB)});
    const Allocation kept = pool.allocate(100 * kMiB, "kept");
    pool.free(pool.allocate(60 * kMiB, "first"), 0);
    pool.free(pool.allocate(80 * kMiB, "second"), 0);

    pool.free(pool.allocate(70 * kMiB, "third"), 0); // the first goes, or the second is reused
    const Allocation all = pool.allocate(156 * kMiB, "all that is left");

    CHECK(source.drains.load() == 0);
    CHECK(source.held.load() == 256 * kMiB);
    const std::string message = out_of_memory(pool, kMiB);
    CHECK(message.find("memory_limit is 256 MiB, Weft uses 256 MiB") != std::string::npos);
    CHECK(message.find("raise device.memory_limit") != std::string::npos);
    pool.free(all, 0);
    pool.free(kept, 0);
}

TEST_CASE("pool: a limit below one allocation refuses it, and nothing is lost") {
    FakeSource source;
    MemoryPool pool(source, {.device_name = "fake", .limit = limit_of(64 * kMiB)});

    CHECK(out_of_memory(pool, 65 * kMiB).find("asked for 65 MiB") != std::string::npos);
    CHECK(source.held.load() == 0);
    CHECK(out_of_memory(pool, 64 * kMiB).empty());
    CHECK(out_of_memory(pool, 1).empty());
    CHECK(source.held.load() <= 64 * kMiB);
}

TEST_CASE("pool: the error says what lies free between live buffers") {
    FakeSource source;
    MemoryPool pool(source, {.device_name = "fake", .limit = limit_of(64 * kMiB)});
    std::vector<Allocation> small;
    for (int i = 0; i < 512; ++i) {
        small.push_back(pool.allocate(128 << 10, "small"));
    }
    for (std::size_t i = 0; i < small.size(); i += 2) {
        pool.free(small[i], 0);
    }

    CHECK(out_of_memory(pool, kMiB).find("32 MiB lie free between") != std::string::npos);
    for (std::size_t i = 1; i < small.size(); i += 2) {
        pool.free(small[i], 0);
    }
    CHECK(out_of_memory(pool, 60 * kMiB).empty());
}

TEST_CASE("pool: a limit that is lowered leaves live buffers alone and refuses more") {
    FakeSource source;
    const auto limit = limit_of(0);
    MemoryPool pool(source, {.device_name = "fake", .limit = limit});
    const Allocation a = pool.allocate(200 * kMiB, "a");

    limit->set(100 * kMiB);
    CHECK(pool.statistics().limit == 100 * kMiB);
    CHECK_FALSE(out_of_memory(pool, kMiB).empty());
    pool.free(a, 0);
    CHECK(out_of_memory(pool, 90 * kMiB).empty());
    limit->set(0);
    CHECK(out_of_memory(pool, 300 * kMiB).empty());
}

TEST_CASE("pool: pools that share a limit count together") {
    FakeSource source;
    const auto limit = limit_of(100 * kMiB);
    MemoryPool first(source, {.device_name = "fake", .limit = limit});
    MemoryPool second(source, {.device_name = "fake", .limit = limit});
    const Allocation a = first.allocate(60 * kMiB, "a");

    CHECK_FALSE(out_of_memory(second, 60 * kMiB).empty());
    CHECK(out_of_memory(second, 40 * kMiB).empty());
    first.free(a, 0);
    first.trim();
    CHECK(out_of_memory(second, 60 * kMiB).empty());
    first.close();
    second.close();
    CHECK(limit->left() == 100 * kMiB);
}

TEST_CASE("pool: many sizes under a limit, by many threads, never hold more than it") {
    FakeSource source;
    MemoryPool pool(source, {.device_name = "fake", .limit = limit_of(600 * kMiB)});
    std::atomic<int> refused{0};
    std::atomic<std::uint64_t> most{0};
    const auto work = [&](unsigned seed) {
        std::mt19937 random(seed);
        std::vector<Allocation> live;
        for (int step = 0; step < 4000; ++step) {
            if (random() % 64 == 0) {
                pool.trim();
            }
            if (live.size() > 20 || (!live.empty() && random() % 2 == 0)) {
                pool.free(live.back(), 0);
                live.pop_back();
                continue;
            }
            try {
                const std::uint64_t bits = random() % 27; // 1 byte to 128 MiB
                live.push_back(pool.allocate(1 + random() % (std::uint64_t{1} << bits), "swept"));
            } catch (const DeviceError&) {
                ++refused;
            }
            most = std::max(most.load(), source.held.load());
        }
        for (const Allocation& allocation : live) {
            pool.free(allocation, 0);
        }
    };
    std::vector<std::thread> threads;
    for (unsigned seed = 0; seed < 4; ++seed) {
        threads.emplace_back(work, seed);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    CHECK(most.load() <= 600 * kMiB);
    CHECK(pool.statistics().used == 0);
    CHECK(pool.statistics().idle == pool.statistics().reserved);
    pool.trim();
    CHECK(source.blocks.load() == 0);
    CHECK(pool.statistics().reserved == 0);
}

TEST_CASE("pool: an allocation costs the same beside 10,000 idle blocks") {
    FakeSource source;
    constexpr std::uint64_t kAll = ~std::uint64_t{0};
    MemoryPool pool(source, {.device_name = "fake",
                             .first_block = kMiB,
                             .largest_block = kMiB,
                             .dedicated_threshold = kMiB,
                             .idle_floor = kAll});
    const double before_small = cost_of(pool, 4000);
    const double before_large = cost_of(pool, 5 * kMiB);
    std::vector<Allocation> live;
    for (int i = 0; i < 5000; ++i) {
        live.push_back(pool.allocate(900 << 10, "small"));
        live.push_back(pool.allocate(4 * kMiB + i % 7 * 2 * kMiB, "large"));
    }
    for (const Allocation& allocation : live) {
        pool.free(allocation, 0);
    }
    REQUIRE(source.blocks.load() >= 10'000);

    const double small = cost_of(pool, 4000);
    const double large = cost_of(pool, 5 * kMiB);
    const double odd = cost_of(pool, 19 * kMiB); // no block is as large: one of its own

    INFO("ns: " << before_small << ' ' << before_large << " before, " << small << ' ' << large
                << ' ' << odd << " beside idle blocks");
    // A list that is walked would take 10,000 steps, some 10 us.
    CHECK(small < 5 * before_small + 1000);
    CHECK(large < 5 * before_large + 1000);
    CHECK(odd < 3000);
    CHECK(pool.trim() > 0);
    CHECK(source.blocks.load() == 0);
}

TEST_CASE("device: trim and the limit of a device that is closed are errors") {
    const auto device = weft::device::create_null_device();
    const auto buffer = device->create_buffer({.size_bytes = 1000});
    auto other = device->create_buffer({.size_bytes = 40 * kMiB});
    other.reset();

    CHECK(device->memory_info().idle == 40 * kMiB);
    CHECK(device->trim() == 40 * kMiB);
    device->set_memory_limit(20 * kMiB);
    CHECK(device->memory_limit() == 20 * kMiB);
    CHECK_THROWS_AS(device->create_buffer({.size_bytes = 40 * kMiB}), DeviceError);
    device->set_memory_limit(0);
    CHECK(device->create_buffer({.size_bytes = 40 * kMiB}) != nullptr);
    device->close();
    CHECK_THROWS_AS(device->trim(), DeviceError);
    CHECK_THROWS_AS(device->set_memory_limit(1), DeviceError);
}
