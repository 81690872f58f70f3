// SPDX-License-Identifier: Apache-2.0
// The only file that knows all backends; what a backend is asked for stands in its *_device.hpp.
#include "device/device.hpp"

#include "core/text.hpp"
#if WEFT_WITH_CUDA
#include "device/cuda/cuda_device.hpp"
#endif
#include "device/vulkan/vulkan_device.hpp"

#include <algorithm>

namespace weft::device {
namespace {

#if !WEFT_WITH_CUDA
std::vector<DeviceInfo> enumerate_cuda() {
    return {};
}

std::shared_ptr<Device> create_cuda_device(const DeviceDesc&) {
    throw core::DeviceError("create_device: expected a Weft built with CUDA, got one without; pass "
                            "DeviceType.vulkan",
                            core::DeviceError::Kind::unavailable);
}
#endif

bool is_real_gpu(const DeviceInfo& info) noexcept {
    return !info.features.is_software;
}

/// CUDA, then a Vulkan GPU, then software Vulkan.
DeviceType choose_type() {
    if (!enumerate_cuda().empty()) {
        return DeviceType::cuda;
    }
    return DeviceType::vulkan; // orders its own adapters: GPUs first
}

std::shared_ptr<Device> create_automatic(const DeviceDesc& desc) {
    DeviceDesc chosen = desc;
    chosen.type = choose_type();
    return Device::create(chosen);
}

} // namespace

std::string_view to_string(DeviceType type) noexcept {
    switch (type) {
    case DeviceType::automatic: return "automatic";
    case DeviceType::vulkan: return "vulkan";
    case DeviceType::cuda: return "cuda";
    case DeviceType::d3d12: return "d3d12";
    case DeviceType::metal: return "metal";
    case DeviceType::cpu: return "cpu";
    }
    return "unknown";
}

std::shared_ptr<Device> Device::create(const DeviceDesc& desc) {
    switch (desc.type) {
    case DeviceType::automatic: return create_automatic(desc);
    case DeviceType::vulkan: return create_vulkan_device(desc);
    case DeviceType::cuda: return create_cuda_device(desc);
    case DeviceType::d3d12:
    case DeviceType::metal:
    case DeviceType::cpu: break;
    }
    throw core::ArgumentError(
        core::text("create_device: type must be automatic, vulkan or cuda, got ",
                   to_string(desc.type), "; Vulkan runs on this system's ",
                   desc.type == DeviceType::cpu ? "CPU through a software driver"
                                                : "GPU through its own driver",
                   ", so pass DeviceType.vulkan"));
}

std::vector<DeviceInfo> Device::enumerate() {
    std::vector<DeviceInfo> devices = enumerate_cuda();
    const std::vector<DeviceInfo> vulkan = enumerate_vulkan();
    devices.insert(devices.end(), vulkan.begin(), vulkan.end());
    std::stable_partition(devices.begin(), devices.end(), is_real_gpu);
    return devices;
}

void Device::share_with_cuda(std::int32_t ordinal, std::string_view context) {
    throw core::ArgumentError(core::text(context, " lies on cuda:", ordinal, ", whose memory a ",
                                         to_string(m_info.type), " device ('", m_info.name,
                                         "') cannot use; move the tensor with .cpu()"));
}

// NOLINTBEGIN(performance-unnecessary-value-param): backends keep what is passed here.
std::shared_ptr<Buffer> Device::wrap_external(std::uint64_t /*address*/,
                                              std::uint64_t /*size_bytes*/,
                                              std::shared_ptr<void> /*keep_alive*/) {
    throw core::ArgumentError(
        core::text("from_dlpack: ", to_string(m_info.type), " device '", m_info.name,
                   "' cannot use memory of another library in place; pass an array in host "
                   "memory, which is copied"));
}
std::shared_ptr<Buffer> Device::lend(std::uint64_t address, std::uint64_t size_bytes,
                                     std::shared_ptr<void> keep_alive) {
    return wrap_external(address, size_bytes, std::move(keep_alive));
}

std::shared_ptr<void> Device::lend_to_cuda(const std::shared_ptr<Buffer>& /*buffer*/,
                                           std::uint64_t /*stream*/) {
    throw core::InternalError(
        core::text("lend_to_cuda: device '", m_info.name, "' lends no memory"));
}
// NOLINTEND(performance-unnecessary-value-param)

} // namespace weft::device
