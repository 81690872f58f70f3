// SPDX-License-Identifier: Apache-2.0
#include "device_cuda/support.hpp"

#include "core/shared_library.hpp"
#include "device/cuda/cuda_device.hpp"
#include "support/catch.hpp"

namespace weft::test {
namespace {

using device::Device;
using device::cuda::Driver;

constexpr const char* kFakeDriver = WEFT_TEST_FAKE_CUDA;
constexpr const char* kFakeNvrtc = WEFT_TEST_FAKE_NVRTC;

const core::SharedLibrary& nvrtc_library() {
    static const core::SharedLibrary library = core::SharedLibrary::load(kFakeNvrtc);
    return library;
}

} // namespace

FakeCuda& reset_fake_cuda() {
    static const core::SharedLibrary library = core::SharedLibrary::load(kFakeDriver);
    return *library.try_function<ResetFakeCuda>("weft_fake_cuda")();
}

std::shared_ptr<const Driver> load_fake_driver() {
    return Driver::load(kFakeDriver);
}

int take_compile_count() {
    return nvrtc_library().try_function<int()>("weft_fake_nvrtc_take_count")();
}

std::string last_compile_options() {
    return nvrtc_library().try_function<const char*()>("weft_fake_nvrtc_options")();
}

int fail_nvrtc_call(int number) {
    return nvrtc_library().try_function<int(int)>("weft_fake_nvrtc_fail")(number);
}

FakeDevice::FakeDevice(Options options)
    : m_cuda(&reset_fake_cuda()), m_options(std::move(options)), m_driver(load_fake_driver()),
      m_device(create(m_options.adapter)) {
    take_compile_count();
}

std::shared_ptr<Device> FakeDevice::create(int adapter) const {
    const std::vector<std::string> fake{std::filesystem::path(kFakeNvrtc).parent_path().string()};
    return device::cuda::create_device(
        m_driver, {.type = device::DeviceType::cuda,
                   .adapter = adapter,
                   .debug = m_options.is_debug,
                   .cache_directory = m_options.has_cache ? m_cache.path().string() : std::string(),
                   .library_directories =
                       m_options.nvrtc_directories.empty() ? fake : m_options.nvrtc_directories});
}

void FakeDevice::finish() {
    m_device->close();
    m_device.reset();
    CHECK(m_cuda->device_blocks.empty());
    CHECK(m_cuda->host_blocks.empty());
    CHECK(m_cuda->pinned.empty());
    CHECK(m_cuda->live_modules == 0);
    CHECK(m_cuda->live_events == 0);
    CHECK(m_cuda->live_graphs == 0);
    CHECK(m_cuda->context_depth == 0);
    CHECK(m_cuda->retained[0] == 0);
    CHECK(m_cuda->retained[1] == 0);
}

std::shared_ptr<device::Kernel>
FakeDevice::create_kernel(const device::KernelDesc& desc, std::size_t parameter_bytes,
                          std::function<void(const FakeLaunch&)> run) const {
    m_cuda->kernels[desc.entry_point] = std::move(run);
    std::string source =
        "//!kernel " + desc.entry_point + " " + std::to_string(parameter_bytes) + "\n";
    if (desc.globals.size_bytes > 0) {
        source += "//!global " + desc.globals.cuda_symbol + " " +
                  std::to_string(desc.globals.size_bytes) + "\n";
    }
    device::KernelDesc with_code = desc;
    with_code.code = std::as_bytes(std::span(source));
    return m_device->create_kernel(with_code);
}

} // namespace weft::test
