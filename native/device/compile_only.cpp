// SPDX-License-Identifier: Apache-2.0
#include "device/compile_only.hpp"

#include "device/null/null_device.hpp"
#if WEFT_WITH_CUDA
#include "device/cuda/cuda_device.hpp"
#endif

namespace weft::device {
namespace {

#if !WEFT_WITH_CUDA
KernelSink create_image_writer(const DeviceDesc&) {
    throw core::DeviceError("create_device: expected a Weft built with CUDA, got one without; "
                            "compile for software and vulkan alone",
                            core::DeviceError::Kind::unavailable);
}
#endif

/// What Mesa's llvmpipe says of itself, as far as it decides kernels.
void describe_software(DeviceInfo& info) {
    info.limits.max_group_count = {65535, 65535, 65535};
    info.limits.max_group_size = {1024, 1024, 1024};
    info.limits.subgroup_size = 8;
    info.limits.max_inline_arguments = 112;
    info.limits.max_storage_binding = std::uint64_t{128} << 20;
    info.features.is_software = true;
    info.features.float16_atomic_add = false;
    info.features.float64_atomic_add = false;
    info.features.ray_query = false;
}

void describe_cuda(DeviceInfo& info) {
    info.type = DeviceType::cuda;
    info.target = core::Target::cuda;
    info.limits.max_inline_arguments = 4096 - 64; // as cuda/adapter.cpp
    info.limits.max_storage_binding = info.memory_bytes;
    info.limits.storage_binding_alignment = 1;
    info.features.matrix_units = true;
    info.features.ray_query = false;
}

DeviceInfo info_of(CompileFor kind) {
    DeviceInfo info = create_null_device()->info();
    info.type = DeviceType::vulkan;
    info.name = "compiles only";
    info.limits.max_storage_binding = std::uint64_t{1} << 32;
    if (kind == CompileFor::software) {
        describe_software(info);
    } else if (kind == CompileFor::cuda) {
        describe_cuda(info);
    }
    return info;
}

} // namespace

std::shared_ptr<Device> create_compile_only(CompileFor kind, const DeviceDesc& desc) {
    return create_null_device(info_of(kind),
                              kind == CompileFor::cuda ? create_image_writer(desc) : KernelSink());
}

} // namespace weft::device
