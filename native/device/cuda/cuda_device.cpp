// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/cuda_device.hpp"

#include "core/file.hpp"
#include "core/kernel_images.hpp"
#include "core/text.hpp"
#include "device/cuda/device.hpp"
#include "device/cuda/kernel_compiler.hpp"

namespace weft::device {
namespace {

std::string names_of(const std::vector<cuda::Adapter>& adapters) {
    std::vector<std::string> names;
    names.reserve(adapters.size());
    for (const cuda::Adapter& adapter : adapters) {
        names.push_back(core::text(adapter.info.adapter, " (", adapter.info.name, ")"));
    }
    return core::join(names, ", ");
}

} // namespace

namespace cuda {

std::vector<DeviceInfo> enumerate_devices(const Driver& driver) {
    std::vector<DeviceInfo> devices;
    for (Adapter& adapter : list_adapters(driver)) {
        devices.push_back(std::move(adapter.info));
    }
    return devices;
}

std::shared_ptr<Device> create_device(const std::shared_ptr<const Driver>& driver,
                                      const DeviceDesc& desc) {
    const std::vector<Adapter> adapters = list_adapters(*driver);
    if (adapters.empty()) {
        throw core::DeviceError(
            "create_device: expected an NVIDIA GPU, the driver reports none; check nvidia-smi "
            "and CUDA_VISIBLE_DEVICES, or pass DeviceType.vulkan",
            core::DeviceError::Kind::unavailable);
    }
    const std::int32_t index = desc.adapter.value_or(0);
    if (index < 0 || static_cast<std::size_t>(index) >= adapters.size()) {
        throw core::ArgumentError(core::text("create_device: adapter must be one of ",
                                             names_of(adapters), ", got ", index,
                                             "; enumerate_devices() lists them"));
    }
    return std::make_shared<CudaDevice>(driver, adapters[static_cast<std::size_t>(index)], desc);
}

} // namespace cuda

std::vector<DeviceInfo> enumerate_cuda() {
    try {
        return cuda::enumerate_devices(*cuda::Driver::load());
    } catch (const core::DeviceError&) {
        return {}; // creating a device says why
    }
}

std::shared_ptr<Device> create_cuda_device(const DeviceDesc& desc) {
    return cuda::create_device(cuda::Driver::load(), desc);
}

KernelSink create_image_writer(const DeviceDesc& desc) {
    constexpr int kAnyDriver = 1'000'000;
    struct Writer {
        cuda::KernelCompiler compiler;
        core::FileCache images;
    };
    auto writer = std::shared_ptr<Writer>(new Writer{
        .compiler = cuda::KernelCompiler(
            {.search = {.directories = desc.library_directories, .driver_version = kAnyDriver}}),
        .images = core::FileCache({.directory = core::path_from_utf8(desc.cache_directory)})});
    return [writer](const KernelDesc& kernel) {
        writer->images.store(core::kImageEntry, core::hash_bytes(kernel.code),
                             core::pack_images(writer->compiler.compile_all(kernel)));
    };
}

} // namespace weft::device
