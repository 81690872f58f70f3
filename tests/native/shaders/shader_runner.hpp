// SPDX-License-Identifier: Apache-2.0
// Runs the entry points of tests/shaders on a device.
#pragma once

#include "compile/compiler.hpp"
#include "device/device.hpp"

#include <array>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft::test {

/// The compiler of this build in this process; one for the whole run.
[[nodiscard]] compile::Compiler& shader_compiler();

/// Compiles `entry_point` of the file tests/shaders/<file>, once.
[[nodiscard]] const compile::KernelCode&
compile_twin(const std::string& file, const std::string& entry_point, compile::Target target);

/// The devices that the shader tests run on: Vulkan with validation, and CUDA where there is a GPU.
[[nodiscard]] std::vector<std::shared_ptr<device::Device>> shader_devices();

/// Bytes of kernel arguments, each aligned to its own size.
class ArgumentBytes {
public:
    template <typename T>
    ArgumentBytes& add(const T& value) {
        m_bytes.resize((m_bytes.size() + alignof(T) - 1) / alignof(T) * alignof(T) + sizeof(T));
        std::memcpy(m_bytes.data() + m_bytes.size() - sizeof(T), &value, sizeof(T));
        return *this;
    }
    /// A device address; null for no buffer.
    ArgumentBytes& add_pointer(const device::Buffer* buffer) {
        return add(buffer == nullptr ? std::uint64_t{0} : buffer->address());
    }
    std::span<const std::byte> bytes() const noexcept { return m_bytes; }

private:
    std::vector<std::byte> m_bytes;
};

struct Launch {
    std::string file;
    std::string entry_point;
    std::array<std::uint32_t, 3> group_size{1, 1, 1};
    std::array<std::uint32_t, 3> group_count{1, 1, 1};
};

/// Dispatches one entry point; `buffers` are all that it touches.
void run_twin(device::Device& device, const Launch& launch, const ArgumentBytes& arguments,
              std::span<device::Buffer* const> buffers);

template <typename T>
[[nodiscard]] std::shared_ptr<device::Buffer> upload(device::Device& device,
                                                     const std::vector<T>& values) {
    auto buffer = device.create_buffer({.size_bytes = values.size() * sizeof(T), .label = "test"});
    device.upload(*buffer, 0, std::as_bytes(std::span(values)));
    return buffer;
}

template <typename T>
[[nodiscard]] std::vector<T> download(device::Device& device, const device::Buffer& buffer) {
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    device.download(buffer, 0, std::as_writable_bytes(std::span(values)));
    return values;
}

} // namespace weft::test
