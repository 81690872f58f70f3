// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/features.hpp"

#include <array>
#include <cstring>

namespace weft::device::vulkan {
namespace {

constexpr std::array kFeatures{
    FeatureRow{"bufferDeviceAddress", offsetof(FeatureSet, v12.bufferDeviceAddress), Need::required,
               "pointers in kernels"},
    FeatureRow{"timelineSemaphore", offsetof(FeatureSet, v12.timelineSemaphore), Need::required,
               "knowing what has finished"},
    FeatureRow{"shaderInt64", offsetof(FeatureSet, core.features.shaderInt64), Need::optional,
               "64-bit integers, arrays above 2^31 elements, atomics through pointers"},
    FeatureRow{"shaderInt16", offsetof(FeatureSet, core.features.shaderInt16), Need::optional,
               "16-bit integers"},
    FeatureRow{"shaderFloat64", offsetof(FeatureSet, core.features.shaderFloat64), Need::optional,
               "double"},
    FeatureRow{"storageBuffer16BitAccess", offsetof(FeatureSet, v11.storageBuffer16BitAccess),
               Need::optional, "half and 16-bit integers in arrays"},
    FeatureRow{"uniformAndStorageBuffer16BitAccess",
               offsetof(FeatureSet, v11.uniformAndStorageBuffer16BitAccess), Need::optional,
               "half and 16-bit integers in module-scope uniforms"},
    FeatureRow{"storagePushConstant16", offsetof(FeatureSet, v11.storagePushConstant16),
               Need::optional, "half and 16-bit integers as arguments"},
    FeatureRow{"variablePointersStorageBuffer",
               offsetof(FeatureSet, v11.variablePointersStorageBuffer), Need::optional,
               "storage buffers chosen at run time"},
    FeatureRow{"variablePointers", offsetof(FeatureSet, v11.variablePointers), Need::optional,
               "shared memory chosen at run time"},
    FeatureRow{"storageBuffer8BitAccess", offsetof(FeatureSet, v12.storageBuffer8BitAccess),
               Need::optional, "8-bit integers in arrays"},
    FeatureRow{"uniformAndStorageBuffer8BitAccess",
               offsetof(FeatureSet, v12.uniformAndStorageBuffer8BitAccess), Need::optional,
               "8-bit integers in module-scope uniforms"},
    FeatureRow{"storagePushConstant8", offsetof(FeatureSet, v12.storagePushConstant8),
               Need::optional, "8-bit integers as arguments"},
    FeatureRow{"shaderFloat16", offsetof(FeatureSet, v12.shaderFloat16), Need::optional,
               "half arithmetic"},
    FeatureRow{"shaderInt8", offsetof(FeatureSet, v12.shaderInt8), Need::optional,
               "8-bit integers"},
    FeatureRow{"scalarBlockLayout", offsetof(FeatureSet, v12.scalarBlockLayout), Need::optional,
               "structures laid out as in C"},
    FeatureRow{"shaderSubgroupExtendedTypes", offsetof(FeatureSet, v12.shaderSubgroupExtendedTypes),
               Need::optional, "wave operations on 8-, 16- and 64-bit types"},
    FeatureRow{"shaderBufferInt64Atomics", offsetof(FeatureSet, v12.shaderBufferInt64Atomics),
               Need::optional, "64-bit integer atomics, deterministic sums"},
    FeatureRow{"vulkanMemoryModel", offsetof(FeatureSet, v12.vulkanMemoryModel), Need::optional,
               "coherent memory operations"},
    FeatureRow{"vulkanMemoryModelDeviceScope",
               offsetof(FeatureSet, v12.vulkanMemoryModelDeviceScope), Need::optional,
               "coherent memory operations between groups"},
    FeatureRow{"shaderBufferFloat32Atomics",
               offsetof(FeatureSet, atomic_float.shaderBufferFloat32Atomics), Need::optional,
               "float exchange"},
    FeatureRow{"shaderBufferFloat32AtomicAdd",
               offsetof(FeatureSet, atomic_float.shaderBufferFloat32AtomicAdd), Need::optional,
               "float sums across threads"},
    FeatureRow{"shaderBufferFloat64AtomicAdd",
               offsetof(FeatureSet, atomic_float.shaderBufferFloat64AtomicAdd), Need::optional,
               "double sums across threads"},
    FeatureRow{"shaderSharedFloat32AtomicAdd",
               offsetof(FeatureSet, atomic_float.shaderSharedFloat32AtomicAdd), Need::optional,
               "float sums in shared memory"},
    FeatureRow{"shaderBufferFloat16AtomicAdd",
               offsetof(FeatureSet, atomic_float2.shaderBufferFloat16AtomicAdd), Need::optional,
               "half sums across threads"},
    FeatureRow{"shaderBufferFloat32AtomicMinMax",
               offsetof(FeatureSet, atomic_float2.shaderBufferFloat32AtomicMinMax), Need::optional,
               "float minimum and maximum across threads"},
    FeatureRow{"accelerationStructure", offsetof(FeatureSet, acceleration.accelerationStructure),
               Need::optional, "the tracer `ray_query`"},
    FeatureRow{"rayQuery", offsetof(FeatureSet, ray_query.rayQuery), Need::optional,
               "the tracer `ray_query`"},
};

constexpr std::array kExtensions{
    ExtensionRow{VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME, Need::optional,
                 "float and double atomics"},
    ExtensionRow{VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME, Need::optional,
                 "half atomics, minimum and maximum"},
    ExtensionRow{VK_EXT_MEMORY_BUDGET_EXTENSION_NAME, Need::optional, "free device memory"},
    ExtensionRow{VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME, Need::optional,
                 "arrays of the host in place (software), and pinned ones"},
    ExtensionRow{VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME, Need::optional,
                 "memory shared with CUDA (Linux)"},
    ExtensionRow{VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME, Need::optional,
                 "order with CUDA's streams (Linux)"},
    ExtensionRow{VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME, Need::optional,
                 "acceleration structures need it"},
    ExtensionRow{VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME, Need::optional,
                 "trees of the driver, for ray queries"},
    ExtensionRow{VK_KHR_RAY_QUERY_EXTENSION_NAME, Need::optional, "rays traced by the driver"},
    ExtensionRow{"VK_KHR_portability_subset", Need::optional, "MoltenVK insists on it"},
};

} // namespace

void FeatureSet::link(const Extensions& has) noexcept {
    core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
    v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES;
    v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES;
    atomic_float.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_FEATURES_EXT;
    atomic_float2.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_ATOMIC_FLOAT_2_FEATURES_EXT;
    acceleration.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_ACCELERATION_STRUCTURE_FEATURES_KHR;
    ray_query.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_RAY_QUERY_FEATURES_KHR;
    core.pNext = &v11;
    v11.pNext = &v12;
    void** tail = &v12.pNext;
    const auto chain = [&](bool is_there, auto& structure) {
        if (is_there) {
            *tail = &structure;
            tail = &structure.pNext;
        }
    };
    chain(has.atomic_float, atomic_float);
    chain(has.atomic_float2, atomic_float2);
    chain(has.ray_query, acceleration);
    chain(has.ray_query, ray_query);
    *tail = nullptr;
}

std::span<const FeatureRow> feature_table() noexcept {
    return kFeatures;
}

std::span<const ExtensionRow> extension_table() noexcept {
    return kExtensions;
}

bool is_set(const FeatureSet& set, const FeatureRow& row) noexcept {
    VkBool32 value = VK_FALSE;
    std::memcpy(&value, reinterpret_cast<const std::byte*>(&set) + row.offset, sizeof value);
    return value == VK_TRUE;
}

void enable(FeatureSet& set, const FeatureRow& row) noexcept {
    constexpr VkBool32 kTrue = VK_TRUE;
    std::memcpy(reinterpret_cast<std::byte*>(&set) + row.offset, &kTrue, sizeof kTrue);
}

} // namespace weft::device::vulkan
