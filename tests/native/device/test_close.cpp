// SPDX-License-Identifier: Apache-2.0
#include "device/null/null_device.hpp"
#include "device/support.hpp"
#include "device/use_gate.hpp"
#include "support/catch.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

using namespace weft::device;
using namespace weft::test;
using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

constexpr auto kMost = 20s; // where it used to be for ever

/// Threads that read results over and over until the device refuses them.
class Readers {
public:
    Readers(Device& device, Buffer& buffer, int count) {
        for (int i = 0; i < count; ++i) {
            m_threads.emplace_back(
                [this, &device, &buffer] { read_until_refused(device, buffer); });
        }
        while (m_rounds < 2 * count) {
            std::this_thread::sleep_for(1ms);
        }
    }
    ~Readers() {
        for (std::thread& thread : m_threads) {
            thread.join();
        }
    }
    Readers(const Readers&) = delete;
    Readers& operator=(const Readers&) = delete;

    /// Threads that ended with "... is closed".
    int wait_for_refusals() {
        for (std::thread& thread : m_threads) {
            thread.join();
        }
        m_threads.clear();
        return m_refused;
    }

private:
    void read_until_refused(Device& device, Buffer& buffer) {
        std::array<std::byte, 4> word{};
        try {
            for (;;) {
                device.download(buffer, 0, word);
                ++m_rounds;
            }
        } catch (const weft::core::DeviceError& error) {
            m_refused += std::string(error.what()).find("is closed") != std::string::npos ? 1 : 0;
        }
    }

    std::vector<std::thread> m_threads;
    std::atomic<int> m_rounds{0};
    std::atomic<int> m_refused{0};
};

void check_close_ends_readers(Device& device, int count) {
    const auto buffer = device.create_buffer({.size_bytes = 4, .label = "read"});
    device.fill(*buffer, 0, 4, 7);
    Readers readers(device, *buffer, count);

    const auto start = Clock::now();
    device.close();

    CHECK(Clock::now() - start < kMost);
    CHECK(readers.wait_for_refusals() == count);
    CHECK(device.is_closed());
}

} // namespace

TEST_CASE("close ends beside threads that read without a pause") {
    const int count = GENERATE(1, 2, 3, 5, 8);
    const bool is_null = GENERATE(true, false);
    CAPTURE(count, is_null);
    if (is_null) {
        check_close_ends_readers(*create_null_device(), count);
    } else {
        const CheckedDevice device;
        check_close_ends_readers(*device, count);
    }
}

TEST_CASE("close waits for a long command and refuses those who come meanwhile") {
    const int count = GENERATE(1, 4, 8);
    CAPTURE(count);
    const CheckedDevice device;
    const auto spinner = create_kernel(*device, TestKernel::spin);
    const auto result = device->create_buffer({.size_bytes = 4, .label = "read"});
    device->fill(*result, 0, 4, 7);
    Readers readers(*device, *result, count);
    const auto busy = keep_busy(*device, *spinner);

    const auto start = Clock::now();
    device->close();

    CHECK(Clock::now() - start < kMost);
    CHECK(readers.wait_for_refusals() == count);
}

TEST_CASE("several threads close one device") {
    const CheckedDevice device;
    const auto spinner = create_kernel(*device, TestKernel::spin);
    const auto busy = keep_busy(*device, *spinner);
    std::vector<std::thread> threads;

    for (int i = 0; i < 4; ++i) {
        threads.emplace_back([&] { device->close(); });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    CHECK(device->is_closed());
}

TEST_CASE("close can be interrupted and called again") {
    std::atomic<bool> is_interrupted{false};
    const auto poll = [&] {
        if (is_interrupted) {
            throw weft::core::Interrupted();
        }
    };
    const CheckedDevice device(
        Device::create({.type = DeviceType::vulkan, .debug = true, .poll = poll}));
    const auto spinner = create_kernel(*device, TestKernel::spin);
    const auto busy = keep_busy(*device, *spinner);

    is_interrupted = true;
    CHECK_THROWS_AS(device->close(), weft::core::Interrupted);
    is_interrupted = false;

    CHECK_THROWS_AS(device->flush(), weft::core::DeviceError);
    device->close();
    CHECK(device->is_closed());
}

TEST_CASE("a full queue can be interrupted, and the device goes on") {
    std::atomic<bool> is_interrupted{false};
    const CheckedDevice device(
        Device::create({.type = DeviceType::vulkan, .debug = true, .poll = [&] {
                            if (is_interrupted) {
                                throw weft::core::Interrupted();
                            }
                        }}));
    const auto spinner = create_kernel(*device, TestKernel::spin);
    if (!device->info().features.is_software) {
        SUCCEED("a GPU is done before a wait is long enough to be interrupted");
        return;
    }
    const auto target = create_filled(*device, std::vector<std::uint32_t>(1U << 13, 1));
    is_interrupted = true;

    const auto fill_queue = [&] {
        for (int i = 0; i < 100; ++i) { // more than the batches that may be under way
            spin(*device, *spinner, *target, 65'000);
            device->flush();
        }
    };

    CHECK_THROWS_AS(fill_queue(), weft::core::Interrupted);
    is_interrupted = false;
    const auto numbers = create_filled(*device, std::vector<std::uint32_t>{1, 2, 3});
    CHECK(read<std::uint32_t>(*device, *numbers) == std::vector<std::uint32_t>{1, 2, 3});
}

TEST_CASE("a gate lets nobody in once it is closed, and closes when the last has left") {
    UseGate gate;
    std::atomic<bool> is_closed{false};
    auto inside = std::make_unique<UseGate::Use>(gate);
    REQUIRE(*inside);

    std::thread closer([&] {
        gate.close({});
        is_closed = true;
    });
    while (!gate.is_closed()) {
        std::this_thread::sleep_for(1ms);
    }

    CHECK_FALSE(UseGate::Use(gate));
    std::this_thread::sleep_for(20ms);
    CHECK_FALSE(is_closed);
    inside.reset();
    closer.join();
    CHECK(is_closed);
    CHECK_FALSE(UseGate::Use(gate));
}
