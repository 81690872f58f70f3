// SPDX-License-Identifier: Apache-2.0
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

using weft::core::ArgumentError;
using weft::core::DeviceError;
using weft::core::InternalError;
using weft::device::Buffer;
using weft::device::BufferAccess;
using weft::device::BufferUse;
using weft::device::Kernel;
using weft::device::KernelDesc;
using namespace weft::test;

namespace {

struct StoreArguments {
    std::uint64_t target = 0;
    std::uint32_t value = 0;
    std::uint32_t index = 0;
};

KernelDesc store_desc() {
    return {.entry_point = "store",
            .group_size = {64, 1, 1},
            .argument_bytes = sizeof(StoreArguments),
            .label = "store"};
}

void store(const StoreArguments& arguments) {
    std::memcpy(reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(arguments.target)) +
                    arguments.index * 4ULL,
                &arguments.value, 4);
}

std::shared_ptr<Kernel> create_store(const FakeDevice& device) {
    return device.create_kernel(store_desc(), sizeof(StoreArguments), [](const FakeLaunch& launch) {
        store(launch.read<StoreArguments>());
    });
}

void dispatch_store(FakeDevice& device, Kernel& kernel, Buffer& buffer, std::uint32_t value,
                    std::uint32_t index) {
    const StoreArguments arguments{buffer.address(), value, index};
    const BufferUse use{.buffer = &buffer, .access = BufferAccess::write};
    device->dispatch({.kernel = &kernel, .arguments = bytes_of(arguments), .buffers = {&use, 1}});
}

std::uint32_t read(FakeDevice& device, const Buffer& buffer, std::uint64_t index) {
    std::uint32_t value = 0;
    device->download(buffer, index * 4, std::as_writable_bytes(std::span(&value, 1)));
    return value;
}

} // namespace

TEST_CASE("a dispatch passes its arguments by value, its groups and its group size") {
    FakeDevice device;
    FakeLaunch seen;
    const auto kernel = device.create_kernel(store_desc(), sizeof(StoreArguments),
                                             [&](const FakeLaunch& launch) { seen = launch; });
    StoreArguments arguments{0x1234, 7, 3};

    device->dispatch(
        {.kernel = kernel.get(), .group_count = {5, 6, 7}, .arguments = bytes_of(arguments)});
    arguments.value = 99; // copied at the call
    device->wait();

    CHECK(seen.grid == std::array<unsigned, 3>{5, 6, 7});
    CHECK(seen.block == std::array<unsigned, 3>{64, 1, 1});
    CHECK(seen.read<StoreArguments>().target == 0x1234);
    CHECK(seen.read<StoreArguments>().value == 7);
    device.finish();
}

TEST_CASE("dispatches and transfers take effect in the order of the calls") {
    FakeDevice device;
    const auto kernel = create_store(device);
    const auto buffer = device->create_buffer({.size_bytes = 16});

    device->fill(*buffer, 0, 16, 1);
    dispatch_store(device, *kernel, *buffer, 2, 0);
    dispatch_store(device, *kernel, *buffer, 3, 0);
    dispatch_store(device, *kernel, *buffer, 4, 1);
    const std::uint32_t five = 5;
    device->upload(*buffer, 4, bytes_of(five));

    CHECK(read(device, *buffer, 0) == 3);
    CHECK(read(device, *buffer, 1) == 5);
    CHECK(read(device, *buffer, 2) == 1);
    device.finish();
}

TEST_CASE("arguments shorter than the kernel's padded struct are padded") {
    FakeDevice device;
    std::vector<std::byte> seen;
    const auto kernel =
        device.create_kernel({.entry_point = "padded", .argument_bytes = 12, .label = "padded"}, 16,
                             [&](const FakeLaunch& launch) { seen = launch.parameters; });
    const std::array<std::uint32_t, 3> arguments{1, 2, 3};

    device->dispatch({.kernel = kernel.get(), .arguments = bytes_of(arguments)});
    device->wait();

    REQUIRE(seen.size() == 16);
    CHECK(std::memcmp(seen.data(), arguments.data(), 12) == 0);
    CHECK(seen[12] == std::byte{0});
    device.finish();
}

TEST_CASE("arguments that the kernel does not declare are left out") {
    FakeDevice device;
    std::vector<std::byte> seen;
    const auto kernel =
        device.create_kernel({.entry_point = "short", .argument_bytes = 12, .label = "short"}, 8,
                             [&](const FakeLaunch& launch) { seen = launch.parameters; });
    const std::array<std::uint32_t, 3> arguments{1, 2, 3};

    device->dispatch({.kernel = kernel.get(), .arguments = bytes_of(arguments)});
    device->wait();

    CHECK(seen.size() == 8);
    device.finish();
}

TEST_CASE("a kernel that declares other parameters than Weft packs is a bug of Weft") {
    FakeDevice device;

    CHECK_THROWS_AS(
        device.create_kernel({.entry_point = "other", .argument_bytes = 12, .label = "other"}, 40,
                             [](const FakeLaunch&) {}),
        InternalError);
    CHECK(device.cuda().live_modules == 0);
    device.finish();
}

TEST_CASE("a kernel without arguments is launched without parameters") {
    FakeDevice device;
    int runs = 0;
    const auto kernel = device.create_kernel({.entry_point = "bare", .label = "bare"}, 0,
                                             [&](const FakeLaunch&) { ++runs; });

    device->dispatch({.kernel = kernel.get()});
    device->wait();

    CHECK(runs == 1);
    device.finish();
}

TEST_CASE("arguments by address reach the kernel unchanged, however many dispatches wait") {
    FakeDevice device;
    std::vector<std::uint32_t> seen;
    const KernelDesc desc{.entry_point = "indirect",
                          .argument_bytes = 8192,
                          .arguments_by_address = true,
                          .label = "indirect"};
    const auto kernel = device.create_kernel(desc, 8, [&](const FakeLaunch& launch) {
        const auto* const words = reinterpret_cast<const std::uint32_t*>(
            static_cast<std::uintptr_t>(launch.read<std::uint64_t>()));
        seen.push_back(words[0]);
        seen.push_back(words[2047]);
    });

    std::vector<std::uint32_t> arguments(2048);
    for (std::uint32_t i = 0; i < 2000; ++i) {
        arguments.front() = i;
        arguments.back() = ~i;
        device->dispatch(
            {.kernel = kernel.get(), .arguments = std::as_bytes(std::span(arguments))});
    }
    device->wait();

    REQUIRE(seen.size() == 4000);
    bool is_intact = true;
    for (std::uint32_t i = 0; i < 2000; ++i) {
        is_intact = is_intact && seen[i * 2ULL] == i && seen[i * 2ULL + 1] == ~i;
    }
    CHECK(is_intact);
    CHECK(device->memory_info().used == 0);
    device.finish();
}

TEST_CASE("every dispatch sees its own globals") {
    FakeDevice device;
    std::vector<std::uint32_t> seen;
    const KernelDesc desc{.entry_point = "scaled",
                          .globals = {.size_bytes = 4, .cuda_symbol = "SLANG_globalParams"},
                          .label = "scaled"};
    const auto kernel = device.create_kernel(desc, 0, [&](const FakeLaunch& launch) {
        std::uint32_t value = 0;
        std::memcpy(&value, launch.globals->at("SLANG_globalParams").data(), 4);
        seen.push_back(value);
    });

    for (std::uint32_t value = 1; value <= 3; ++value) {
        device->dispatch({.kernel = kernel.get(), .globals = bytes_of(value)});
    }
    device->wait();

    CHECK(seen == std::vector<std::uint32_t>{1, 2, 3});
    device.finish();
}

TEST_CASE("a dispatch of no groups does nothing") {
    FakeDevice device;
    const auto kernel = create_store(device);
    const StoreArguments arguments{};

    device->dispatch(
        {.kernel = kernel.get(), .group_count = {4, 0, 1}, .arguments = bytes_of(arguments)});
    device->wait();

    CHECK(device.cuda().calls["cuLaunchKernel"] == 0);
    device.finish();
}

TEST_CASE("a launch makes no driver call but the launch and the look at the current context") {
    FakeDevice device;
    const auto kernel = create_store(device);
    const auto buffer = device->create_buffer({.size_bytes = 16});
    dispatch_store(device, *kernel, *buffer, 0, 0);
    const std::map<std::string, int> before = device.cuda().calls;

    for (int i = 0; i < 10; ++i) {
        dispatch_store(device, *kernel, *buffer, 0, 0);
    }

    std::map<std::string, int> made;
    for (const auto& [name, count] : device.cuda().calls) {
        const auto old = before.find(name);
        if (const int more = count - (old == before.end() ? 0 : old->second); more > 0) {
            made[name] = more;
        }
    }
    CHECK(made == std::map<std::string, int>{{"cuLaunchKernel", 10}});
    device.finish();
}

TEST_CASE("a buffer may go while work that uses it waits") {
    FakeDevice device;
    const auto kernel = create_store(device);
    const auto kept = device->create_buffer({.size_bytes = 16});
    {
        const auto temporary = device->create_buffer({.size_bytes = 16});
        dispatch_store(device, *kernel, *temporary, 8, 0);
        device->copy(*kept, 0, *temporary, 0, 16);
    }

    const auto next = device->create_buffer({.size_bytes = 16}); // the same memory
    device->fill(*next, 0, 16, 1);

    CHECK(read(device, *kept, 0) == 8);
    device.finish();
}

TEST_CASE("a kernel may go while its launch waits; its module is unloaded later") {
    FakeDevice device;
    const auto buffer = device->create_buffer({.size_bytes = 16});
    auto kernel = create_store(device);
    dispatch_store(device, *kernel, *buffer, 6, 2);

    kernel.reset();
    CHECK(device.cuda().live_modules == 1);
    CHECK(read(device, *buffer, 2) == 6);
    create_store(device).reset();

    CHECK(device.cuda().live_modules == 0);
    device.finish();
}

TEST_CASE("too many groups are refused with the limit") {
    FakeDevice device;
    const auto kernel = create_store(device);
    const StoreArguments arguments{};

    CHECK(message_of<ArgumentError>([&] {
              device->dispatch({.kernel = kernel.get(),
                                .group_count = {1, 65536, 1},
                                .arguments = bytes_of(arguments)});
          }) == "dispatch: 'store' needs 65536 groups along axis 1, device 'Fake GPU 0' takes at "
                "most 65535; use "
                "larger groups");
    device.finish();
}

TEST_CASE("arguments of another size are a bug of the caller") {
    FakeDevice device;
    const auto kernel = create_store(device);
    const std::uint32_t word = 0;

    CHECK_THROWS_AS(device->dispatch({.kernel = kernel.get(), .arguments = bytes_of(word)}),
                    InternalError);
    device.finish();
}

TEST_CASE("kernels and buffers of another device are refused") {
    FakeDevice device;
    const auto kernel = create_store(device);
    const auto other = device.create(1);
    const auto foreign = other->create_buffer({.size_bytes = 16});
    const StoreArguments arguments{};

    CHECK(message_of<ArgumentError>([&] {
              dispatch_store(device, *kernel, *foreign, 0, 0);
          }).find("dispatch: expected memory of device 'Fake GPU 0'") == 0);
    CHECK(message_of<ArgumentError>([&] {
              other->dispatch({.kernel = kernel.get(), .arguments = bytes_of(arguments)});
          }) == "dispatch: expected a kernel of device 'Fake GPU 1', got one of another device; "
                "load the module on "
                "this device");
    other->close();
}

TEST_CASE("a kernel gets the shared memory that it can use as far as the GPU has it") {
    FakeDevice device;
    device.cuda().shared_bytes = 5248;
    const auto given = [&](std::uint32_t wanted, std::uint32_t threads = 128) {
        KernelDesc desc = store_desc();
        desc.shared_bytes = wanted;
        desc.group_size = {threads, 1, 1};
        const auto kernel = device.create_kernel(desc, sizeof(StoreArguments), [](const auto&) {});
        const StoreArguments arguments{};
        device->dispatch({.kernel = kernel.get(), .arguments = bytes_of(arguments)});
        return device.cuda().given_shared_bytes;
    };

    CHECK(given(0) == 0);
    CHECK(given(4096) == 4096);
    CHECK(given(106496) == 106496);             // two groups on a multiprocessor
    CHECK(given(112000) == (114 << 10) - 6272); // two, where little is missing
    CHECK(given(303104) == (227 << 10) - 5248); // one
    CHECK(given(200000, 256) == 200000);        // one, by its registers
    device.finish();
}

TEST_CASE("a group that needs too many registers is refused when the kernel is made") {
    FakeDevice device;
    device.cuda().max_threads = 32;

    CHECK(message_of<ArgumentError>([&] { (void)create_store(device); }) ==
          "create_kernel: 'store' has groups of 64 threads, and its registers allow at most 32 on "
          "this GPU; use "
          "smaller groups ([numthreads])");
    CHECK(device.cuda().live_modules == 0);
    device.finish();
}

TEST_CASE("a kernel fault explains that the context is lost") {
    FakeDevice device;
    const auto kernel = create_store(device);
    const auto buffer = device->create_buffer({.size_bytes = 16});
    dispatch_store(device, *kernel, *buffer, 0, 0);
    device.cuda().failures["cuStreamQuery"] = CUDA_ERROR_ILLEGAL_ADDRESS;

    try {
        device->wait();
        FAIL("expected an error");
    } catch (const DeviceError& error) {
        CHECK(error.native_call() == "cuStreamQuery");
        CHECK(error.native_code() == CUDA_ERROR_ILLEGAL_ADDRESS);
        CHECK(std::string(error.what())
                  .find("wait: expected cuStreamQuery to succeed, got "
                        "CUDA_ERROR_ILLEGAL_ADDRESS (700); a kernel that ran earlier") == 0);
        CHECK(std::string(error.what()).find("restart the process") != std::string::npos);
    }
    device.finish();
}

TEST_CASE("a debug device names the kernel that failed") {
    FakeDevice device({.is_debug = true});
    const auto kernel = create_store(device);
    const auto buffer = device->create_buffer({.size_bytes = 16});
    device.cuda().failures["cuStreamSynchronize"] = CUDA_ERROR_ILLEGAL_ADDRESS;

    CHECK(message_of<DeviceError>([&] {
              dispatch_store(device, *kernel, *buffer, 0, 0);
          }).find("dispatch: 'store': expected cuStreamSynchronize to succeed") == 0);
    device.cuda().failures.clear();
    device.finish();
}

TEST_CASE("a launch that another library's graph recording forbids says so") {
    FakeDevice device;
    const auto kernel = create_store(device);
    const auto buffer = device->create_buffer({.size_bytes = 16});
    device.cuda().failures["cuLaunchKernel"] = CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;

    CHECK(
        message_of<DeviceError>([&] { dispatch_store(device, *kernel, *buffer, 0, 0); }) ==
        "dispatch: 'store': expected cuLaunchKernel to succeed, got "
        "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT (906); "
        "another library records a CUDA graph in this thread: call Weft outside of that recording");
    device.cuda().failures.clear();
    device.finish();
}
