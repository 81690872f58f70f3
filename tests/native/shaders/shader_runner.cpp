// SPDX-License-Identifier: Apache-2.0
#include "shader_runner.hpp"

#include "core/text.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"

#include <fstream>
#include <iterator>
#include <map>
#include <tuple>

namespace weft::test {
namespace {

std::string read_text(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

} // namespace

compile::Compiler& shader_compiler() {
    static const std::shared_ptr<compile::Compiler> compiler =
        compile::Compiler::create({.slang_directory = slang_directory(),
                                   .helper_executable = helper_executable(),
                                   .shader_directory = shader_directory(),
                                   .cache_directory = {}});
    return *compiler;
}

const compile::KernelCode& compile_twin(const std::string& file, const std::string& entry_point,
                                        compile::Target target) {
    static std::map<std::tuple<std::string, std::string, compile::Target>, compile::KernelCode>
        codes;
    const auto [found, is_new] = codes.try_emplace({file, entry_point, target});
    if (!is_new) {
        return found->second;
    }
    compile::ModuleDesc module;
    module.name = "empty";
    module.text = "// the kernels stand in the request";
    module.target = target;
    compile::KernelRequest request;
    request.module = shader_compiler().load_module(module);
    request.source = read_text(test_directory() / "shaders" / file);
    request.entry_point = entry_point;
    request.target = target;
    found->second = shader_compiler().compile_kernel(request);
    return found->second;
}

std::vector<std::shared_ptr<device::Device>> shader_devices() {
    std::vector<std::shared_ptr<device::Device>> devices{
        device::Device::create({.type = device::DeviceType::vulkan, .debug = true})};
    for (const device::DeviceInfo& info : device::Device::enumerate()) {
        if (info.type == device::DeviceType::cuda && devices.size() == 1) {
            devices.push_back(device::Device::create({.type = info.type, .adapter = info.adapter}));
        }
    }
    return devices;
}

void run_twin(device::Device& device, const Launch& launch, const ArgumentBytes& arguments,
              std::span<device::Buffer* const> buffers) {
    const compile::KernelCode& code =
        compile_twin(launch.file, launch.entry_point, device.target());
    device::KernelDesc desc;
    desc.code = code.code;
    desc.entry_point = launch.entry_point;
    desc.group_size = launch.group_size;
    desc.argument_bytes = static_cast<std::uint32_t>(arguments.bytes().size());
    desc.label = launch.entry_point;
    const auto kernel = device.create_kernel(desc);
    std::vector<device::BufferUse> uses;
    for (device::Buffer* const buffer : buffers) {
        uses.push_back({.buffer = buffer, .access = device::BufferAccess::read_write});
    }
    device.dispatch({.kernel = kernel.get(),
                     .group_count = launch.group_count,
                     .arguments = arguments.bytes(),
                     .buffers = uses});
    device.wait();
    CHECK(device.validation_message_count() == 0);
}

} // namespace weft::test
