// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/faults.hpp"

#include "core/fault.hpp"

namespace weft::device::vulkan {

namespace {

/// What the call was before; devices of one driver share their functions.
template <auto kMember>
struct Counted;

template <typename Table, typename... Arguments,
          VkResult (VKAPI_PTR* Table::*kMember)(Arguments...)>
struct Counted<kMember> {
    static inline VkResult(VKAPI_PTR* original)(Arguments...) = nullptr;

    static VKAPI_ATTR VkResult VKAPI_CALL call(Arguments... arguments) {
        // What every one of these functions may return, and a caller can come back from.
        return core::is_faulty(core::FaultKind::driver) ? VK_ERROR_OUT_OF_HOST_MEMORY
                                                        : original(arguments...);
    }

    static void install(Table& table) {
        if (table.*kMember != nullptr && table.*kMember != call) {
            original = table.*kMember;
            table.*kMember = call;
        }
    }
};

template <auto... kMembers, typename Table>
void install(Table& table) {
    if (core::faults_are_on()) {
        (Counted<kMembers>::install(table), ...);
    }
}

} // namespace

void count_calls(InstanceApi& api) {
    install<&InstanceApi::enumerate_physical_devices, &InstanceApi::enumerate_extensions,
            &InstanceApi::create_device>(api);
}

void count_calls(VolkDeviceTable& table) {
    using Table = VolkDeviceTable;
    install<&Table::vkAllocateCommandBuffers, &Table::vkAllocateDescriptorSets,
            &Table::vkAllocateMemory, &Table::vkBeginCommandBuffer, &Table::vkBindBufferMemory,
            &Table::vkCreateBuffer, &Table::vkCreateCommandPool, &Table::vkCreateComputePipelines,
            &Table::vkCreateDescriptorPool, &Table::vkCreateDescriptorSetLayout,
            &Table::vkCreatePipelineCache, &Table::vkCreatePipelineLayout,
            &Table::vkCreateSemaphore, &Table::vkCreateShaderModule, &Table::vkEndCommandBuffer,
            &Table::vkGetMemoryHostPointerPropertiesEXT, &Table::vkGetPipelineCacheData,
            &Table::vkGetSemaphoreCounterValue, &Table::vkMapMemory, &Table::vkQueueSubmit,
            &Table::vkResetCommandPool, &Table::vkResetDescriptorPool, &Table::vkWaitSemaphores>(
        table);
}

} // namespace weft::device::vulkan
