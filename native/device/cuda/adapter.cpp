// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/adapter.hpp"

#include "core/text.hpp"
#include "device/cuda/result.hpp"

namespace weft::device::cuda {
namespace {

constexpr const char* kDoing = "enumerate_devices";

/// Every driver takes 4 KiB of kernel parameters; some is kept back for what a compiler may add.
constexpr std::uint32_t kMaxInlineArguments = 4096 - 64;

std::uint32_t attribute(const Driver& driver, CUdevice device, CUdevice_attribute which) {
    int value = 0;
    check(driver, driver.cuDeviceGetAttribute(&value, which, device), "cuDeviceGetAttribute",
          kDoing);
    return static_cast<std::uint32_t>(value);
}

DeviceLimits limits_of(const Driver& driver, CUdevice device, std::uint64_t memory_bytes) {
    const auto get = [&](CUdevice_attribute which) { return attribute(driver, device, which); };
    return {.max_group_count = {get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X),
                                get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y),
                                get(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z)},
            .max_group_size = {get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X),
                               get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y),
                               get(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z)},
            .max_threads_per_group = get(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK),
            .subgroup_size = get(CU_DEVICE_ATTRIBUTE_WARP_SIZE),
            .max_shared_memory = get(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK),
            .max_inline_arguments = kMaxInlineArguments,
            .max_buffer_size = memory_bytes,
            .max_storage_binding = memory_bytes,
            .storage_binding_alignment = 1};
}

DeviceFeatures features_of(Architecture architecture) noexcept {
    const bool is_volta = architecture.major >= 7;
    return {.is_software = false,
            .float16 = architecture.number() >= 53,
            .float64 = true,
            .int8 = true,
            .int16 = true,
            .int64 = true,
            .int64_atomics = true,
            .float32_atomic_add = true,
            .float16_atomic_add = is_volta,
            .float64_atomic_add = architecture.major >= 6,
            .subgroup_arithmetic = true,
            .matrix_units = architecture.major >= 8};
}

Adapter describe(const Driver& driver, std::int32_t index) {
    Adapter adapter;
    check(driver, driver.cuDeviceGet(&adapter.device, index), "cuDeviceGet", kDoing);
    std::array<char, 256> name{};
    check(driver,
          driver.cuDeviceGetName(name.data(), static_cast<int>(name.size()) - 1, adapter.device),
          "cuDeviceGetName", kDoing);
    std::size_t memory_bytes = 0;
    check(driver, driver.cuDeviceTotalMem(&memory_bytes, adapter.device), "cuDeviceTotalMem",
          kDoing);
    const auto get = [&](CUdevice_attribute which) {
        return static_cast<int>(attribute(driver, adapter.device, which));
    };
    adapter.architecture = {get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR),
                            get(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)};
    adapter.info = {.type = DeviceType::cuda,
                    .target = core::Target::cuda,
                    .name = name.data(),
                    .driver = core::text("NVIDIA driver for CUDA ", driver.version / 1000, ".",
                                         driver.version % 1000 / 10),
                    .adapter = index,
                    .memory_bytes = memory_bytes,
                    .architecture = core::text("sm_", adapter.architecture.number()),
                    .limits = limits_of(driver, adapter.device, memory_bytes),
                    .features = features_of(adapter.architecture)};
    return adapter;
}

} // namespace

std::vector<Adapter> list_adapters(const Driver& driver) {
    int count = 0;
    check(driver, driver.cuDeviceGetCount(&count), "cuDeviceGetCount", kDoing);
    std::vector<Adapter> adapters;
    adapters.reserve(static_cast<std::size_t>(count));
    for (std::int32_t index = 0; index < count; ++index) {
        adapters.push_back(describe(driver, index));
    }
    return adapters;
}

} // namespace weft::device::cuda
