// SPDX-License-Identifier: Apache-2.0
#include "device/support.hpp"

#include "compile/compiler.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

#include <array>
#include <chrono>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>

namespace weft::test {
namespace {

using device::BufferAccess;
using device::BufferUse;
using device::KernelDesc;

struct Description {
    std::string name;
    std::string file;
    KernelDesc desc;
};

Description describe(TestKernel kernel) {
    constexpr std::array<std::uint32_t, 3> kGroup{64, 1, 1};
    switch (kernel) {
    case TestKernel::add_pointers:
        return {"add_pointers", "kernels.slang", {.group_size = kGroup, .argument_bytes = 28}};
    case TestKernel::apply_globals:
        return {"apply_globals", "globals.slang", {.group_size = kGroup, .argument_bytes = 12}};
    case TestKernel::double_and_increment:
        return {
            "double_and_increment", "kernels.slang", {.group_size = kGroup, .argument_bytes = 20}};
    case TestKernel::scale_bindings:
        return {"scale_bindings",
                "kernels.slang",
                {.group_size = kGroup, .argument_bytes = 8, .storage_bindings = 2}};
    case TestKernel::spin: return {"spin", "kernels.slang", {.argument_bytes = 12}};
    case TestKernel::store_from_address:
        return {"store_from_address",
                "kernels.slang",
                {.group_size = kGroup, .argument_bytes = 256, .arguments_by_address = true}};
    }
    return {};
}

compile::KernelCode compile_code(const Description& description) {
    // One compiler for the whole run: starting Slang takes longer than all the tests that need it.
    static const std::shared_ptr<compile::Compiler> compiler =
        compile::Compiler::create({.slang_directory = slang_directory(),
                                   .helper_executable = helper_executable(),
                                   .shader_directory = shader_directory(),
                                   .cache_directory = {}});
    compile::ModuleDesc module;
    module.name = "empty";
    module.text = "// the kernels stand in the request";
    std::ifstream file(test_directory() / "native" / "device" / "kernels" / description.file);
    compile::KernelRequest request;
    request.module = compiler->load_module(module);
    request.source =
        std::string(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
    request.entry_point = description.name;
    return compiler->compile_kernel(request);
}

/// Each kernel is compiled once.
const compile::KernelCode& code_of(const Description& description) {
    static std::mutex mutex;
    static std::map<std::string, compile::KernelCode> codes;
    const std::lock_guard lock(mutex);
    const auto found = codes.find(description.name);
    return found != codes.end()
               ? found->second
               : codes.emplace(description.name, compile_code(description)).first->second;
}

} // namespace

CheckedDevice::CheckedDevice()
    : m_device(device::Device::create({.type = device::DeviceType::vulkan, .debug = true})) {}

CheckedDevice::CheckedDevice(std::shared_ptr<device::Device> device)
    : m_device(std::move(device)) {}

CheckedDevice::~CheckedDevice() {
    if (m_device) {
        for (const std::string& message : m_device->validation_messages()) {
            CHECK(message == "no message");
        }
        CHECK(m_device->validation_message_count() == 0);
    }
}

std::shared_ptr<device::Kernel> create_kernel(device::Device& device, TestKernel kernel) {
    Description description = describe(kernel);
    const compile::KernelCode& code = code_of(description);
    description.desc.code = code.code;
    description.desc.entry_point = description.name;
    description.desc.globals = {.size_bytes = code.global_bytes,
                                .vulkan_set = code.global_set,
                                .vulkan_binding = code.global_binding};
    description.desc.label = description.name;
    return device.create_kernel(description.desc);
}

std::shared_ptr<device::Kernel> create_misdescribed_kernel(device::Device& device) {
    Description description = describe(TestKernel::double_and_increment);
    description.desc.code = code_of(description).code;
    description.desc.argument_bytes = 4;
    description.desc.label = "misdescribed";
    return device.create_kernel(description.desc);
}

void double_and_increment(device::Device& device, device::Kernel& kernel, device::Buffer& source,
                          device::Buffer& target) {
    struct {
        std::uint64_t source, target;
        std::uint32_t count;
    } const arguments{source.address(), target.address(),
                      static_cast<std::uint32_t>(source.size_bytes() / 4)};
    const std::array uses{BufferUse{.buffer = &source, .access = BufferAccess::read},
                          BufferUse{.buffer = &target, .access = BufferAccess::write}};
    device.dispatch({.kernel = &kernel,
                     .group_count = {(arguments.count + 63) / 64, 1, 1},
                     .arguments = bytes_of(arguments).first(20),
                     .buffers = uses});
}

void spin(device::Device& device, device::Kernel& kernel, device::Buffer& target,
          std::uint32_t rounds) {
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

std::shared_ptr<device::Buffer> keep_busy(device::Device& device, device::Kernel& spinner) {
    constexpr std::chrono::milliseconds kBusy{300};
    constexpr std::uint32_t kRounds = 60'000;
    const auto buffer = create_filled(device, std::vector<std::uint32_t>(100, 1));
    const auto start = std::chrono::steady_clock::now();
    spin(device, spinner, *buffer, kRounds);
    device.wait();
    const auto once = std::chrono::steady_clock::now() - start;
    for (auto queued = once - once; queued < kBusy; queued += once) {
        spin(device, spinner, *buffer, kRounds);
    }
    device.flush();
    return buffer;
}

std::uint32_t spun(std::uint32_t state, std::uint32_t rounds) {
    for (std::uint32_t i = 0; i < rounds; ++i) {
        state = 1664525U * state + 1013904223U;
    }
    return state;
}

} // namespace weft::test
