// SPDX-License-Identifier: Apache-2.0
#include "device/null/null_device.hpp"
#include "device/support.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

using namespace weft::device;
using namespace weft::test;

TEST_CASE("the null device stores memory and counts dispatches") {
    const std::shared_ptr<NullDevice> device = create_null_device();
    const auto kernel = device->create_kernel({.argument_bytes = 12, .label = "nothing"});
    const auto buffer = create_filled<std::uint32_t>(*device, {1, 2, 3});

    spin(*device, *kernel, *buffer, 1);
    device->fill(*buffer, 4, 4, 9);
    device->flush();

    CHECK(device->dispatch_count() == 1);
    CHECK(device->flush_count() == 1);
    CHECK(read<std::uint32_t>(*device, *buffer) == std::vector<std::uint32_t>{1, 9, 3});
}

TEST_CASE("the null device refuses what a real one refuses") {
    const std::shared_ptr<NullDevice> device = create_null_device();
    const std::shared_ptr<NullDevice> other = create_null_device();
    const auto kernel = device->create_kernel({.argument_bytes = 12, .label = "nothing"});
    const auto buffer = create_filled<std::uint32_t>(*device, {1});
    const auto foreign = create_filled<std::uint32_t>(*other, {1});

    CHECK_THROWS_AS(spin(*device, *kernel, *foreign, 1), weft::core::ArgumentError);
    CHECK_THROWS_AS(device->upload(*buffer, 4, bytes_of(std::uint32_t{1})),
                    weft::core::ArgumentError);
    CHECK_THROWS_AS(device->create_buffer({.size_bytes = std::uint64_t{1} << 40}),
                    weft::core::DeviceError);
    device->close();
    CHECK_THROWS_AS(device->flush(), weft::core::DeviceError);
}

TEST_CASE("the null device takes calls from several threads") {
    const std::shared_ptr<NullDevice> device = create_null_device();
    const auto kernel = device->create_kernel({.argument_bytes = 12, .label = "nothing"});

    const bool is_clean = run_threads([&](int) {
        for (int i = 0; i < 1000; ++i) {
            const auto buffer = create_filled<std::uint32_t>(*device, {1, 2, 3});
            spin(*device, *kernel, *buffer, 1);
            device->flush();
        }
    });

    CHECK(is_clean);
    CHECK(device->dispatch_count() == 4000);
    CHECK(device->memory_info().used == 0);
}
