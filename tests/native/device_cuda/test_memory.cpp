// SPDX-License-Identifier: Apache-2.0
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

#include <numeric>

using weft::core::ArgumentError;
using weft::core::DeviceError;
using weft::core::Interrupted;
using weft::device::Buffer;
using weft::device::MemoryInfo;
using weft::device::MemoryKind;
using namespace weft::test;

namespace {

std::vector<std::uint32_t> counting(std::size_t count, std::uint32_t first = 0) {
    std::vector<std::uint32_t> values(count);
    std::iota(values.begin(), values.end(), first);
    return values;
}

void upload(FakeDevice& device, Buffer& buffer, const std::vector<std::uint32_t>& values) {
    device->upload(buffer, 0, std::as_bytes(std::span(values)));
}

std::vector<std::uint32_t> download(FakeDevice& device, const Buffer& buffer) {
    std::vector<std::uint32_t> values(buffer.size_bytes() / 4);
    device->download(buffer, 0, std::as_writable_bytes(std::span(values)));
    return values;
}

} // namespace

TEST_CASE("what is uploaded comes back, below and above the size of a chunk") {
    FakeDevice device;
    for (const std::size_t count :
         {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20, std::size_t{5'000'001}}) {
        const auto buffer = device->create_buffer({.size_bytes = count * 4, .label = "values"});
        const std::vector<std::uint32_t> values = counting(count, 17);

        upload(device, *buffer, values);

        CHECK(download(device, *buffer) == values);
    }
    device.finish();
}

TEST_CASE("memory of another library is used in place and kept alive by its buffer") {
    FakeDevice device;
    const auto memory = device->create_buffer({.size_bytes = 64});
    const auto owner = std::make_shared<int>(0);

    auto shared = device->wrap_external(memory->address() + 16, 32, owner);
    upload(device, *shared, counting(8, 5));

    CHECK(shared->address() == memory->address() + 16);
    CHECK(download(device, *memory)[4] == 5);
    CHECK(owner.use_count() == 2);
    shared.reset();
    CHECK(owner.use_count() == 1);
    device.finish();
}

TEST_CASE("an upload may be followed by many others before the device runs any") {
    FakeDevice device;
    const auto buffer = device->create_buffer({.size_bytes = std::uint64_t{64} * 4096 * 4});

    for (std::uint32_t i = 0; i < 64; ++i) {
        std::vector<std::uint32_t> chunk(4096, i);
        device->upload(*buffer, std::uint64_t{i} * 4096 * 4, std::as_bytes(std::span(chunk)));
    }

    const std::vector<std::uint32_t> values = download(device, *buffer);
    for (std::size_t i = 0; i < 64; ++i) {
        REQUIRE(values[i * 4096] == i);
        REQUIRE(values[i * 4096 + 4095] == i);
    }
    device.finish();
}

TEST_CASE("uploads of more than the ring wait for the device instead of overwriting") {
    FakeDevice device;
    const std::vector<std::uint32_t> values =
        counting(std::size_t{6} << 20); // 24 MiB through 8 MiB
    const auto buffer = device->create_buffer({.size_bytes = values.size() * 4});

    for (std::size_t part = 0; part < 6; ++part) { // larger ones are staged
        const std::size_t count = values.size() / 6;
        const auto chunk = std::span(values).subspan(part * count, count);
        device->upload(*buffer, part * count * 4, std::as_bytes(chunk));
    }

    CHECK(download(device, *buffer) == values);
    CHECK(device.cuda().calls["cuEventSynchronize"] > 0);
    device.finish();
}

TEST_CASE("parts of a buffer are written, read, copied and filled in order") {
    FakeDevice device;
    const auto a = device->create_buffer({.size_bytes = 64, .label = "a"});
    const auto b = device->create_buffer({.size_bytes = 64, .label = "b"});
    upload(device, *a, counting(16));

    device->fill(*b, 0, 64, 9);
    device->copy(*b, 8, *a, 16, 12);
    device->copy(*a, 0, *b, 0, 4);

    CHECK(download(device, *b) ==
          std::vector<std::uint32_t>{9, 9, 4, 5, 6, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9, 9});
    CHECK(download(device, *a)[0] == 9);
    device.finish();
}

TEST_CASE(
    "memory that was freed is handed out again at once, and old work does not harm new contents") {
    FakeDevice device;
    auto first = device->create_buffer({.size_bytes = 1024});
    const std::uint64_t address = first->address();
    device->fill(*first, 0, 1024, 1); // still in the queue when the memory changes hands
    first.reset();

    const auto second = device->create_buffer({.size_bytes = 1024});
    upload(device, *second, counting(256, 5));

    CHECK(second->address() == address);
    CHECK(download(device, *second) == counting(256, 5));
    device.finish();
}

TEST_CASE("readback memory is handed out again only once the device has finished with it") {
    FakeDevice device;
    auto first = device->create_buffer({.size_bytes = 256, .memory = MemoryKind::readback});
    std::byte* const mapped = first->mapped();
    REQUIRE(mapped != nullptr);
    device->fill(*first, 0, 256, 1);
    first.reset();

    const auto early = device->create_buffer({.size_bytes = 256, .memory = MemoryKind::readback});
    device->wait();
    const auto late = device->create_buffer({.size_bytes = 256, .memory = MemoryKind::readback});

    CHECK(early->mapped() != mapped);
    CHECK(late->mapped() == mapped);
    device.finish();
}

TEST_CASE("readback memory shows what the device wrote after a wait") {
    FakeDevice device;
    const auto buffer = device->create_buffer({.size_bytes = 8, .memory = MemoryKind::readback});

    device->fill(*buffer, 0, 8, 0x01020304);
    device->wait();

    std::uint32_t value = 0;
    std::memcpy(&value, buffer->mapped(), 4);
    CHECK(value == 0x01020304);
    CHECK(download(device, *buffer) == std::vector<std::uint32_t>{0x01020304, 0x01020304});
    device.finish();
}

TEST_CASE("an empty buffer has no address and takes empty transfers") {
    FakeDevice device;
    const auto buffer = device->create_buffer({});

    device->upload(*buffer, 0, {});
    device->download(*buffer, 0, {});
    device->fill(*buffer, 0, 0, 1);

    CHECK(buffer->address() == 0);
    CHECK(buffer->size_bytes() == 0);
    CHECK(device.cuda().calls["cuMemAlloc"] == 0);
    device.finish();
}

TEST_CASE("the out-of-memory report names request, label and holders, and the device works on") {
    FakeDevice device;
    const auto held =
        device->create_buffer({.size_bytes = std::uint64_t{768} << 20, .label = "photos"});

    const std::string message = message_of<DeviceError>([&] {
        (void)device->create_buffer({.size_bytes = std::uint64_t{512} << 20, .label = "result"});
    });

    CHECK(message.find(
              "create_buffer: Fake GPU 0 is out of memory: asked for 512 MiB ('result')") == 0);
    CHECK(message.find("256 MiB of 1 GiB are free") != std::string::npos);
    CHECK(message.find("held by 'photos' (768 MiB in 1 buffer)") != std::string::npos);
    CHECK_NOTHROW(device->create_buffer({.size_bytes = 1024}));
    device.finish();
}

TEST_CASE("memory of freed buffers is returned to the driver when another size needs it") {
    FakeDevice device;
    auto first = device->create_buffer({.size_bytes = std::uint64_t{200} << 20});
    device->fill(*first, 0, 4, 1);
    first.reset();

    const auto second = device->create_buffer({.size_bytes = std::uint64_t{900} << 20});

    CHECK(second->size_bytes() == std::uint64_t{900} << 20);
    CHECK(device.cuda().peak_device_bytes <= device.cuda().memory_bytes);
    device.finish();
}

TEST_CASE("statistics count live buffers and go back to zero") {
    FakeDevice device;
    auto a = device->create_buffer({.size_bytes = 1000});
    auto b = device->create_buffer({.size_bytes = 24, .memory = MemoryKind::readback});

    const MemoryInfo busy = device->memory_info();
    a.reset();
    b.reset();
    const MemoryInfo idle = device->memory_info();

    CHECK(busy.used == 1024);
    CHECK(busy.live_buffers == 2);
    CHECK(busy.total == device.cuda().memory_bytes);
    CHECK(busy.available < busy.total);
    CHECK(idle.used == 0);
    CHECK(idle.live_buffers == 0);
    CHECK(idle.peak_used >= 1000);
    device.finish();
}

TEST_CASE("a wait calls the poll every 50 ms and can be interrupted") {
    FakeDevice device;
    const auto buffer = device->create_buffer({.size_bytes = 16});
    device->fill(*buffer, 0, 16, 3);
    device.cuda().busy_queries = 1 << 30;
    int polls = 0;

    CHECK_THROWS_AS(device->wait([&] {
        if (++polls == 2) {
            throw Interrupted();
        }
    }),
                    Interrupted);

    device.cuda().busy_queries = 0;
    CHECK(polls == 2);
    CHECK(download(device, *buffer) == std::vector<std::uint32_t>(4, 3));
    device.finish();
}

TEST_CASE("an interrupted download leaves its memory alone until the device has written it") {
    FakeDevice device;
    const auto buffer = device->create_buffer({.size_bytes = 16});
    device->fill(*buffer, 0, 16, 3);
    std::vector<std::uint32_t> values(4);
    device.cuda().busy_queries = 1 << 30;

    CHECK_THROWS_AS(device->download(*buffer, 0, std::as_writable_bytes(std::span(values)),
                                     [] { throw Interrupted(); }),
                    Interrupted);

    const auto readback = device->create_buffer({.size_bytes = 16, .memory = MemoryKind::readback});
    std::memset(readback->mapped(), 0, 16);
    device.cuda().busy_queries = 0;
    device->wait();
    std::uint32_t untouched = 1;
    std::memcpy(&untouched, readback->mapped(), 4);
    CHECK(untouched == 0);
    device.finish();
}

TEST_CASE("ranges outside of a buffer are refused with the buffer's name") {
    FakeDevice device;
    const auto buffer = device->create_buffer({.size_bytes = 16, .label = "weights"});
    std::array<std::byte, 4> bytes{};

    CHECK(message_of<ArgumentError>([&] { device->upload(*buffer, 13, bytes); }) ==
          "upload: [13, 17) is outside the 16-byte buffer 'weights'; pass an offset and a size "
          "within it");
    CHECK_THROWS_AS(device->download(*buffer, 17, {}), ArgumentError);
    CHECK_THROWS_AS(device->fill(*buffer, 12, 8, 0), ArgumentError);
    CHECK_THROWS_AS(device->fill(*buffer, 2, 4, 0), ArgumentError);
    CHECK_THROWS_AS(device->copy(*buffer, 8, *buffer, 0, 12), ArgumentError);
    CHECK_THROWS_AS(device->copy(*buffer, 4, *buffer, 0, 8), ArgumentError);
    device.finish();
}

TEST_CASE("memory of another device is refused") {
    FakeDevice device;
    const auto other = device.create(1);
    const auto foreign = other->create_buffer({.size_bytes = 4});

    CHECK(message_of<ArgumentError>([&] { device->fill(*foreign, 0, 4, 0); }) ==
          "fill: expected memory of device 'Fake GPU 0', got memory of another device ('Fake GPU "
          "1'); copy it over "
          "through numpy");
    other->close();
    device->wait();
}

TEST_CASE("trim waits, then frees idle blocks, staging and the upload ring, which come back") {
    FakeDevice device;
    const auto kept = device->create_buffer({.size_bytes = 4000, .label = "kept"});
    const std::vector<std::uint32_t> values = counting(1000, 3);
    upload(device, *kept, values);
    CHECK(download(device, *kept) == values);
    device->create_buffer({.size_bytes = std::uint64_t{40} << 20, .label = "dropped"});
    const std::uint64_t held = device.cuda().device_bytes;
    CHECK_FALSE(device.cuda().host_blocks.empty());

    upload(device, *kept, counting(1000, 9)); // not done yet
    const std::uint64_t freed = device->trim();

    CHECK(device.cuda().host_blocks.empty());
    CHECK(device.cuda().device_blocks.size() == 1);
    CHECK(held - device.cuda().device_bytes == std::uint64_t{40} << 20);
    CHECK(freed > std::uint64_t{40} << 20);
    CHECK(device->memory_info().idle == 0);
    CHECK(download(device, *kept) == counting(1000, 9));
    upload(device, *kept, values);
    CHECK(download(device, *kept) == values);
}

TEST_CASE("a lower limit frees idle memory at once, and refuses more than it allows") {
    FakeDevice device;
    const auto kept =
        device->create_buffer({.size_bytes = std::uint64_t{30} << 20, .label = "kept"});
    device->create_buffer({.size_bytes = std::uint64_t{60} << 20, .label = "dropped"});

    device->set_memory_limit(std::uint64_t{64} << 20);

    CHECK(device.cuda().device_bytes == std::uint64_t{30} << 20);
    CHECK(device->memory_info().limit == std::uint64_t{64} << 20);
    CHECK_THROWS_AS(device->create_buffer({.size_bytes = std::uint64_t{60} << 20}), DeviceError);
    device->set_memory_limit(0);
    CHECK(device->create_buffer({.size_bytes = std::uint64_t{60} << 20}) != nullptr);
}
