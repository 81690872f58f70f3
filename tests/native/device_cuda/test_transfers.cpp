// SPDX-License-Identifier: Apache-2.0
#include "device/pinned_memory.hpp"
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

#include <algorithm>

using weft::core::DeviceError;
using weft::device::PinnedMemory;
using namespace weft::test;

namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20U;

void fill_counting(std::span<std::byte> bytes, unsigned first) {
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = static_cast<std::byte>((first + i) * 2654435761U >> 13U);
    }
}

} // namespace

TEST_CASE("large transfers pass 32 MiB of pinned memory at most, which trim gives back") {
    FakeDevice device;
    device.cuda().runs_by_itself = GENERATE(false, true);
    std::vector<std::byte> values(70 * kMiB + 13);
    fill_counting(values, 5);
    std::vector<std::byte> found(values.size());
    const auto buffer = device->create_buffer({.size_bytes = values.size() + 7});

    device->upload(*buffer, 7, values);
    device->download(*buffer, 7, found);

    CHECK(found == values);
    CHECK(device.cuda().calls["cuMemHostAlloc"] == 4);
    CHECK(device->memory_info().used == values.size() + 7);
    CHECK(device->trim() >= 32 * kMiB);
    CHECK(device.cuda().host_blocks.empty());
    CHECK(device.cuda().live_events == 0);
    std::ranges::fill(found, std::byte{0});
    device->download(*buffer, 7, found);
    CHECK(found == values);
    device.finish();
}

TEST_CASE("transfers of pinned memory are one copy of the device") {
    FakeDevice device;
    auto memory = PinnedMemory::create(*device, 9 * kMiB + 100);
    REQUIRE(memory->is_pinned());
    REQUIRE(memory->bytes().size() == 9 * kMiB + 100);
    fill_counting(memory->bytes(), 3);
    const std::vector<std::byte> values(memory->bytes().begin(), memory->bytes().end());
    const auto buffer = device->create_buffer({.size_bytes = values.size()});

    device->upload(*buffer, 0, memory->bytes());
    std::ranges::fill(memory->bytes(), std::byte{0});
    device->download(*buffer, 100, memory->bytes().subspan(100));

    CHECK(device.cuda().calls["cuMemcpyAsync"] == 2);
    CHECK(device.cuda().host_blocks.empty());
    CHECK(std::equal(values.begin() + 100, values.end(), memory->bytes().begin() + 100));
    CHECK(memory->bytes()[99] == std::byte{0});
    memory.reset();
    CHECK(device.cuda().pinned.empty());
    device.finish();
}

TEST_CASE("pinned memory outlives a device that is closed, and keeps one that nobody holds") {
    FakeDevice device;
    const auto closed = device.create(1);
    const auto memory = PinnedMemory::create(*closed, kMiB);
    auto other = device.create(1);
    const auto kept = PinnedMemory::create(*other, kMiB);

    closed->close();
    other.reset();
    fill_counting(memory->bytes(), 1);

    CHECK(device.cuda().pinned.size() == 1);
    CHECK(device.cuda().retained[1] == 1);
    CHECK_THROWS_AS(PinnedMemory::create(*closed, kMiB), DeviceError);
}

TEST_CASE("memory that cannot be pinned is refused with its size") {
    FakeDevice device;
    device.cuda().failures["cuMemHostRegister_v2"] = CUDA_ERROR_OUT_OF_MEMORY;

    const std::string text =
        message_of<DeviceError>([&] { (void)PinnedMemory::create(*device, kMiB); });

    CHECK(text.find("1048576 bytes") != std::string::npos);
    CHECK_THROWS_AS(PinnedMemory::create(*device, std::uint64_t{1} << 60U), DeviceError);
    CHECK(PinnedMemory::create(*device, 0)->bytes().empty());
    device.finish();
}
