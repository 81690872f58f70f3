// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/adapter.hpp"

#include "core/text.hpp"
#include "device/vulkan/external_memory.hpp"
#include "device/vulkan/memory.hpp"

#include <algorithm>
#include <cstring>

namespace weft::device::vulkan {
namespace {

struct Properties {
    VkPhysicalDeviceProperties2 core{};
    VkPhysicalDeviceVulkan11Properties v11{};
    VkPhysicalDeviceVulkan12Properties v12{};
    VkPhysicalDeviceMaintenance4Properties maintenance4{};
    VkPhysicalDeviceExternalMemoryHostPropertiesEXT host_memory{};
};

std::vector<VkExtensionProperties> extensions_of(const InstanceApi& api, VkPhysicalDevice device) {
    std::uint32_t count = 0;
    api.enumerate_extensions(device, nullptr, &count, nullptr);
    std::vector<VkExtensionProperties> extensions(count);
    api.enumerate_extensions(device, nullptr, &count, extensions.data());
    return extensions;
}

bool contains(const std::vector<VkExtensionProperties>& extensions, const char* name) {
    return std::any_of(extensions.begin(), extensions.end(),
                       [&](const VkExtensionProperties& extension) {
                           return !std::strcmp(extension.extensionName, name);
                       });
}

Properties read_properties(const InstanceApi& api, VkPhysicalDevice device, bool has_host_memory) {
    Properties properties;
    properties.core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
    api.get_properties(device, &properties.core);
    const std::uint32_t version = properties.core.properties.apiVersion;
    if (version < kApiVersion) {
        return properties;
    }
    properties.v11.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES;
    properties.v12.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES;
    properties.maintenance4.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES;
    properties.core.pNext = &properties.v11;
    properties.v11.pNext = &properties.v12;
    properties.v12.pNext = version >= VK_API_VERSION_1_3 ? &properties.maintenance4 : nullptr;
    if (has_host_memory) {
        properties.host_memory.sType =
            VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_MEMORY_HOST_PROPERTIES_EXT;
        properties.host_memory.pNext = properties.v12.pNext;
        properties.v12.pNext = &properties.host_memory;
    }
    api.get_properties(device, &properties.core);
    return properties;
}

std::optional<std::uint32_t> find_queue_family(const InstanceApi& api, VkPhysicalDevice device) {
    std::uint32_t count = 0;
    api.get_queue_families(device, &count, nullptr);
    std::vector<VkQueueFamilyProperties> families(count);
    api.get_queue_families(device, &count, families.data());
    std::optional<std::uint32_t> found;
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool can_compute = (families[i].queueFlags & VK_QUEUE_COMPUTE_BIT) != 0;
        const bool can_draw = (families[i].queueFlags & VK_QUEUE_GRAPHICS_BIT) != 0;
        if (can_compute && can_draw) {
            return i; // some drivers run their compute-only queues at lower priority
        }
        if (can_compute && !found) {
            found = i;
        }
    }
    return found;
}

std::string driver_text(const Properties& properties) {
    return core::text(properties.v12.driverName, " ", properties.v12.driverInfo);
}

/// Mesa's software driver ends loops: 22.3, 23.2 and 24.0 do, 25.0 and 26.2 do not (tried).
std::uint32_t loop_rounds(const Properties& properties) {
    constexpr std::uint32_t kRounds = 65535;
    constexpr std::uint32_t kFirstWithout = 25;
    const bool is_limited =
        properties.v12.driverID == VK_DRIVER_ID_MESA_LLVMPIPE &&
        VK_API_VERSION_MAJOR(properties.core.properties.driverVersion) < kFirstWithout;
    return is_limited ? kRounds : 0;
}

DeviceLimits limits_of(const Properties& properties, std::uint64_t heap_bytes) {
    // Kernels that report a loop take the address of the report behind their arguments.
    constexpr std::uint32_t kReportBytes = 16;
    const std::uint32_t rounds = loop_rounds(properties);
    const VkPhysicalDeviceLimits& limits = properties.core.properties.limits;
    const std::uint64_t largest = properties.maintenance4.maxBufferSize != 0
                                      ? properties.maintenance4.maxBufferSize
                                      : properties.v11.maxMemoryAllocationSize;
    return {.max_group_count = {limits.maxComputeWorkGroupCount[0],
                                limits.maxComputeWorkGroupCount[1],
                                limits.maxComputeWorkGroupCount[2]},
            .max_group_size = {limits.maxComputeWorkGroupSize[0], limits.maxComputeWorkGroupSize[1],
                               limits.maxComputeWorkGroupSize[2]},
            .max_threads_per_group = limits.maxComputeWorkGroupInvocations,
            .subgroup_size = properties.v11.subgroupSize,
            .max_shared_memory = limits.maxComputeSharedMemorySize,
            .max_inline_arguments = limits.maxPushConstantsSize - (rounds != 0 ? kReportBytes : 0),
            .max_buffer_size = std::min(largest, heap_bytes),
            .max_storage_binding = limits.maxStorageBufferRange,
            .storage_binding_alignment =
                static_cast<std::uint32_t>(limits.minStorageBufferOffsetAlignment)};
}

DeviceFeatures features_of(const FeatureSet& set, const Properties& properties) {
    const VkSubgroupFeatureFlags subgroup = properties.v11.subgroupSupportedOperations;
    const bool in_compute =
        (properties.v11.subgroupSupportedStages & VK_SHADER_STAGE_COMPUTE_BIT) != 0;
    return {.is_software = properties.core.properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU,
            .float16 = set.v12.shaderFloat16 == VK_TRUE,
            .float64 = set.core.features.shaderFloat64 == VK_TRUE,
            .int8 = set.v12.shaderInt8 == VK_TRUE,
            .int16 = set.core.features.shaderInt16 == VK_TRUE,
            .int64 = set.core.features.shaderInt64 == VK_TRUE,
            .int64_atomics = set.v12.shaderBufferInt64Atomics == VK_TRUE,
            .float32_atomic_add = set.atomic_float.shaderBufferFloat32AtomicAdd == VK_TRUE,
            .float16_atomic_add = set.atomic_float2.shaderBufferFloat16AtomicAdd == VK_TRUE,
            .float64_atomic_add = set.atomic_float.shaderBufferFloat64AtomicAdd == VK_TRUE,
            .subgroup_arithmetic =
                in_compute && (subgroup & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT) != 0,
            .ray_query = set.acceleration.accelerationStructure == VK_TRUE &&
                         set.ray_query.rayQuery == VK_TRUE};
}

/// What is present and in the table. Returns the name of a required feature that is absent, else
/// "".
std::string_view choose_features(const InstanceApi& api, Adapter& adapter,
                                 const std::vector<VkExtensionProperties>& extensions) {
    FeatureSet available;
    available.link(
        chained_extensions([&](const char* name) { return contains(extensions, name); }));
    api.get_features(adapter.handle, &available.core);
    for (const FeatureRow& row : feature_table()) {
        if (is_set(available, row)) {
            enable(adapter.features, row);
        } else if (row.need == Need::required) {
            return row.name;
        }
    }
    return {};
}

std::string_view choose_extensions(Adapter& adapter,
                                   const std::vector<VkExtensionProperties>& extensions) {
    for (const ExtensionRow& row : extension_table()) {
        if (contains(extensions, row.name)) {
            adapter.extensions.push_back(row.name);
        } else if (row.need == Need::required) {
            return row.name;
        }
    }
    adapter.has_memory_budget = contains(extensions, VK_EXT_MEMORY_BUDGET_EXTENSION_NAME);
    return {};
}

void describe(Adapter& adapter, const Properties& properties, std::uint64_t heap_bytes) {
    const VkPhysicalDeviceProperties& core = properties.core.properties;
    adapter.uniform_alignment =
        static_cast<std::uint32_t>(core.limits.minUniformBufferOffsetAlignment);
    adapter.misreads_narrow_uniforms = properties.v12.driverID == VK_DRIVER_ID_NVIDIA_PROPRIETARY;
    adapter.max_loop_rounds = loop_rounds(properties);
    adapter.vendor = core.vendorID;
    adapter.device = core.deviceID;
    adapter.driver_version = core.driverVersion;
    std::copy(std::begin(core.pipelineCacheUUID), std::end(core.pipelineCacheUUID),
              adapter.pipeline_cache_uuid.begin());
    adapter.info = {.type = DeviceType::vulkan,
                    .target = core::Target::spirv,
                    .name = core.deviceName,
                    .driver = driver_text(properties),
                    .adapter = 0,
                    .memory_bytes = heap_bytes,
                    .architecture = {},
                    .limits = limits_of(properties, heap_bytes),
                    .features = features_of(adapter.features, properties)};
}

GpuUuid uuid_of(const Properties& properties) {
    GpuUuid uuid{};
    std::copy(std::begin(properties.v11.deviceUUID), std::end(properties.v11.deviceUUID),
              uuid.begin());
    return uuid;
}

/// Whether the device may have Weft's kind of buffer over memory of the process.
bool takes_host_memory(const InstanceApi& api, const Adapter& adapter) {
    const VkPhysicalDeviceExternalBufferInfo wanted{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_EXTERNAL_BUFFER_INFO,
        .pNext = nullptr,
        .flags = 0,
        .usage = buffer_info(1).usage,
        .handleType = VK_EXTERNAL_MEMORY_HANDLE_TYPE_HOST_ALLOCATION_BIT_EXT};
    VkExternalBufferProperties found{.sType = VK_STRUCTURE_TYPE_EXTERNAL_BUFFER_PROPERTIES,
                                     .pNext = nullptr,
                                     .externalMemoryProperties = {}};
    api.get_external_buffers(adapter.handle, &wanted, &found);
    return (found.externalMemoryProperties.externalMemoryFeatures &
            VK_EXTERNAL_MEMORY_FEATURE_IMPORTABLE_BIT) != 0;
}

bool exports_memory(const InstanceApi& api, const Adapter& adapter,
                    const std::vector<VkExtensionProperties>& extensions) {
    return contains(extensions, VK_KHR_EXTERNAL_MEMORY_FD_EXTENSION_NAME) &&
           contains(extensions, VK_KHR_EXTERNAL_SEMAPHORE_FD_EXTENSION_NAME) &&
           can_export(api, adapter.handle);
}

/// Reads everything about a physical device. Returns why it cannot be used, or "".
std::string inspect(const InstanceApi& api, Adapter& adapter) {
    const std::vector<VkExtensionProperties> extensions = extensions_of(api, adapter.handle);
    const bool has_host_memory = contains(extensions, VK_EXT_EXTERNAL_MEMORY_HOST_EXTENSION_NAME);
    const Properties properties = read_properties(api, adapter.handle, has_host_memory);
    const char* const name = properties.core.properties.deviceName;
    const std::uint32_t version = properties.core.properties.apiVersion;
    if (version < kApiVersion) {
        return core::text(name, " offers Vulkan ", VK_API_VERSION_MAJOR(version), ".",
                          VK_API_VERSION_MINOR(version), ", Weft needs 1.2");
    }
    if (const auto absent = choose_features(api, adapter, extensions); !absent.empty()) {
        return core::text(name, " lacks the feature ", absent);
    }
    adapter.uuid = uuid_of(properties);
    adapter.exports_memory = exports_memory(api, adapter, extensions);
    if (const auto absent = choose_extensions(adapter, extensions); !absent.empty()) {
        return core::text(name, " lacks the extension ", absent);
    }
    const std::optional<std::uint32_t> family = find_queue_family(api, adapter.handle);
    VkPhysicalDeviceMemoryProperties2 memory{
        .sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_PROPERTIES_2,
        .pNext = nullptr,
        .memoryProperties = {}};
    api.get_memory_properties(adapter.handle, &memory);
    adapter.memory_properties = memory.memoryProperties;
    adapter.type = properties.core.properties.deviceType;
    const std::optional<MemoryTypes> types = choose_memory_types(adapter, ~0U);
    if (!family || !types) {
        return core::text(name, " has no ", family ? "host-visible memory" : "compute queue");
    }
    adapter.queue_family = *family;
    adapter.memory = *types;
    describe(adapter, properties, adapter.memory_properties.memoryHeaps[types->device_heap].size);
    if (has_host_memory && takes_host_memory(api, adapter)) {
        adapter.host_import_alignment = properties.host_memory.minImportedHostPointerAlignment;
        adapter.info.features.host_memory =
            adapter.type == VK_PHYSICAL_DEVICE_TYPE_CPU && adapter.host_import_alignment != 0;
    }
    return {};
}

int rank_of(VkPhysicalDeviceType type) noexcept {
    switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU: return 0;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU: return 1;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU: return 2;
    case VK_PHYSICAL_DEVICE_TYPE_CPU: return 4;
    default: return 3;
    }
}

/// The first memory type with all `wanted` flags and none of `unwanted`.
std::optional<std::uint32_t> find_memory_type(const Adapter& adapter, std::uint32_t allowed,
                                              VkMemoryPropertyFlags wanted,
                                              VkMemoryPropertyFlags unwanted) {
    // Types that only an enabled extension may allocate from.
    constexpr VkMemoryPropertyFlags kSpecial = VK_MEMORY_PROPERTY_PROTECTED_BIT |
                                               VK_MEMORY_PROPERTY_LAZILY_ALLOCATED_BIT |
                                               VK_MEMORY_PROPERTY_DEVICE_COHERENT_BIT_AMD;
    for (std::uint32_t i = 0; i < adapter.memory_properties.memoryTypeCount; ++i) {
        const VkMemoryPropertyFlags flags = adapter.memory_properties.memoryTypes[i].propertyFlags;
        const bool is_allowed = (allowed >> i & 1U) != 0;
        if (is_allowed && (flags & wanted) == wanted && (flags & (unwanted | kSpecial)) == 0) {
            return i;
        }
    }
    return std::nullopt;
}

} // namespace

std::optional<MemoryTypes> choose_memory_types(const Adapter& adapter, std::uint32_t allowed) {
    constexpr VkMemoryPropertyFlags kDevice = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
    constexpr VkMemoryPropertyFlags kHost =
        VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    constexpr VkMemoryPropertyFlags kCached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
    const auto find = [&](VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags unwanted = 0) {
        return find_memory_type(adapter, allowed, wanted, unwanted);
    };
    const std::optional<std::uint32_t> host = find(kHost);
    const std::optional<std::uint32_t> local = find(kDevice);
    if (!host || !local) {
        return std::nullopt;
    }
    const bool shares_memory = adapter.type == VK_PHYSICAL_DEVICE_TYPE_CPU ||
                               adapter.type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU;
    const std::optional<std::uint32_t> unified = find(kDevice | kHost | kCached);
    MemoryTypes types;
    types.is_unified = shares_memory && unified.has_value();
    types.device = types.is_unified ? *unified : *local;
    types.readback = find(kHost | kCached).value_or(*host);
    types.upload = find(kHost, kDevice | kCached).value_or(*host);
    types.device_heap = adapter.memory_properties.memoryTypes[types.device].heapIndex;
    return types;
}

AdapterList list_adapters(const Instance& instance) {
    AdapterList list;
    for (const VkPhysicalDevice device : instance.physical_devices()) {
        Adapter adapter;
        adapter.handle = device;
        std::string refusal = inspect(instance.api(), adapter);
        if (refusal.empty()) {
            list.usable.push_back(std::move(adapter));
        } else {
            list.refused.push_back(std::move(refusal));
        }
    }
    std::stable_sort(
        list.usable.begin(), list.usable.end(),
        [](const Adapter& a, const Adapter& b) { return rank_of(a.type) < rank_of(b.type); });
    for (std::size_t i = 0; i < list.usable.size(); ++i) {
        list.usable[i].info.adapter = static_cast<std::int32_t>(i);
    }
    return list;
}

} // namespace weft::device::vulkan
