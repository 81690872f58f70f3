// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/interrupt.hpp"
#include "device/pinned_ranges.hpp"
#include "device/staged_transfer.hpp"
#include "support/catch.hpp"

#include <atomic>
#include <cstring>
#include <deque>
#include <random>
#include <thread>
#include <vector>

using weft::core::DeviceError;
using weft::core::Interrupted;
using weft::core::InterruptPoll;
using weft::device::PinnedRanges;
using weft::device::StagedTransfer;

namespace {

constexpr std::uint64_t kSlotBytes = StagedTransfer::kPageBytes;

/// A device whose copies end some time after they were queued, in their order, by a thread of its own.
class SlowDevice final : public StagedTransfer {
public:
    SlowDevice(std::size_t slots, std::uint64_t bytes)
        : StagedTransfer(kSlotBytes), array(bytes),
          m_slots(slots, std::vector<std::byte>(kSlotBytes)), m_pending(slots) {
        m_engine = std::thread([this] { work(); });
    }
    ~SlowDevice() override {
        m_is_closing = true;
        m_engine.join();
    }

    void write(std::span<const std::byte> bytes, const InterruptPoll& poll = {}) {
        const auto turn = take_turn(poll);
        m_is_upload = true;
        upload(bytes, m_slots.size(), poll);
    }
    void read(std::span<std::byte> bytes, const InterruptPoll& poll = {}) {
        const auto turn = take_turn(poll);
        m_is_upload = false;
        download(bytes, m_slots.size(), poll);
    }
    void wait() {
        for (const auto& pending : m_pending) {
            while (pending != 0) {
                std::this_thread::yield();
            }
        }
    }

    std::vector<std::byte> array;
    std::atomic<bool> is_stuck{false}; ///< no copy ends
    std::atomic<int> failing_copy{
        0}; ///< the number of the copy, from now on, that cannot be queued; 0: none

private:
    struct Copy {
        std::size_t slot;
        std::uint64_t offset, size;
        bool is_upload;
    };

    std::byte* memory(std::size_t slot) override { return m_slots[slot].data(); }
    void queue_copy(std::size_t slot, std::uint64_t offset, std::uint64_t size) override {
        if (failing_copy > 0 && --failing_copy == 0) {
            throw DeviceError("upload: the test lets this copy fail");
        }
        const std::lock_guard lock(m_mutex);
        ++m_pending[slot];
        m_queue.push_back({slot, offset, size, m_is_upload});
    }
    bool is_done(std::size_t slot) override { return m_pending[slot] == 0; }

    void work() {
        std::minstd_rand random(1);
        while (!m_is_closing) {
            std::unique_lock lock(m_mutex);
            if (is_stuck || m_queue.empty()) {
                lock.unlock();
                std::this_thread::yield();
                continue;
            }
            const Copy copy = m_queue.front();
            m_queue.pop_front();
            lock.unlock();
            std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
            std::byte* const slot = m_slots[copy.slot].data();
            std::byte* const there = array.data() + copy.offset;
            std::memcpy(copy.is_upload ? there : slot, copy.is_upload ? slot : there, copy.size);
            --m_pending[copy.slot];
        }
    }

    std::vector<std::vector<std::byte>> m_slots;
    std::vector<std::atomic<int>> m_pending;
    std::deque<Copy> m_queue;
    std::mutex m_mutex;
    std::atomic<bool> m_is_closing{false};
    std::atomic<bool> m_is_upload{false};
    std::thread m_engine;
};

std::vector<std::byte> random_bytes(std::size_t count) {
    std::vector<std::byte> bytes(count);
    std::minstd_rand random(7);
    for (std::byte& byte : bytes) {
        byte = static_cast<std::byte>(random() >> 8U);
    }
    return bytes;
}

} // namespace

TEST_CASE("a staged transfer brings every byte, whatever its size, place and number of slots") {
    const auto slots = GENERATE(std::size_t{2}, std::size_t{5}, std::size_t{16});
    const std::uint64_t size =
        GENERATE(std::uint64_t{1}, kSlotBytes, 5 * kSlotBytes + 12345, 13 * kSlotBytes - 1);
    const auto shift = GENERATE(std::size_t{0}, std::size_t{3});
    SlowDevice device(slots, size);
    const std::vector<std::byte> bytes = random_bytes(size + shift);
    const std::span<const std::byte> given = std::span(bytes).subspan(shift);
    std::vector<std::byte> found(size + shift);

    device.write(given);
    device.wait();
    CHECK(std::memcmp(device.array.data(), given.data(), size) == 0);
    device.read(std::span(found).subspan(shift));

    CHECK(std::memcmp(found.data() + shift, given.data(), size) == 0);
}

TEST_CASE("staged transfers of several threads take turns") {
    SlowDevice device(4, 6 * kSlotBytes);
    const std::vector<std::byte> bytes = random_bytes(6 * kSlotBytes);
    device.write(bytes);
    device.wait();
    std::atomic<int> right{0};
    std::vector<std::thread> threads;

    for (int i = 0; i < 3; ++i) {
        threads.emplace_back([&] {
            std::vector<std::byte> found(bytes.size());
            device.read(found);
            right += found == bytes ? 1 : 0;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    CHECK(right == 3);
}

TEST_CASE("a staged transfer that fails ends all its threads, and the next one is right") {
    const auto number = GENERATE(1, 4, 11);
    SlowDevice device(4, 12 * kSlotBytes);
    const std::vector<std::byte> bytes = random_bytes(12 * kSlotBytes);
    std::vector<std::byte> found(bytes.size());

    device.failing_copy = number;
    CHECK_THROWS_AS(device.write(bytes), DeviceError);
    device.failing_copy = number;
    CHECK_THROWS_AS(device.read(found), DeviceError);

    device.failing_copy = 0;
    device.write(bytes);
    device.read(found);
    CHECK(found == bytes);
}

TEST_CASE("a staged download that waits for the device polls, and can be interrupted") {
    SlowDevice device(4, 12 * kSlotBytes);
    std::vector<std::byte> found(12 * kSlotBytes);
    device.is_stuck = true;
    int polls = 0;

    CHECK_THROWS_AS(device.read(found,
                                [&] {
                                    if (++polls == 2) {
                                        throw Interrupted();
                                    }
                                }),
                    Interrupted);

    device.is_stuck = false;
    device.read(found);
    CHECK(polls == 2);
    CHECK(found == device.array);
}

TEST_CASE("pinned memory is found by any part of it that is large enough") {
    class NoBuffer final : public weft::device::Buffer {
    public:
        NoBuffer() : Buffer(nullptr) {}
    };
    const std::size_t least = PinnedRanges::kSmallestBytes;
    std::vector<std::byte> memory(4 * least);
    const std::span all(memory);
    auto buffer = std::make_shared<NoBuffer>();
    PinnedRanges ranges;
    ranges.add(all.subspan(least, 2 * least), buffer);

    CHECK(ranges.find(all.subspan(least, 2 * least)).buffer == buffer);
    CHECK(ranges.find(all.subspan(least + 8, least)).offset == 8);
    CHECK(!ranges.find(all.subspan(least, least - 1)).buffer);
    CHECK(!ranges.find(all.subspan(least - 1, least)).buffer);
    CHECK(!ranges.find(all.subspan(2 * least + 1, least)).buffer);
    CHECK(!ranges.find(all.subspan(3 * least, least)).buffer);
    CHECK(!ranges.remove(all.data()));
    CHECK(ranges.remove(all.data() + least));
    CHECK(!ranges.find(all.subspan(least, least)).buffer);
}
