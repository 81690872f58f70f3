// SPDX-License-Identifier: Apache-2.0
#include "device/compile_only.hpp"

#include "device/null/null_device.hpp"
#if WEFT_WITH_CUDA
#include "device/cuda/cuda_device.hpp"
#endif

namespace weft::device {
namespace {

constexpr std::uint32_t kManyGroups = 0x7fffffff;

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
}

void describe_cuda(DeviceInfo& info) {
    info.type = DeviceType::cuda;
    info.target = core::Target::cuda;
    info.limits.max_inline_arguments = 4096 - 64; // as cuda/adapter.cpp
    info.limits.max_storage_binding = info.memory_bytes;
    info.limits.storage_binding_alignment = 1;
    info.features.matrix_units = true;
}

DeviceInfo info_of(CompileFor kind) {
    constexpr std::uint64_t kMemoryBytes = std::uint64_t{1} << 30;
    DeviceInfo info{.type = DeviceType::vulkan,
                    .name = "compiles only",
                    .driver = "none",
                    .memory_bytes = kMemoryBytes,
                    .limits = {.max_group_count = {kManyGroups, 65535, 65535},
                               .max_group_size = {1024, 1024, 64},
                               .max_threads_per_group = 1024,
                               .subgroup_size = 32,
                               .max_shared_memory = 32768,
                               .max_inline_arguments = 256,
                               .max_buffer_size = kMemoryBytes,
                               .max_storage_binding = std::uint64_t{1} << 32,
                               .storage_binding_alignment = 16},
                    .features = {.float16 = true,
                                 .float64 = true,
                                 .int8 = true,
                                 .int16 = true,
                                 .int64 = true,
                                 .int64_atomics = true,
                                 .float32_atomic_add = true,
                                 .float16_atomic_add = true,
                                 .float64_atomic_add = true,
                                 .subgroup_arithmetic = true}};
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
