// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.hpp"
#include "device/cuda/driver.hpp"
#include "device/device.hpp"
#include "device_cuda/fake_cuda.hpp"
#include "support/temporary_folder.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::test {

/// A device on the fake driver, with the fake NVRTC. One at a time.
class FakeDevice {
public:
    struct Options {
        bool is_debug = false;
        bool has_cache = false;
        int adapter = 0;
        std::vector<std::string> nvrtc_directories{}; ///< the real NVRTC in place of the fake one
    };

    FakeDevice() : FakeDevice(Options{}) {}
    explicit FakeDevice(Options options);

    device::Device* operator->() const noexcept { return m_device.get(); }
    device::Device& operator*() const noexcept { return *m_device; }
    FakeCuda& cuda() const noexcept { return *m_cuda; }
    const std::shared_ptr<const device::cuda::Driver>& driver() const noexcept { return m_driver; }
    /// A second device on the same driver.
    std::shared_ptr<device::Device> create(int adapter) const;
    /// Closes the device and lets it go; checks that the driver got everything back.
    void finish();

    /// A kernel whose image declares `parameter_bytes`; `run` is called when the launch executes.
    std::shared_ptr<device::Kernel> create_kernel(const device::KernelDesc& desc,
                                                  std::size_t parameter_bytes,
                                                  std::function<void(const FakeLaunch&)> run) const;

private:
    FakeCuda* m_cuda;
    TemporaryFolder m_cache;
    Options m_options;
    std::shared_ptr<const device::cuda::Driver> m_driver;
    std::shared_ptr<device::Device> m_device;
};

/// Starts over with a fresh fake driver.
FakeCuda& reset_fake_cuda();
std::shared_ptr<const device::cuda::Driver> load_fake_driver();
/// Compilations of the fake NVRTC since the last call, and the options of the last one.
int take_compile_count();
std::string last_compile_options();
/// Lets the `number`-th call of the fake NVRTC from now fail; 0: none. Returns the calls since the last one.
int fail_nvrtc_call(int number);

template <typename T>
std::span<const std::byte> bytes_of(const T& value) {
    return std::as_bytes(std::span(&value, 1));
}

/// What `call` throws, as text; fails the test if it throws something else or nothing.
template <typename Error, typename Call>
std::string message_of(const Call& call) {
    try {
        call();
    } catch (const Error& error) {
        return error.what();
    }
    throw std::runtime_error("expected an error, got none");
}

} // namespace weft::test
