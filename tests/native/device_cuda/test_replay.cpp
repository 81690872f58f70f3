// SPDX-License-Identifier: Apache-2.0
#include "device/command_list.hpp"
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

using weft::core::ArgumentError;
using weft::core::DeviceError;
using weft::device::BufferAccess;
using weft::device::BufferUse;
using weft::device::CommandList;
using weft::device::KernelDesc;
using namespace weft::test;

namespace {

std::uint32_t& word_at(std::uint64_t address) {
    return *reinterpret_cast<std::uint32_t*>(static_cast<std::uintptr_t>(address));
}

/// Kernels that note what they saw, in the order in which they ran.
struct Recorder {
    explicit Recorder(FakeDevice& device)
        : by_value(device.create_kernel(
              {.entry_point = "by_value", .argument_bytes = 8, .label = "by_value"}, 8,
              [this](const FakeLaunch& launch) {
                  seen.push_back(word_at(launch.read<std::uint64_t>())++);
              })),
          by_address(device.create_kernel({.entry_point = "by_address",
                                           .argument_bytes = 16,
                                           .arguments_by_address = true,
                                           .label = "by_address"},
                                          8,
                                          [this](const FakeLaunch& launch) {
                                              seen.push_back(
                                                  word_at(launch.read<std::uint64_t>() + 12));
                                          })),
          with_globals(device.create_kernel({.entry_point = "with_globals",
                                             .globals = {.size_bytes = 4, .cuda_symbol = "g"},
                                             .label = "with_globals"},
                                            0, [this](const FakeLaunch& launch) {
                                                std::uint32_t value = 0;
                                                std::memcpy(&value, launch.globals->at("g").data(),
                                                            4);
                                                seen.push_back(value);
                                            })) {}

    std::vector<std::uint32_t> seen;
    std::shared_ptr<weft::device::Kernel> by_value, by_address, with_globals;
};

void record_all(CommandList& list, Recorder& recorder, weft::device::Buffer& counter) {
    const std::uint64_t address = counter.address();
    const BufferUse use{.buffer = &counter, .access = BufferAccess::read_write};
    list.record(
        {.kernel = recorder.by_value.get(), .arguments = bytes_of(address), .buffers = {&use, 1}});
    const std::array<std::uint32_t, 4> words{0, 0, 0, 77};
    list.record({.kernel = recorder.by_address.get(), .arguments = bytes_of(words)});
    for (const std::uint32_t value : {5U, 6U}) {
        list.record({.kernel = recorder.with_globals.get(), .globals = bytes_of(value)});
    }
    list.record({.kernel = recorder.by_value.get(),
                 .group_count = {0, 1, 1},
                 .arguments = bytes_of(address)});
}

} // namespace

TEST_CASE("a command list runs its dispatches in order at every submit, later ones as one graph") {
    FakeDevice device;
    Recorder recorder(device);
    {
        auto counter = device->create_buffer({.size_bytes = 4});
        device->fill(*counter, 0, 4, 100);
        CommandList list(device->shared_from_this());
        record_all(list, recorder, *counter);
        counter.reset(); // the list keeps it

        for (int i = 0; i < 3; ++i) {
            list.submit();
        }
        device->wait();

        CHECK(list.size() == 5);
        CHECK(recorder.seen ==
              std::vector<std::uint32_t>{100, 77, 5, 6, 101, 77, 5, 6, 102, 77, 5, 6});
        CHECK(device.cuda().calls["cuLaunchKernel"] == 4);
        CHECK(device.cuda().calls["cuGraphLaunch"] == 2);
    }
    device.finish();
}

TEST_CASE("recording more makes a new graph") {
    FakeDevice device;
    Recorder recorder(device);
    CommandList list(device->shared_from_this());
    const std::uint32_t one = 1;
    const std::uint32_t two = 2;
    list.record({.kernel = recorder.with_globals.get(), .globals = bytes_of(one)});
    list.submit();
    list.submit();

    list.record({.kernel = recorder.with_globals.get(), .globals = bytes_of(two)});
    list.submit();
    list.submit();
    device->wait();

    CHECK(recorder.seen == std::vector<std::uint32_t>{1, 1, 1, 2, 1, 2});
    list.clear();
    CHECK(list.size() == 0);
    CHECK_NOTHROW(list.submit());
    device.finish();
}

TEST_CASE("a graph that goes while it runs is destroyed after it has run") {
    FakeDevice device;
    Recorder recorder(device);
    {
        CommandList list(device->shared_from_this());
        const std::uint32_t value = 9;
        list.record({.kernel = recorder.with_globals.get(), .globals = bytes_of(value)});
        list.submit();
        list.submit();
    }

    CHECK(recorder.seen == std::vector<std::uint32_t>{9, 9});
    CHECK(device.cuda().live_graphs == 0);
    device.finish();
}

TEST_CASE("a command list outlives its closed device and says so") {
    FakeDevice device;
    Recorder recorder(device);
    CommandList list(device->shared_from_this());
    const std::uint32_t value = 9;
    list.record({.kernel = recorder.with_globals.get(), .globals = bytes_of(value)});
    list.submit();
    list.submit();

    device->close();

    CHECK(message_of<DeviceError>([&] {
              list.submit();
          }).find("submit: device 'Fake GPU 0' is closed") == 0);
    CHECK(device.cuda().live_graphs == 0);
}

TEST_CASE("a debug device replays one dispatch after the other") {
    FakeDevice device({.is_debug = true});
    Recorder recorder(device);
    {
        CommandList list(device->shared_from_this());
        const std::uint32_t value = 3;
        list.record({.kernel = recorder.with_globals.get(), .globals = bytes_of(value)});

        for (int i = 0; i < 3; ++i) {
            list.submit();
        }
    }

    CHECK(recorder.seen == std::vector<std::uint32_t>{3, 3, 3});
    CHECK(device.cuda().calls["cuGraphLaunch"] == 0);
    device.finish();
}

TEST_CASE("a command list checks what it submits") {
    FakeDevice device;
    Recorder recorder(device);
    const auto other = device.create(1);
    const auto foreign = other->create_buffer({.size_bytes = 4});
    CommandList list(device->shared_from_this());
    const std::uint64_t address = 0;
    const BufferUse use{.buffer = foreign.get()};
    list.record(
        {.kernel = recorder.by_value.get(), .arguments = bytes_of(address), .buffers = {&use, 1}});

    CHECK_THROWS_AS(list.submit(), ArgumentError);
    CHECK_THROWS_AS(list.submit(), ArgumentError);
    other->close();
}
