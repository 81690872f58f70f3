// SPDX-License-Identifier: Apache-2.0
#include "device/support.hpp"

#include "support/catch.hpp"

#include <array>
#include <fstream>
#include <iterator>

namespace weft::test {
namespace {

using device::BufferAccess;
using device::BufferUse;
using device::KernelDesc;

struct Description {
    std::string name;
    KernelDesc desc;
};

Description describe(TestKernel kernel) {
    switch (kernel) {
    case TestKernel::add_pointers:
        return {"add_pointers", {.group_size = {64, 1, 1}, .argument_bytes = 28}};
    case TestKernel::apply_globals:
        return {"apply_globals",
                {.group_size = {64, 1, 1}, .argument_bytes = 12, .globals = {.size_bytes = 16}}};
    case TestKernel::double_and_increment:
        return {"double_and_increment", {.group_size = {64, 1, 1}, .argument_bytes = 20}};
    case TestKernel::scale_bindings:
        return {"scale_bindings", {.group_size = {64, 1, 1}, .argument_bytes = 8, .storage_bindings = 2}};
    case TestKernel::spin:
        return {"spin", {.argument_bytes = 12}};
    case TestKernel::store_from_address:
        return {"store_from_address",
                {.group_size = {64, 1, 1}, .argument_bytes = 256, .arguments_by_address = true}};
    }
    return {};
}

std::vector<char> read_code(const std::string& name) {
    std::ifstream file(std::string(WEFT_TEST_KERNEL_DIR) + "/" + name + ".spv", std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

CheckedDevice::CheckedDevice()
    : m_device(device::Device::create({.type = device::DeviceType::vulkan, .debug = true})) {}

CheckedDevice::CheckedDevice(std::shared_ptr<device::Device> device) : m_device(std::move(device)) {}

CheckedDevice::~CheckedDevice() {
    if (m_device && !m_device->is_closed()) {
        for (const std::string& message : m_device->validation_messages()) {
            CHECK(message == "no message");
        }
        CHECK(m_device->validation_message_count() == 0);
    }
}

std::shared_ptr<device::Kernel> create_kernel(device::Device& device, TestKernel kernel) {
    Description description = describe(kernel);
    const std::vector<char> code = read_code(description.name);
    REQUIRE_FALSE(code.empty());
    description.desc.code = std::as_bytes(std::span(code));
    description.desc.entry_point = "main";
    description.desc.label = description.name;
    return device.create_kernel(description.desc);
}

void double_and_increment(device::Device& device, device::Kernel& kernel, device::Buffer& source,
                          device::Buffer& target) {
    struct {
        std::uint64_t source, target;
        std::uint32_t count;
    } const arguments{source.address(), target.address(), static_cast<std::uint32_t>(source.size_bytes() / 4)};
    const std::array uses{BufferUse{.buffer = &source, .access = BufferAccess::read},
                          BufferUse{.buffer = &target, .access = BufferAccess::write}};
    device.dispatch({.kernel = &kernel,
                     .group_count = {(arguments.count + 63) / 64, 1, 1},
                     .arguments = bytes_of(arguments).first(20),
                     .buffers = uses});
}

void spin(device::Device& device, device::Kernel& kernel, device::Buffer& target, std::uint32_t rounds) {
    struct {
        std::uint64_t target;
        std::uint32_t rounds;
    } const arguments{target.address(), rounds};
    const std::array uses{BufferUse{.buffer = &target, .access = BufferAccess::read_write}};
    device.dispatch({.kernel = &kernel,
                     .group_count = {static_cast<std::uint32_t>(target.size_bytes() / 4), 1, 1},
                     .arguments = bytes_of(arguments).first(12),
                     .buffers = uses});
}

std::uint32_t spun(std::uint32_t state, std::uint32_t rounds) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
        state = 1664525U * state + 1013904223U;
    }
    return state;
}

} // namespace weft::test
