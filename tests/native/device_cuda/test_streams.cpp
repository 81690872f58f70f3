// SPDX-License-Identifier: Apache-2.0
// Order with streams that are not Weft's.
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

#include <array>

using weft::core::ArgumentError;
using weft::device::Buffer;
using weft::device::BufferAccess;
using weft::device::BufferUse;
using weft::device::Kernel;
using namespace weft::test;

namespace {

constexpr std::uint64_t kTheirs = 0x5000;

FakeCuda::Stream& theirs(FakeDevice& device) {
    return device.cuda().streams[kTheirs];
}

std::uint32_t* memory_of(const Buffer& buffer) {
    return reinterpret_cast<std::uint32_t*>( // NOLINT: the fake's device memory is host memory
        static_cast<std::uintptr_t>(buffer.address()));
}

} // namespace

TEST_CASE("work of another stream runs before what is queued after wait_for_stream") {
    FakeDevice device;
    const auto source = device->create_buffer({.size_bytes = 4});
    const auto target = device->create_buffer({.size_bytes = 4});
    device->fill(*source, 0, 4, 1);
    std::uint32_t seen = 0;

    SECTION("ordered") {
        theirs(device).queue.emplace_back([&] { *memory_of(*source) = 7; });
        device->wait(); // ours is done, theirs is not
        device->wait_for_stream(kTheirs);
        device->copy(*target, 0, *source, 0, 4);
        theirs(device).queue.emplace_back([&] { *memory_of(*source) = 9; }); // too late to be seen
        device->download(*target, 0, std::as_writable_bytes(std::span(&seen, 1)));
        CHECK(seen == 7);
    }
    SECTION("without it nothing makes them wait") {
        theirs(device).queue.emplace_back([&] { *memory_of(*source) = 7; });
        device->copy(*target, 0, *source, 0, 4);
        device->download(*target, 0, std::as_writable_bytes(std::span(&seen, 1)));
        CHECK(seen == 1);
    }
    device.finish();
}

TEST_CASE("another stream goes on after what was queued before make_stream_wait") {
    FakeDevice device;
    const auto buffer = device->create_buffer({.size_bytes = 4});
    std::uint32_t seen = 0;

    FakeCuda::Stream& stream = theirs(device);
    device->fill(*buffer, 0, 4, 5);
    device->make_stream_wait(kTheirs);
    device->fill(*buffer, 0, 4, 6); // later than the order
    stream.queue.emplace_back([&] { seen = *memory_of(*buffer); });
    stream.run_to(stream.queue.size());

    CHECK(seen == 5);
    device.finish();
}

TEST_CASE("a captured stream is refused before anything is recorded") {
    FakeDevice device;
    theirs(device).is_captured = true;

    const std::string message =
        message_of<ArgumentError>([&] { device->wait_for_stream(kTheirs); });

    CHECK(message.find("captures a CUDA graph") != std::string::npos);
    CHECK(device.cuda().calls["cuEventRecord"] == 0);
    CHECK(device.cuda().calls["cuStreamWaitEvent"] == 0);
    device.finish();
}

namespace {

/// A kernel that stores its second argument at its first.
std::shared_ptr<Kernel> create_store(FakeDevice& device) {
    return device.create_kernel(
        {.entry_point = "store", .argument_bytes = 16, .label = "store"}, 16,
        [](const FakeLaunch& launch) {
            const auto address = launch.read<std::uint64_t>();
            *reinterpret_cast<std::uint32_t*>( // NOLINT: the fake's device memory is host memory
                static_cast<std::uintptr_t>(address)) = launch.read<std::uint32_t>(8);
        });
}

struct StoreArguments {
    std::uint64_t address = 0;
    std::uint64_t value = 0;
};

void dispatch_store(FakeDevice& device, Kernel& kernel, Buffer& buffer, std::uint64_t value) {
    const StoreArguments arguments{buffer.address(), value};
    const std::array uses{BufferUse{.buffer = &buffer, .access = BufferAccess::write}};
    device->dispatch(
        {.kernel = &kernel, .arguments = bytes_of(arguments), .buffers = uses, .stream = kTheirs});
}

} // namespace

TEST_CASE("a launch that uses lent memory alone goes into the stream that it names") {
    FakeDevice device;
    FakeCuda::Stream& stream = theirs(device);
    const auto kernel = create_store(device);
    std::array<std::uint32_t, 4> memory{};
    const auto lent = device->lend(reinterpret_cast<std::uintptr_t>(memory.data()), 16, nullptr);

    SECTION("without an event") {
        dispatch_store(device, *kernel, *lent, 3);
        CHECK(stream.queue.size() == 1);
        CHECK(device.cuda().calls["cuEventRecord"] == 0);
        stream.run_to(1);
        CHECK(memory[0] == 3);
    }
    SECTION("also while it is captured") {
        stream.is_captured = true;
        dispatch_store(device, *kernel, *lent, 4);
        stream.run_to(1);
        CHECK(memory[0] == 4);
        stream.is_captured = false;
    }
    SECTION("and wait() waits for it") {
        dispatch_store(device, *kernel, *lent, 5);
        device->wait();
        CHECK(memory[0] == 5);
        CHECK(device.cuda().calls["cuCtxSynchronize"] == 1);
        device->wait();
        CHECK(device.cuda().calls["cuCtxSynchronize"] == 1);
    }
    device.finish();
}

TEST_CASE("a launch with memory of the device's own runs in the queue, between two events") {
    FakeDevice device;
    FakeCuda::Stream& stream = theirs(device);
    const auto kernel = create_store(device);
    const auto own = device->create_buffer({.size_bytes = 16, .label = "sums"});
    std::uint32_t before = 0;
    std::uint32_t after = 0;

    SECTION("ordered with what the stream has before it and gets after it") {
        stream.queue.emplace_back([&] { *memory_of(*own) = 1; });
        dispatch_store(device, *kernel, *own, 6);
        stream.queue.emplace_back([&] { after = *memory_of(*own); });
        stream.run_to(1);
        before = *memory_of(*own);
        stream.run_to(stream.queue.size());
        CHECK(before == 1);
        CHECK(after == 6);
    }
    SECTION("and is refused by name while the stream is captured") {
        stream.is_captured = true;
        const std::string message =
            message_of<ArgumentError>([&] { dispatch_store(device, *kernel, *own, 6); });
        CHECK(message.find("store: torch captures a CUDA graph") == 0);
        CHECK(message.find("'sums'") != std::string::npos);
        CHECK(message.find("pass tensors of torch") != std::string::npos);
        CHECK(device.cuda().calls["cuEventRecord"] == 0);
        stream.is_captured = false;
    }
    device.finish();
}

TEST_CASE("memory is allocated and waited for beside a capture") {
    FakeDevice device;
    theirs(device).is_captured = true;

    const auto buffer = device->create_buffer({.size_bytes = 16});
    device->fill(*buffer, 0, 16, 8);
    std::uint32_t seen = 0;
    device->download(*buffer, 0, std::as_writable_bytes(std::span(&seen, 1)));

    CHECK(seen == 8);
    theirs(device).is_captured = false;
    device.finish();
}

TEST_CASE("the default streams need no order") {
    FakeDevice device;
    device->wait_for_stream(0);
    device->make_stream_wait(1);
    CHECK(device.cuda().calls["cuStreamWaitEvent"] == 0);
    device.finish();
}
