// SPDX-License-Identifier: Apache-2.0
#include "device/pool.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <random>

using weft::core::DeviceError;
using weft::device::Allocation;
using weft::device::MemoryBlock;
using weft::device::MemoryInfo;
using weft::device::MemoryLimit;
using weft::device::MemoryPool;
using weft::device::MemorySource;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

/// Addresses without memory behind them, up to a limit.
class FakeSource final : public MemorySource {
public:
    explicit FakeSource(std::uint64_t limit) : m_limit(limit) {}

    std::optional<MemoryBlock> allocate_block(std::uint64_t size_bytes) override {
        if (held + size_bytes > m_limit) {
            return std::nullopt;
        }
        held += size_bytes;
        ++live_blocks;
        m_next += 1 << 30;
        return MemoryBlock{.address = m_next, .size_bytes = size_bytes};
    }
    void release_block(const MemoryBlock& block) noexcept override {
        held -= block.size_bytes;
        --live_blocks;
    }
    std::uint64_t completed() const noexcept override { return done; }
    void drain() override {
        ++drains;
        done = submitted;
    }
    Budget budget() const noexcept override {
        return {.total = m_limit, .available = m_limit - held};
    }

    std::uint64_t held = 0;
    std::uint64_t live_blocks = 0;
    std::uint64_t done = 0;
    std::uint64_t submitted = 0;
    int drains = 0;

private:
    std::uint64_t m_limit;
    std::uint64_t m_next = 0;
};

std::string out_of_memory(MemoryPool& pool, std::uint64_t size, std::string_view label) {
    try {
        (void)pool.allocate(size, label);
    } catch (const DeviceError& error) {
        CHECK(error.kind() == DeviceError::Kind::out_of_memory);
        return error.what();
    }
    return {};
}

} // namespace

TEST_CASE("pool: ranges that live together never overlap") {
    FakeSource source(std::uint64_t{1} << 40);
    MemoryPool pool(source, {.device_name = "fake"});
    std::mt19937 random(7);
    std::vector<Allocation> live;

    for (int step = 0; step < 20'000; ++step) {
        if (live.size() > 200 || (!live.empty() && random() % 2 == 0)) {
            const std::size_t victim = random() % live.size();
            pool.free(live[victim], 0);
            live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
        } else {
            const std::uint64_t size =
                1 + (random() % 2 == 0 ? random() % 5000 : random() % (20 * kMiB));
            live.push_back(pool.allocate(size, "random"));
        }
    }

    std::map<std::uint64_t, std::uint64_t> ends;
    for (const Allocation& allocation : live) {
        CHECK(allocation.address() % MemoryPool::kAlignment == 0);
        ends[allocation.address()] = allocation.address() + allocation.size_bytes;
    }
    REQUIRE(ends.size() == live.size());
    std::uint64_t previous_end = 0;
    for (const auto& [begin, end] : ends) {
        REQUIRE(begin >= previous_end);
        previous_end = end;
    }
    for (const Allocation& allocation : live) {
        pool.free(allocation, 0);
    }
    CHECK(pool.statistics().used == 0);
    pool.trim();
    CHECK(source.live_blocks == 0);
    CHECK(pool.statistics().reserved == 0);
}

TEST_CASE("pool: a steady mix of sizes stops asking the driver") {
    FakeSource source(std::uint64_t{1} << 40);
    MemoryPool pool(source, {.device_name = "fake"});
    const auto run_once = [&] {
        std::vector<Allocation> live;
        for (std::uint64_t i = 1; i < 100; ++i) {
            live.push_back(pool.allocate(i * 7919, "mix"));
        }
        for (const Allocation& allocation : live) {
            pool.free(allocation, 0);
        }
    };

    run_once();
    const std::uint64_t allocations = pool.statistics().allocations;
    for (int i = 0; i < 50; ++i) {
        run_once();
    }

    CHECK(pool.statistics().allocations == allocations);
}

TEST_CASE("pool: memory in use is handed out again with the value to wait for") {
    FakeSource source(64 * kMiB);
    source.submitted = 5;
    MemoryPool pool(source, {.device_name = "fake"});

    const Allocation first = pool.allocate(1000, "a");
    pool.free(first, 5);
    const Allocation second = pool.allocate(1000, "a");

    CHECK(first.ready == 0);
    CHECK(second.address() == first.address());
    CHECK(second.ready == 5);
}

TEST_CASE("pool: with host access memory in use is not handed out before it is finished") {
    FakeSource source(64 * kMiB);
    source.submitted = 5;
    MemoryPool pool(source, {.device_name = "fake", .host_access = true});

    const Allocation first = pool.allocate(1000, "a");
    pool.free(first, 5);
    const Allocation second = pool.allocate(1000, "a");
    CHECK(second.address() != first.address());

    source.done = 5;
    const Allocation third = pool.allocate(1000, "a");
    CHECK(third.address() == first.address());
}

TEST_CASE("pool: idle memory beside memory in use stays idle") {
    FakeSource source(64 * kMiB);
    source.submitted = 5;
    MemoryPool pool(source, {.device_name = "fake"});
    const Allocation busy = pool.allocate(4096, "busy");

    pool.free(busy, 5);

    CHECK(pool.allocate(8192, "other").ready == 0);
}

TEST_CASE("pool: large requests get blocks of their own, kept for the next one") {
    FakeSource source(1024 * kMiB);
    MemoryPool pool(source, {.device_name = "fake"});

    const Allocation first = pool.allocate(100 * kMiB, "a");
    pool.free(first, 0);
    const Allocation similar = pool.allocate(95 * kMiB, "a");
    const Allocation small = pool.allocate(64, "b");

    CHECK(similar.address() == first.address());
    CHECK(small.address() != first.address());
    CHECK(source.live_blocks == 2);
}

TEST_CASE("pool: unused large blocks beyond max_cached go back to the driver") {
    FakeSource source(1024 * kMiB);
    MemoryPool pool(source, {.device_name = "fake", .max_cached = 150 * kMiB});
    const Allocation a = pool.allocate(100 * kMiB, "a");
    const Allocation b = pool.allocate(120 * kMiB, "b");

    pool.free(a, 0);
    CHECK(source.live_blocks == 2);
    pool.free(b, 0);

    CHECK(source.held <= 150 * kMiB);
}

TEST_CASE("pool: unused blocks beyond half of what is in use go back, the oldest first") {
    FakeSource source(4096 * kMiB);
    source.done = 9;
    MemoryPool pool(source, {.device_name = "fake", .idle_floor = 100 * kMiB});
    const Allocation kept = pool.allocate(400 * kMiB, "kept");
    const Allocation a = pool.allocate(150 * kMiB, "a");
    const Allocation b = pool.allocate(130 * kMiB, "b");

    pool.free(a, 1);
    CHECK(source.held == 680 * kMiB); // half of 530
    pool.free(b, 2);
    CHECK(source.held == 530 * kMiB);
    const Allocation again = pool.allocate(130 * kMiB, "b");
    CHECK(again.address() == b.address());
    pool.free(again, 3);
    pool.free(kept, 4);

    CHECK(source.held <= 100 * kMiB);
}

TEST_CASE("pool: four rounds of records that grow hold no more than one") {
    FakeSource source(std::uint64_t{1} << 40);
    MemoryPool pool(source, {.device_name = "fake", .max_cached = 20480 * kMiB});
    std::array<std::uint64_t, 4> held{};
    for (std::size_t round = 0; round < held.size(); ++round) {
        std::vector<Allocation> records;
        for (std::uint64_t view = 0; view < 4; ++view) { // each round has sizes of its own
            Allocation record = pool.allocate((300 + 100 * round + view) * kMiB, "records");
            for (int draw = 0; draw < 3; ++draw) {
                const Allocation grown = pool.allocate(record.size_bytes * 5 / 4, "records");
                pool.free(record, ++source.submitted);
                source.done = source.submitted;
                record = grown;
            }
            records.push_back(record);
        }
        const MemoryInfo info = pool.statistics();
        CHECK(info.reserved <= info.used * 3 / 2 + 256 * kMiB);
        for (const Allocation& record : records) {
            pool.free(record, source.submitted);
        }
        held[round] = source.held;
    }

    CHECK(*std::max_element(held.begin(), held.end()) <= 256 * kMiB);
}

TEST_CASE("pool: empty blocks of small buffers go back beyond what may lie idle") {
    FakeSource source(4096 * kMiB);
    MemoryPool pool(source, {.device_name = "fake", .idle_floor = 64 * kMiB});
    std::vector<Allocation> small;
    for (int i = 0; i < 100; ++i) {
        small.push_back(pool.allocate(8 * kMiB, "small"));
    }

    for (const Allocation& allocation : small) {
        pool.free(allocation, 0);
    }

    CHECK(source.held <= 64 * kMiB);
    CHECK(source.live_blocks >= 1);
}

TEST_CASE("pool: a limit is kept, and named where it is in the way") {
    FakeSource source(4096 * kMiB);
    MemoryPool pool(source,
                    {.device_name = "fake", .limit = std::make_shared<MemoryLimit>(300 * kMiB)});
    const Allocation a = pool.allocate(200 * kMiB, "a");
    CHECK(pool.statistics().total == 300 * kMiB);
    CHECK(out_of_memory(pool, 150 * kMiB, "b").find("memory_limit is 300 MiB") !=
          std::string::npos);
    pool.free(a, 0);

    const Allocation b = pool.allocate(250 * kMiB, "b");

    CHECK(b.size_bytes == 250 * kMiB);
    CHECK(source.held <= 300 * kMiB);
}

TEST_CASE("pool: when the driver is out of memory unused blocks are returned and the request is "
          "repeated") {
    FakeSource source(100 * kMiB);
    source.submitted = 3;
    MemoryPool pool(source, {.device_name = "fake"});
    const Allocation a = pool.allocate(60 * kMiB, "a");
    pool.free(a, 3); // still in use

    const Allocation b = pool.allocate(90 * kMiB, "b");

    CHECK(b.size_bytes == 90 * kMiB);
    CHECK(source.drains == 1);
    CHECK(source.live_blocks == 1);
}

TEST_CASE("pool: out of memory names the request, what is free and who holds how much") {
    FakeSource source(100 * kMiB);
    MemoryPool pool(source, {.device_name = "fake GPU"});
    const std::array held{pool.allocate(30 * kMiB, "textures"), pool.allocate(20 * kMiB, "weights"),
                          pool.allocate(20 * kMiB, "weights")};

    const std::string message = out_of_memory(pool, 50 * kMiB, "result");

    CHECK(held.size() == pool.statistics().live_buffers);

    CHECK(
        message ==
        "create_buffer: fake GPU is out of memory: asked for 50 MiB ('result'), 30 MiB of 100 MiB "
        "are "
        "free, Weft uses 70 MiB, held by 'weights' (40 MiB in 2 buffers), 'textures' (30 MiB in 1 "
        "buffer); release arrays that are no longer needed or use smaller ones");
}

TEST_CASE("pool: after close buffers may still be given back and nothing is handed out") {
    FakeSource source(100 * kMiB);
    MemoryPool pool(source, {.device_name = "fake"});
    const Allocation a = pool.allocate(1000, "a");

    pool.close();
    pool.close();
    pool.free(a, 0);

    CHECK(source.live_blocks == 0);
    CHECK(pool.statistics().used == 0);
    CHECK_THROWS_AS(pool.allocate(1000, "a"), DeviceError);
}
