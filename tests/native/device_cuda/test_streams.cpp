// SPDX-License-Identifier: Apache-2.0
// Order with streams that are not Weft's.
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

using weft::core::ArgumentError;
using weft::device::Buffer;
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

TEST_CASE("the default streams need no order") {
    FakeDevice device;
    device->wait_for_stream(0);
    device->make_stream_wait(1);
    CHECK(device.cuda().calls["cuStreamWaitEvent"] == 0);
    device.finish();
}
