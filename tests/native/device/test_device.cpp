// SPDX-License-Identifier: Apache-2.0
#include "device/device.hpp"
#include "device/support.hpp"
#include "support/catch.hpp"

#include <algorithm>

using weft::core::ArgumentError;
using weft::core::LayoutRules;
using weft::core::Target;
using weft::device::Device;
using weft::device::DeviceInfo;
using weft::device::DeviceType;
using weft::test::CheckedDevice;
using weft::test::message_of;

TEST_CASE("enumerate lists real devices before software ones") {
    const std::vector<DeviceInfo> devices = Device::enumerate();

    REQUIRE_FALSE(devices.empty());
    bool has_seen_software = false;
    for (const DeviceInfo& info : devices) {
        CHECK_FALSE(info.name.empty());
        CHECK_FALSE((has_seen_software && !info.features.is_software));
        has_seen_software = has_seen_software || info.features.is_software;
    }
}

TEST_CASE("info of a created device repeats what enumerate reported") {
    const CheckedDevice device;

    const std::vector<DeviceInfo> devices = Device::enumerate();
    const auto& info = device->info();
    const bool is_listed =
        std::any_of(devices.begin(), devices.end(), [&](const DeviceInfo& listed) {
            return listed.name == info.name && listed.adapter == info.adapter &&
                   listed.driver == info.driver;
        });
    CHECK(is_listed);
    CHECK(info.limits.max_threads_per_group >= 128);
    CHECK(info.limits.max_inline_arguments >= 112); // Vulkan has 128, a report of loops takes 16
    CHECK(info.limits.max_buffer_size > 0);
    CHECK(info.memory_bytes > 0);
}

TEST_CASE("a device says what its kernels are compiled to, and how its memory is laid out") {
    for (const DeviceInfo& info : Device::enumerate()) {
        const bool is_cuda = info.type == DeviceType::cuda;
        CHECK(info.target == (is_cuda ? Target::cuda : Target::spirv));
    }

    const CheckedDevice device;
    CHECK(device->target() == device->info().target);
    CHECK(device->layout_rules() == weft::core::layout_rules(device->target()));
    CHECK(weft::core::layout_rules(Target::cuda) == LayoutRules::cuda);
    CHECK(weft::core::layout_rules(Target::spirv) == LayoutRules::spirv);
}

TEST_CASE("automatic creates the first device of the list") {
    const std::shared_ptr<Device> device = Device::create({});

    CHECK(device->info().name == Device::enumerate().front().name);
}

TEST_CASE("create names the adapters when the index is out of range") {
    const std::string message = message_of<ArgumentError>(
        [] { (void)Device::create({.type = DeviceType::vulkan, .adapter = 99}); });

    CHECK(message.find("create_device: adapter must be one of 0 (") == 0);
    CHECK(message.find("got 99") != std::string::npos);
}

TEST_CASE("create names the alternatives for a type without a backend") {
    const auto type = GENERATE(DeviceType::d3d12, DeviceType::metal, DeviceType::cpu);

    const std::string message =
        message_of<ArgumentError>([&] { (void)Device::create({.type = type}); });

    CHECK(message.find("type must be automatic, vulkan or cuda, got " +
                       std::string(to_string(type))) != std::string::npos);
}
