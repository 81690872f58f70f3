// SPDX-License-Identifier: Apache-2.0
// Everything Weft asks of a Vulkan device, as one table. docs/devices.md repeats it for readers and
// a test holds the two equal: add a row here, then there.
#pragma once

#include "device/vulkan/api.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace weft::device::vulkan {

inline constexpr std::uint32_t kApiVersion = VK_API_VERSION_1_2;

enum class Need : std::uint8_t {
    required, ///< without it the device is not listed
    optional, ///< switched on where present
};

/// The feature structures, chained as Vulkan wants them. Copies need link() again.
struct FeatureSet {
    VkPhysicalDeviceFeatures2 core{};
    VkPhysicalDeviceVulkan11Features v11{};
    VkPhysicalDeviceVulkan12Features v12{};
    VkPhysicalDeviceShaderAtomicFloatFeaturesEXT atomic_float{};
    VkPhysicalDeviceShaderAtomicFloat2FeaturesEXT atomic_float2{};
    VkPhysicalDeviceAccelerationStructureFeaturesKHR acceleration{};
    VkPhysicalDeviceRayQueryFeaturesKHR ray_query{};

    /// Which extensions of the structures above there are.
    struct Extensions {
        bool atomic_float = false;
        bool atomic_float2 = false;
        bool ray_query = false; ///< with acceleration structures, and what these need
    };
    /// Sets sType and pNext; the extension structures are chained only if their extension is there.
    void link(const Extensions& has) noexcept;
};

struct FeatureRow {
    std::string_view name; ///< Vulkan's own, "bufferDeviceAddress"
    std::size_t offset;    ///< of its VkBool32 in FeatureSet
    Need need;
    std::string_view purpose;
};

struct ExtensionRow {
    const char* name;
    Need need;
    std::string_view purpose;
};

[[nodiscard]] std::span<const FeatureRow> feature_table() noexcept;
[[nodiscard]] std::span<const ExtensionRow> extension_table() noexcept;

/// @param has whether there is an extension of that name.
template <typename Has>
[[nodiscard]] FeatureSet::Extensions chained_extensions(const Has& has) {
    return {.atomic_float = has(VK_EXT_SHADER_ATOMIC_FLOAT_EXTENSION_NAME),
            .atomic_float2 = has(VK_EXT_SHADER_ATOMIC_FLOAT_2_EXTENSION_NAME),
            .ray_query = has(VK_KHR_RAY_QUERY_EXTENSION_NAME) &&
                         has(VK_KHR_ACCELERATION_STRUCTURE_EXTENSION_NAME) &&
                         has(VK_KHR_DEFERRED_HOST_OPERATIONS_EXTENSION_NAME)};
}

[[nodiscard]] bool is_set(const FeatureSet& set, const FeatureRow& row) noexcept;
void enable(FeatureSet& set, const FeatureRow& row) noexcept;

} // namespace weft::device::vulkan
