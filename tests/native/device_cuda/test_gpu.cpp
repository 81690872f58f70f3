// SPDX-License-Identifier: Apache-2.0
// The CUDA backend on a GPU. Every case says so and passes where there is none.
#include "core/error.hpp"
#include "device/command_list.hpp"
#include "device_cuda/gpu_support.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <chrono>
#include <cstring>
#include <numeric>
#include <thread>

#if !defined(_WIN32)
#include <sys/wait.h>
#include <unistd.h>
#endif

using weft::core::DeviceError;
using weft::core::Interrupted;
using weft::device::Buffer;
using weft::device::CommandList;
using weft::device::Device;
using weft::device::Kernel;
using weft::device::MemoryKind;
using namespace weft::test;

namespace {

using Floats = std::vector<float>;

Floats counting(std::size_t count, float first) {
    Floats values(count);
    for (std::size_t i = 0; i < count; ++i) {
        values[i] = first + static_cast<float>(i % 8191);
    }
    return values;
}

std::shared_ptr<Buffer> create_filled(Device& device, const Floats& values) {
    auto buffer =
        device.create_buffer({.size_bytes = values.size() * sizeof(float), .label = "values"});
    device.upload(*buffer, 0, std::as_bytes(std::span(values)));
    return buffer;
}

Floats read(Device& device, const Buffer& buffer) {
    Floats values(buffer.size_bytes() / sizeof(float));
    device.download(buffer, 0, std::as_writable_bytes(std::span(values)));
    return values;
}

Floats sum(const Floats& a, const Floats& b) {
    Floats result(a.size());
    std::transform(a.begin(), a.end(), b.begin(), result.begin(), std::plus<>());
    return result;
}

void spin(Device& device, Kernel& kernel, const Buffer& counter, std::uint64_t nanoseconds) {
    const SpinArguments arguments{counter.address(), nanoseconds};
    device.dispatch({.kernel = &kernel, .arguments = std::as_bytes(std::span(&arguments, 1))});
}

} // namespace

TEST_CASE("a GPU adds arrays, its arguments passed by value and by address") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const Floats a = counting(1'000'003, 0.25F);
    const Floats b = counting(1'000'003, 100.F);
    const auto buffer_a = create_filled(*device, a);
    const auto buffer_b = create_filled(*device, b);

    for (const bool by_address : {false, true}) {
        const auto result = device->create_buffer({.size_bytes = a.size() * sizeof(float)});
        add(*device, *create_add(*device, by_address), *buffer_a, *buffer_b, *result);
        CHECK(read(*device, *result) == sum(a, b));
    }
}

TEST_CASE("a GPU's info is plausible") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto& info = device->info();
    WARN(info.name << ", " << info.driver << ", " << info.architecture << ", "
                   << (info.memory_bytes >> 20) << " MiB");
    const auto memory = device->memory_info();

    CHECK_FALSE(info.name.empty());
    CHECK(info.architecture.find("sm_") == 0);
    CHECK(info.limits.subgroup_size == 32);
    CHECK(memory.total == info.memory_bytes);
    CHECK(memory.available <= memory.total);
    CHECK(device->native_context() != 0);
    CHECK(device->native_stream() == 1);
}

TEST_CASE("a large array goes to a GPU and comes back") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const Floats values = counting((std::size_t{64} << 20) + 7, 3.F);

    CHECK(read(*device, *create_filled(*device, values)) == values);
}

TEST_CASE("a GPU's readback memory shows a result after a wait") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto kernel = create_scale(*device);
    const auto result = device->create_buffer({.size_bytes = 4, .memory = MemoryKind::readback});

    for (float scale = 1; scale < 200; ++scale) {
        const ScaleArguments arguments{result->address(), 0.5F};
        device->dispatch({.kernel = kernel.get(),
                          .arguments = std::as_bytes(std::span(&arguments, 1)),
                          .globals = std::as_bytes(std::span(&scale, 1))});
        device->wait();
        float value = 0;
        std::memcpy(&value, result->mapped(), sizeof value);
        REQUIRE(value == scale * 0.5F);
    }
}

TEST_CASE("every dispatch on a GPU sees its own globals, without a wait between") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto kernel = create_scale(*device);
    const auto results = device->create_buffer({.size_bytes = 1000 * sizeof(float)});
    Floats expected(1000);

    for (std::size_t i = 0; i < expected.size(); ++i) {
        const auto scale = static_cast<float>(i);
        const ScaleArguments arguments{results->address() + i * sizeof(float), 2.F};
        device->dispatch({.kernel = kernel.get(),
                          .arguments = std::as_bytes(std::span(&arguments, 1)),
                          .globals = std::as_bytes(std::span(&scale, 1))});
        expected[i] = 2.F * scale;
    }

    CHECK(read(*device, *results) == expected);
}

TEST_CASE("temporaries on a GPU may go while work that uses them waits") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto kernel = create_add(*device);
    const Floats ones(4096, 1.F);
    const auto one = create_filled(*device, ones);
    auto total = create_filled(*device, Floats(4096, 0.F));

    for (int i = 0; i < 2000; ++i) {
        auto next = device->create_buffer({.size_bytes = 4096 * sizeof(float)});
        add(*device, *kernel, *total, *one, *next);
        total = std::move(next);
    }

    CHECK(read(*device, *total) == Floats(4096, 2000.F));
    CHECK(device->memory_info().reserved <= (std::uint64_t{64} << 20));
}

TEST_CASE("a command list on a GPU gives the same result at every submit") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto direct = create_add(*device);
    const auto indirect = create_add(*device, true);
    const auto one = create_filled(*device, Floats(1024, 1.F));
    const auto total = create_filled(*device, Floats(1024, 0.F));
    CommandList list(device);
    for (Kernel* const kernel : {direct.get(), indirect.get(), direct.get()}) {
        const AddArguments arguments{total->address(), one->address(), total->address(), 1024};
        list.record(
            {.kernel = kernel,
             .group_count = {4, 1, 1},
             .arguments = std::as_bytes(std::span(&arguments, 1)).first(kAddArgumentBytes)});
    }

    for (int i = 0; i < 100; ++i) {
        list.submit();
    }

    CHECK(read(*device, *total) == Floats(1024, 300.F));
}

TEST_CASE("a command list on a GPU gives every kernel its own globals") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto kernel = create_scale(*device);
    const auto results = device->create_buffer({.size_bytes = 4 * sizeof(float)});
    CommandList list(device);
    for (std::uint64_t i = 0; i < 4; ++i) {
        const auto scale = static_cast<float>(i + 1);
        const ScaleArguments arguments{results->address() + i * sizeof(float), 10.F};
        list.record({.kernel = kernel.get(),
                     .arguments = std::as_bytes(std::span(&arguments, 1)),
                     .globals = std::as_bytes(std::span(&scale, 1))});
    }
    list.submit();
    device->fill(*results, 0, 4 * sizeof(float), 0);

    list.submit();

    CHECK(read(*device, *results) == Floats{10.F, 20.F, 30.F, 40.F});
}

TEST_CASE("half arithmetic runs on a GPU") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto a = create_filled(*device, counting(256, 0.5F));
    const auto b = create_filled(*device, Floats(256, 0.25F));
    const auto result = device->create_buffer({.size_bytes = 1024});

    add(*device, *create_half_add(*device), *a, *b, *result);

    CHECK(read(*device, *result) == counting(256, 0.75F));
}

TEST_CASE("a warm cache makes a GPU kernel without NVRTC") {
    const TemporaryFolder cache;
    const auto first = try_create_gpu(cache.path().string());
    if (!first) {
        return;
    }
    const auto milliseconds = [](const auto& work) {
        const auto start = std::chrono::steady_clock::now();
        work();
        return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
            .count();
    };
    const double cold = milliseconds([&] { (void)create_half_add(*first); });
    const auto second = try_create_gpu(cache.path().string());
    const double warm = milliseconds([&] { (void)create_half_add(*second); });

    WARN("create_kernel: cold " << cold << " ms, warm " << warm << " ms");
    CHECK(warm < cold / 2);
}

TEST_CASE("an allocation larger than a GPU is refused with a report, and the device works on") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto held =
        device->create_buffer({.size_bytes = std::uint64_t{64} << 20, .label = "held"});
    std::string message;
    try {
        (void)device->create_buffer({.size_bytes = std::uint64_t{4} << 40, .label = "huge"});
    } catch (const DeviceError& error) {
        message = error.what();
        CHECK(error.kind() == DeviceError::Kind::out_of_memory);
    }

    CHECK(message.find("is out of memory: asked for 4 TiB ('huge')") != std::string::npos);
    CHECK(message.find("held by 'held' (64 MiB in 1 buffer)") != std::string::npos);
    CHECK(read(*device, *create_filled(*device, {1.F})) == Floats{1.F});
}

TEST_CASE("waiting for a GPU polls, can be interrupted, and the work still ends") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto kernel = create_spin(*device);
    const auto counter = device->create_buffer({.size_bytes = 4});
    device->fill(*counter, 0, 4, 0);
    spin(*device, *kernel, *counter, 400'000'000);
    int polls = 0;

    CHECK_THROWS_AS(device->wait([&] {
        if (++polls == 3) {
            throw Interrupted();
        }
    }),
                    Interrupted);

    std::uint32_t value = 0;
    device->download(*counter, 0, std::as_writable_bytes(std::span(&value, 1)));
    CHECK(polls == 3);
    CHECK(value == 1);
}

TEST_CASE("several threads use one GPU device, and two devices share one GPU") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto second = try_create_gpu();
    std::vector<std::thread> threads;
    std::array<bool, 4> good{};
    for (std::size_t t = 0; t < good.size(); ++t) {
        threads.emplace_back([&, t] {
            Device& mine = t % 2 == 0 ? *device : *second;
            const auto kernel = create_add(mine);
            const Floats a = counting(10'000, static_cast<float>(t));
            const auto buffer = create_filled(mine, a);
            bool is_good = true;
            for (int i = 0; i < 200; ++i) {
                const auto result = mine.create_buffer({.size_bytes = a.size() * sizeof(float)});
                add(mine, *kernel, *buffer, *buffer, *result);
                is_good = is_good && (i % 10 != 0 || read(mine, *result) == sum(a, a));
            }
            good[t] = is_good;
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }

    CHECK(good == std::array{true, true, true, true});
}

TEST_CASE("closing a GPU device finishes its work, and its buffers may go later") {
    auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto kernel = create_spin(*device);
    const auto counter = device->create_buffer({.size_bytes = 4});
    spin(*device, *kernel, *counter, 50'000'000);

    device->close();

    CHECK_THROWS_AS(device->wait(), DeviceError);
}

#if !defined(_WIN32)
TEST_CASE("a child after fork does not use the parent's GPU device") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto buffer = device->create_buffer({.size_bytes = 4});
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        bool is_good = false;
        try {
            device->fill(*buffer, 0, 4, 1);
        } catch (const DeviceError& error) {
            is_good = std::string(error.what()).find("forked after the device was created") !=
                      std::string::npos;
        }
        _exit(is_good ? 0 : 1);
    }
    int status = 0;
    waitpid(child, &status, 0);

    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 0);
    CHECK_NOTHROW(device->wait());
}
#endif

// Ends the context for the whole process, so it is hidden and runs in a process of its own (see CMakeLists.txt).
TEST_CASE("a kernel fault on a GPU explains that the context is lost", "[.lost_context]") {
    const auto device = try_create_gpu();
    if (!device) {
        return;
    }
    const auto buffer = device->create_buffer({.size_bytes = 4});
    const auto kernel = create_fault(*device);
    std::string message;

    device->dispatch({.kernel = kernel.get()});
    try {
        device->wait();
    } catch (const DeviceError& error) {
        message = error.what();
    }

    CHECK(message.find("CUDA_ERROR_ILLEGAL_ADDRESS (700); a kernel that ran earlier most likely") !=
          std::string::npos);
    CHECK_THROWS_AS(device->fill(*buffer, 0, 4, 1), DeviceError);
    CHECK_NOTHROW(device->close());
}
