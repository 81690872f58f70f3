// SPDX-License-Identifier: Apache-2.0
#include "device/support.hpp"
#include "support/catch.hpp"

#include <array>
#include <cstring>
#include <numeric>

using weft::core::ArgumentError;
using weft::device::MemoryKind;
using namespace weft::test;

namespace {

std::vector<std::uint32_t> counting(std::size_t count) {
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), 1U);
    return values;
}

} // namespace

TEST_CASE("download returns what upload stored, for every size") {
    const CheckedDevice device;
    const std::size_t count = GENERATE(1, 63, 4096, 1 << 20, (20 << 20) / 4 + 1);
    const std::vector<std::uint32_t> values = counting(count);

    const auto buffer = create_filled(*device, values);

    CHECK(read<std::uint32_t>(*device, *buffer) == values);
}

TEST_CASE("upload and download move exactly the range that was named") {
    const CheckedDevice device;
    const auto buffer = create_filled(*device, counting(8));
    const std::uint32_t word = 99;

    device->upload(*buffer, 12, bytes_of(word));

    CHECK(read<std::uint32_t>(*device, *buffer) ==
          std::vector<std::uint32_t>{1, 2, 3, 99, 5, 6, 7, 8});
    std::vector<std::uint32_t> middle(2);
    device->download(*buffer, 8, std::as_writable_bytes(std::span(middle)));
    CHECK(middle == std::vector<std::uint32_t>{3, 99});
}

TEST_CASE("upload into a buffer that the device still uses comes after that use") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::double_and_increment);
    const auto source = create_filled<std::uint32_t>(*device, {1, 2, 3});
    const auto target = create_filled<std::uint32_t>(*device, {0, 0, 0});

    double_and_increment(*device, *kernel, *source, *target);
    const std::vector<std::uint32_t> later{10, 20, 30};
    device->upload(*source, 0, std::as_bytes(std::span(later)));

    CHECK(read<std::uint32_t>(*device, *target) == std::vector<std::uint32_t>{3, 5, 7});
    CHECK(read<std::uint32_t>(*device, *source) == later);
}

TEST_CASE("a large upload into a busy buffer arrives whole") {
    const CheckedDevice device;
    const std::vector<std::uint32_t> values =
        counting(std::size_t{10} << 20); // 40 MiB, more than the upload ring
    const auto buffer = device->create_buffer({.size_bytes = values.size() * 4, .label = "large"});
    device->fill(*buffer, 0, buffer->size_bytes(), 7);

    device->upload(*buffer, 0, std::as_bytes(std::span(values)));

    CHECK(read<std::uint32_t>(*device, *buffer) == values);
}

TEST_CASE("fill writes the word to the range and nothing else") {
    const CheckedDevice device;
    const auto buffer = create_filled(*device, counting(6));

    device->fill(*buffer, 4, 12, 0xABCD1234);

    CHECK(read<std::uint32_t>(*device, *buffer) ==
          std::vector<std::uint32_t>{1, 0xABCD1234, 0xABCD1234, 0xABCD1234, 5, 6});
}

TEST_CASE("copy moves a range between buffers and within one") {
    const CheckedDevice device;
    const auto source = create_filled(*device, counting(8));
    const auto target = create_filled(*device, std::vector<std::uint32_t>(8, 0));

    device->copy(*target, 4, *source, 16, 8);
    device->copy(*source, 0, *source, 24, 8);

    CHECK(read<std::uint32_t>(*device, *target) ==
          std::vector<std::uint32_t>{0, 5, 6, 0, 0, 0, 0, 0});
    CHECK(read<std::uint32_t>(*device, *source) ==
          std::vector<std::uint32_t>{7, 8, 3, 4, 5, 6, 7, 8});
}

TEST_CASE("copy refuses ranges that overlap in one buffer") {
    const CheckedDevice device;
    const auto buffer = create_filled(*device, counting(8), "weights");

    const std::string message =
        message_of<ArgumentError>([&] { device->copy(*buffer, 4, *buffer, 0, 8); });

    CHECK(message ==
          "copy: [0, 8) and [4, 12) of buffer 'weights' overlap; copy through a second buffer");
}

TEST_CASE("transfers refuse a range past the end and name the buffer") {
    const CheckedDevice device;
    const auto buffer = create_filled(*device, counting(4), "weights");
    std::array<std::byte, 4> bytes{};

    const std::string upload =
        message_of<ArgumentError>([&] { device->upload(*buffer, 13, bytes); });
    const std::string download =
        message_of<ArgumentError>([&] { device->download(*buffer, 17, bytes); });
    const std::string fill = message_of<ArgumentError>([&] { device->fill(*buffer, 8, 12, 0); });
    const std::string copy =
        message_of<ArgumentError>([&] { device->copy(*buffer, 0, *buffer, 12, 8); });

    CHECK(upload == "upload: [13, 17) is outside the 16-byte buffer 'weights'; pass an offset and "
                    "a size within it");
    CHECK(download.find("download: [17, 21) is outside the 16-byte buffer 'weights'") == 0);
    CHECK(fill.find("fill: [8, 20) is outside the 16-byte buffer 'weights'") == 0);
    CHECK(copy.find("copy: [12, 20) is outside the 16-byte buffer 'weights'") == 0);
}

TEST_CASE("fill refuses a range that is not made of whole words") {
    const CheckedDevice device;
    const auto buffer = create_filled(*device, counting(4));

    CHECK_THROWS_AS(device->fill(*buffer, 2, 4, 0), ArgumentError);
    CHECK_THROWS_AS(device->fill(*buffer, 0, 6, 0), ArgumentError);
}

TEST_CASE("an empty buffer has no address and takes empty transfers") {
    const CheckedDevice device;

    const auto buffer = device->create_buffer({.size_bytes = 0, .label = "empty"});

    CHECK(buffer->address() == 0);
    CHECK(buffer->size_bytes() == 0);
    device->upload(*buffer, 0, {});
    device->download(*buffer, 0, {});
    device->fill(*buffer, 0, 0, 0);
    device->copy(*buffer, 0, *buffer, 0, 0);
    CHECK_THROWS_AS(device->fill(*buffer, 0, 4, 0), ArgumentError);
}

TEST_CASE("readback memory shows what a kernel wrote after wait") {
    const CheckedDevice device;
    const auto kernel = create_kernel(*device, TestKernel::double_and_increment);
    const auto source = create_filled<std::uint32_t>(*device, {20, 30});
    const auto target =
        device->create_buffer({.size_bytes = 8, .memory = MemoryKind::readback, .label = "result"});

    double_and_increment(*device, *kernel, *source, *target);
    device->wait();

    REQUIRE(target->mapped() != nullptr);
    std::array<std::uint32_t, 2> seen{};
    std::memcpy(seen.data(), target->mapped(), sizeof seen);
    CHECK(seen == std::array<std::uint32_t, 2>{41, 61});
    CHECK(source->mapped() == nullptr);
}
