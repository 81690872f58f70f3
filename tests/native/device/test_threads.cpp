// SPDX-License-Identifier: Apache-2.0
#include "device/support.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <thread>

using namespace weft::device;
using namespace weft::test;

TEST_CASE("threads share one device and each gets its own results") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::double_and_increment);
    std::array<std::atomic<int>, kThreads> correct{};

    const bool is_clean = run_threads([&](int thread) {
        for (std::uint32_t i = 0; i < 50; ++i) {
            const auto seed = static_cast<std::uint32_t>(thread) * 1000 + i;
            const auto source = create_filled(*device, std::vector<std::uint32_t>(300, seed));
            const auto target = device->create_buffer({.size_bytes = 1200, .label = "target"});
            double_and_increment(*device, *kernel, *source, *target);
            correct[static_cast<std::size_t>(thread)] +=
                read<std::uint32_t>(*device, *target) ==
                std::vector<std::uint32_t>(300, 2 * seed + 1);
        }
    });

    CHECK(is_clean);
    for (const auto& count : correct) {
        CHECK(count == 50);
    }
}

TEST_CASE("other threads record while one waits") {
    const CheckedDevice device;
    const auto spinner = create_kernel(*device, TestKernel::spin);
    const auto fast = create_filled<std::uint32_t>(*device, {1});
    const auto busy = keep_busy(*device, *spinner);

    std::atomic<bool> is_waiting{true};
    std::thread waiter([&] {
        device->wait();
        is_waiting = false;
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    spin(*device, *spinner, *fast, 1);
    const bool was_waiting = is_waiting;
    waiter.join();

    CHECK(was_waiting);
}

TEST_CASE("kernels are created and dropped by several threads at once") {
    const CheckedDevice device;

    const bool is_clean = run_threads([&](int) {
        for (int i = 0; i < 5; ++i) {
            const auto kernel = create_kernel(*device, TestKernel::spin);
            const auto buffer = create_filled<std::uint32_t>(*device, {1});
            spin(*device, *kernel, *buffer, 10);
        }
    });

    CHECK(is_clean);
}
