// SPDX-License-Identifier: Apache-2.0
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

#include <thread>

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

using weft::core::DeviceError;
using namespace weft::test;

TEST_CASE("a closed CUDA device says so in every method and keeps nothing") {
    FakeDevice device;
    const auto kernel =
        device.create_kernel({.entry_point = "bare", .label = "bare"}, 0, [](const FakeLaunch&) {});
    const auto buffer = device->create_buffer({.size_bytes = 16});
    std::array<std::byte, 4> bytes{};
    device->upload(*buffer, 0, bytes);

    device->close();
    device->close();

    const auto says_closed = [&](const std::string& function, auto&& call) {
        CHECK(message_of<DeviceError>(call) ==
              function + ": device 'Fake GPU 0' is closed; create a new one with create_device()");
    };
    says_closed("create_buffer", [&] { (void)device->create_buffer({.size_bytes = 4}); });
    says_closed("create_kernel", [&] { (void)device->create_kernel({}); });
    says_closed("dispatch", [&] { device->dispatch({.kernel = kernel.get()}); });
    says_closed("flush", [&] { device->flush(); });
    says_closed("wait", [&] { device->wait(); });
    says_closed("upload", [&] { device->upload(*buffer, 0, bytes); });
    says_closed("download", [&] { device->download(*buffer, 0, bytes); });
    says_closed("copy", [&] { device->copy(*buffer, 0, *buffer, 8, 4); });
    says_closed("fill", [&] { device->fill(*buffer, 0, 4, 0); });
    says_closed("memory_info", [&] { (void)device->memory_info(); });
    says_closed("submit", [&] { (void)device->create_replay({}); });
    CHECK(device->native_context() == 0);
    CHECK(device.cuda().device_blocks.empty());
    CHECK(device.cuda().live_modules == 0);
}

TEST_CASE("buffers and kernels keep a device alive that nobody holds any more") {
    FakeDevice device;
    std::shared_ptr<weft::device::Device> second = device.create(1);
    auto buffer = second->create_buffer({.size_bytes = 16});
    auto* const raw = second.get();

    second.reset();
    raw->fill(*buffer, 0, 16, 1);
    CHECK(device.cuda().retained[1] == 1);
    buffer.reset();

    CHECK(device.cuda().retained[1] == 0);
    device.finish();
}

TEST_CASE("a device that is closed after its context was lost still gives everything back") {
    FakeDevice device;
    const auto buffer = device->create_buffer({.size_bytes = 16});
    device->fill(*buffer, 0, 16, 1);
    device.cuda().failures["cuStreamSynchronize"] = CUDA_ERROR_ILLEGAL_ADDRESS;

    CHECK_NOTHROW(device.finish());
}

TEST_CASE("several threads launch, upload and read on one device") {
    FakeDevice device;
    device.cuda().runs_by_itself = true;
    const auto work = [&](std::uint32_t seed) {
        const auto buffer = device->create_buffer({.size_bytes = 4096});
        for (std::uint32_t i = 0; i < 200; ++i) {
            const std::vector<std::uint32_t> sent(1024, seed + i);
            std::vector<std::uint32_t> got(1024);
            device->upload(*buffer, 0, std::as_bytes(std::span(sent)));
            device->download(*buffer, 0, std::as_writable_bytes(std::span(got)));
            if (got != sent) {
                throw std::runtime_error("a thread read what another one wrote");
            }
        }
    };
    std::vector<std::exception_ptr> errors(4);
    std::vector<std::thread> threads;

    for (std::uint32_t t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            try {
                work(t * 1000);
            } catch (...) {
                errors[t] = std::current_exception();
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    for (const std::exception_ptr& error : errors) {
        CHECK(error == nullptr);
    }
    device.finish();
}

#if !defined(_WIN32)
TEST_CASE("a child after fork gets a clear error and does not touch the driver") {
    FakeDevice device;
    auto buffer = device->create_buffer({.size_bytes = 16});
    const std::map<std::string, int> before = device.cuda().calls;

    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        bool is_good = false;
        try {
            device->fill(*buffer, 0, 16, 1);
        } catch (const DeviceError& error) {
            is_good = std::string(error.what())
                          .find("fill: this process was forked after the device was created") == 0;
        }
        buffer.reset();
        _exit(is_good && device.cuda().calls == before ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);

    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK_NOTHROW(device->fill(*buffer, 0, 16, 1));
    buffer.reset();
    device.finish();
}
#endif

TEST_CASE("a CUDA device closes beside threads that read without a pause") {
    const int count = GENERATE(1, 2, 8);
    FakeDevice device;
    device.cuda().runs_by_itself = true;
    const auto buffer = device->create_buffer({.size_bytes = 4});
    device->fill(*buffer, 0, 4, 7);
    std::atomic<int> rounds{0};
    std::atomic<int> refused{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < count; ++i) {
        threads.emplace_back([&] {
            std::array<std::byte, 4> word{};
            try {
                for (;; ++rounds) {
                    device->download(*buffer, 0, word);
                }
            } catch (const DeviceError&) {
                ++refused;
            }
        });
    }
    while (rounds < 2 * count) {
        std::this_thread::yield();
    }

    device->close();

    for (std::thread& thread : threads) {
        thread.join();
    }
    CHECK(refused == count);
}
