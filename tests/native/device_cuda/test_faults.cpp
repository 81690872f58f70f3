// SPDX-License-Identifier: Apache-2.0
// One call of the CUDA driver or of NVRTC fails, for every call in turn.
#include "device_cuda/support.hpp"
#include "support/catch.hpp"

#include <array>
#include <string>
#include <vector>

using weft::core::DeviceError;
using namespace weft::device;
using namespace weft::test;

namespace {

using Words = std::vector<std::uint32_t>;
constexpr std::size_t kLarge = std::size_t{3} << 20; // bytes: more than a piece of the upload ring

void transfer(Device& device, std::size_t size) {
    const auto buffer = device.create_buffer({.size_bytes = size, .label = "words"});
    const Words sent(size / 4, 17);
    Words got(size / 4);
    device.upload(*buffer, 0, std::as_bytes(std::span(sent)));
    device.download(*buffer, 0, std::as_writable_bytes(std::span(got)));
    REQUIRE(got == sent);
}

void transfer_little(FakeDevice& device) {
    transfer(*device, 64);
}

void transfer_much(FakeDevice& device) {
    transfer(*device, kLarge);
}

void move(FakeDevice& device) {
    const auto from = device->create_buffer({.size_bytes = 64});
    const auto to = device->create_buffer({.size_bytes = 64});
    Words got(16);
    device->fill(*from, 0, 64, 5);
    device->copy(*to, 0, *from, 0, 64);
    device->wait();
    device->download(*to, 0, std::as_writable_bytes(std::span(got)));
    REQUIRE(got == Words(16, 5));
}

void launch(FakeDevice& device) {
    int runs = 0;
    const auto kernel = device.create_kernel({.entry_point = "k", .label = "k"}, 0,
                                             [&](const FakeLaunch&) { ++runs; });
    device->dispatch({.kernel = kernel.get()});
    device->wait();
    REQUIRE(runs == 1);
}

void replay(FakeDevice& device) {
    int runs = 0;
    const auto kernel = device.create_kernel({.entry_point = "k", .label = "k"}, 0,
                                             [&](const FakeLaunch&) { ++runs; });
    const std::array<Dispatch, 2> dispatches{Dispatch{.kernel = kernel.get()},
                                             Dispatch{.kernel = kernel.get()}};
    const auto list = device->create_replay(dispatches);
    list->submit();
    device->wait();
    REQUIRE(runs == 2);
}

void open_second(FakeDevice& device) {
    const auto second = device.create(1);
    transfer(*second, 64);
    second->close();
}

using Scenario = void (*)(FakeDevice&);

/// False if `scenario` came through. Any error but a DeviceError fails the test.
bool fails(Scenario scenario, FakeDevice& device) {
    try {
        scenario(device);
        return false;
    } catch (const DeviceError& error) {
        CHECK(std::string(error.what()).find(':') != std::string::npos);
        return true;
    }
}

} // namespace

TEST_CASE("a call of the CUDA driver that fails is a DeviceError, and the next call is right") {
    const auto scenario =
        GENERATE(Scenario{transfer_little}, Scenario{transfer_much}, Scenario{move},
                 Scenario{launch}, Scenario{replay}, Scenario{open_second});
    const auto start_over = [&](int number, const auto& check) {
        FakeDevice device;
        device.cuda().runs_by_itself = true;
        const int before = device.cuda().call_count;
        device.cuda().failing_call = number == 0 ? 0 : before + number;
        check(device);
        return device.cuda().call_count - before;
    };
    const int count = start_over(0, [&](FakeDevice& device) { scenario(device); });
    REQUIRE(count > 3);
    int failures = 0;

    for (int number = 1; number <= count; ++number) {
        CAPTURE(number, count);
        start_over(number, [&](FakeDevice& device) {
            failures += fails(scenario, device) ? 1 : 0;
            scenario(device);
            device.finish();
        });
    }

    CHECK(failures > 0);
}

TEST_CASE("a call of NVRTC that fails is a DeviceError, and the next call is right") {
    const int count = [] {
        FakeDevice device;
        device.cuda().runs_by_itself = true;
        fail_nvrtc_call(0);
        launch(device);
        return fail_nvrtc_call(0);
    }();
    REQUIRE(count > 3);
    int failures = 0;

    for (int number = 1; number <= count; ++number) {
        CAPTURE(number, count);
        FakeDevice fresh;
        fresh.cuda().runs_by_itself = true;
        fail_nvrtc_call(number);
        failures += fails(launch, fresh) ? 1 : 0;
        fail_nvrtc_call(0);
        launch(fresh);
        fresh.finish();
    }

    CHECK(failures > 0);
}
