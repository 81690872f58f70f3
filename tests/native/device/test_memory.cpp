// SPDX-License-Identifier: Apache-2.0
#include "device/support.hpp"
#include "support/catch.hpp"

using weft::core::DeviceError;
using weft::device::Buffer;
using weft::device::MemoryInfo;
using weft::device::MemoryKind;
using namespace weft::test;

TEST_CASE("memory statistics follow live buffers and return to zero") {
    const CheckedDevice device;

    {
        const auto a = device->create_buffer({.size_bytes = 1000, .label = "a"});
        const auto b =
            device->create_buffer({.size_bytes = 24, .memory = MemoryKind::readback, .label = "b"});
        const auto empty = device->create_buffer({.size_bytes = 0, .label = "empty"});
        const MemoryInfo info = device->memory_info();
        CHECK(info.used == 1024);
        CHECK(info.live_buffers == 2);
        CHECK(info.reserved >= info.used);
        CHECK(info.total > 0);
    }

    const MemoryInfo info = device->memory_info();
    CHECK(info.used == 0);
    CHECK(info.live_buffers == 0);
    CHECK(info.peak_used == 1024);
}

TEST_CASE("a thousand small buffers share one driver allocation") {
    const CheckedDevice device;
    std::vector<std::shared_ptr<Buffer>> buffers;

    for (int i = 0; i < 1000; ++i) {
        buffers.push_back(device->create_buffer({.size_bytes = 100, .label = "small"}));
    }

    CHECK(device->memory_info().allocations == 1);
    for (std::size_t i = 0; i < buffers.size(); ++i) {
        CHECK(buffers[i]->address() % 256 == 0);
        CHECK((i == 0 || buffers[i]->address() != buffers[i - 1]->address()));
    }
}

TEST_CASE("a large buffer that was freed is used again") {
    const CheckedDevice device;
    const std::uint64_t size = std::uint64_t{40} << 20;

    for (int i = 0; i < 10; ++i) {
        const auto buffer = device->create_buffer({.size_bytes = size, .label = "large"});
        device->fill(*buffer, 0, size, 1);
    }

    CHECK(device->memory_info().allocations == 1);
}

TEST_CASE("create_buffer beyond the device's limit says what was asked and allowed") {
    const CheckedDevice device;
    const std::uint64_t limit = device->info().limits.max_buffer_size;

    try {
        (void)device->create_buffer({.size_bytes = limit + 1, .label = "huge"});
        FAIL("no error");
    } catch (const DeviceError& error) {
        const std::string message = error.what();
        CHECK(error.kind() == DeviceError::Kind::out_of_memory);
        CHECK(message.find("create_buffer: 'huge' asks for " + std::to_string(limit + 1)) == 0);
        CHECK(message.find("allows at most " + std::to_string(limit)) != std::string::npos);
    }
}

TEST_CASE("trim returns idle memory of all pools to the driver, and live buffers keep theirs") {
    const CheckedDevice device;
    const auto kept = device->create_buffer({.size_bytes = 4000, .label = "kept"});
    device->fill(*kept, 0, 4000, 7);
    for (const std::uint64_t mib : {20, 40, 100}) {
        const auto dropped = device->create_buffer({.size_bytes = mib << 20, .label = "dropped"});
        device->fill(*dropped, 0, mib << 20, 1);
    }
    std::vector<std::uint32_t> words(1000);
    device->download(*kept, 0, std::as_writable_bytes(std::span(words)));
    const MemoryInfo before = device->memory_info();

    const std::uint64_t freed = device->trim();

    const MemoryInfo after = device->memory_info();
    CHECK(before.idle >= std::uint64_t{100} << 20);
    CHECK(freed >= before.idle);
    CHECK(before.reserved - after.reserved == freed);
    CHECK(after.idle == 0);
    CHECK(after.used == 4000);
    device->download(*kept, 0, std::as_writable_bytes(std::span(words)));
    CHECK(words == std::vector<std::uint32_t>(1000, 7));
}
