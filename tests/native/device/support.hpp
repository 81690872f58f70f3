// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace weft::test {

/// A Vulkan device with the validation layer on. Checks on its way out that the layer said nothing.
class CheckedDevice {
public:
    CheckedDevice();
    explicit CheckedDevice(std::shared_ptr<device::Device> device);
    ~CheckedDevice();
    CheckedDevice(CheckedDevice&&) = default;
    CheckedDevice(const CheckedDevice&) = delete;
    CheckedDevice& operator=(const CheckedDevice&) = delete;
    CheckedDevice& operator=(CheckedDevice&&) = delete;

    device::Device* operator->() const noexcept { return m_device.get(); }
    device::Device& operator*() const noexcept { return *m_device; }
    const std::shared_ptr<device::Device>& ref() const noexcept { return m_device; }

private:
    std::shared_ptr<device::Device> m_device;
};

/// How the kernels of kernels/*.slang are described to a device.
enum class TestKernel : std::uint8_t {
    add_pointers,
    apply_globals,
    double_and_increment,
    scale_bindings,
    spin,
    store_from_address,
};

std::shared_ptr<device::Kernel> create_kernel(device::Device& device, TestKernel kernel);

/// double_and_increment with fewer bytes of arguments than its code reads: only the validation layer sees the
/// mistake.
std::shared_ptr<device::Kernel> create_misdescribed_kernel(device::Device& device);

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span<const T, 1>(&value, 1));
}

template <typename T>
std::shared_ptr<device::Buffer> create_filled(device::Device& device, const std::vector<T>& values,
                                              const std::string& label = "test") {
    auto buffer = device.create_buffer({.size_bytes = values.size() * sizeof(T), .label = label});
    device.upload(*buffer, 0, std::as_bytes(std::span(values)));
    return buffer;
}

template <typename T>
std::vector<T> read(device::Device& device, const device::Buffer& buffer) {
    std::vector<T> values(buffer.size_bytes() / sizeof(T));
    device.download(buffer, 0, std::as_writable_bytes(std::span(values)));
    return values;
}

/// Dispatches double_and_increment over all of `source`.
void double_and_increment(device::Device& device, device::Kernel& kernel, device::Buffer& source,
                          device::Buffer& target);

/// Dispatches spin: `rounds` (at most 65,000) steps of a random number generator on every word of
/// `target`.
void spin(device::Device& device, device::Kernel& kernel, device::Buffer& target,
          std::uint32_t rounds);

/// Queues work that takes the device at least 300 ms, however fast it is, and submits it.
/// Returns what keeps it alive.
std::shared_ptr<device::Buffer> keep_busy(device::Device& device, device::Kernel& spinner);

/// What spin makes of a word.
std::uint32_t spun(std::uint32_t state, std::uint32_t rounds);

/// The text of the error that `call` throws, "" if it throws none.
template <typename Error, typename Call>
std::string message_of(Call&& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}

} // namespace weft::test
