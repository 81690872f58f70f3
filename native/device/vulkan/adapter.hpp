// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"
#include "device/external_memory.hpp"
#include "device/vulkan/features.hpp"
#include "device/vulkan/instance.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace weft::device::vulkan {

/// Memory types by their use in Weft.
struct MemoryTypes {
    std::uint32_t device = 0;   ///< kernels' own
    std::uint32_t readback = 0; ///< host-cached where possible
    std::uint32_t upload = 0;   ///< host-visible, written in sequence
    std::uint32_t device_heap = 0;
    bool is_unified = false; ///< the device type is host-visible and as fast: no staging
};

/// A physical device that Weft can use, and what it can do.
struct Adapter {
    VkPhysicalDevice handle = VK_NULL_HANDLE;
    DeviceInfo info;
    VkPhysicalDeviceType type = VK_PHYSICAL_DEVICE_TYPE_OTHER;
    FeatureSet features;                 ///< to enable: present and in the table
    std::vector<const char*> extensions; ///< to enable: present and in the table
    std::uint32_t queue_family = 0;
    VkPhysicalDeviceMemoryProperties memory_properties{};
    MemoryTypes memory;
    std::uint32_t uniform_alignment = 256;
    std::uint64_t host_import_alignment =
        0; ///< of host memory that becomes a buffer where it is; 0: none does
    bool has_memory_budget = false;
    bool exports_memory = false; ///< memory and counting semaphores, to CUDA
    GpuUuid uuid{};
    std::array<std::uint8_t, VK_UUID_SIZE> pipeline_cache_uuid{};
    std::uint32_t vendor = 0;
    std::uint32_t device = 0;
    std::uint32_t driver_version = 0;
    bool misreads_narrow_uniforms = false; ///< see spirv_uniforms.hpp
    std::uint32_t max_loop_rounds = 0; ///< of a thread in all its loops, then they end; 0: no limit
};

struct AdapterList {
    std::vector<Adapter> usable; ///< best first; info.adapter is the index
    std::vector<std::string>
        refused; ///< "NAME lacks bufferDeviceAddress", one a device that cannot be used
};

[[nodiscard]] AdapterList list_adapters(const Instance& instance);

/// Chooses among the types whose bit is set in `allowed`. nullopt if no device-local or no
/// host-visible one is.
[[nodiscard]] std::optional<MemoryTypes> choose_memory_types(const Adapter& adapter,
                                                             std::uint32_t allowed);

} // namespace weft::device::vulkan
