// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/descriptors.hpp"

#include <array>

namespace weft::device::vulkan {
namespace {

constexpr std::uint32_t kSetsPerPool = 256;
constexpr std::uint32_t kStoragePerPool = 1024;

UniqueDescriptorPool create_pool(const Context& context) {
    constexpr std::array kSizes{
        VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, kStoragePerPool},
        VkDescriptorPoolSize{VK_DESCRIPTOR_TYPE_UNIFORM_BUFFER, kSetsPerPool}};
    const VkDescriptorPoolCreateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
                                          .pNext = nullptr,
                                          .flags = 0,
                                          .maxSets = kSetsPerPool,
                                          .poolSizeCount =
                                              static_cast<std::uint32_t>(kSizes.size()),
                                          .pPoolSizes = kSizes.data()};
    VkDescriptorPool pool = VK_NULL_HANDLE;
    context.check(context.api().vkCreateDescriptorPool(context.handle(), &info, nullptr, &pool),
                  "vkCreateDescriptorPool", "dispatch");
    return {context, pool};
}

} // namespace

VkDescriptorPool DescriptorAllocator::current(const Context& context) {
    if (m_active == m_pools.size()) {
        m_pools.push_back(create_pool(context));
    }
    return m_pools[m_active].get();
}

VkDescriptorSet DescriptorAllocator::allocate(const Context& context,
                                              VkDescriptorSetLayout layout) {
    VkDescriptorSetAllocateInfo info{.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
                                     .pNext = nullptr,
                                     .descriptorPool = current(context),
                                     .descriptorSetCount = 1,
                                     .pSetLayouts = &layout};
    VkDescriptorSet set = VK_NULL_HANDLE;
    VkResult result = context.api().vkAllocateDescriptorSets(context.handle(), &info, &set);
    if (result == VK_ERROR_OUT_OF_POOL_MEMORY || result == VK_ERROR_FRAGMENTED_POOL) {
        ++m_active;
        info.descriptorPool = current(context);
        result = context.api().vkAllocateDescriptorSets(context.handle(), &info, &set);
    }
    context.check(result, "vkAllocateDescriptorSets", "dispatch");
    return set;
}

void DescriptorAllocator::reset(const Context& context) {
    for (std::size_t i = 0; i < m_pools.size() && i <= m_active; ++i) {
        context.check(context.api().vkResetDescriptorPool(context.handle(), m_pools[i].get(), 0),
                      "vkResetDescriptorPool", "dispatch");
    }
    m_active = 0;
}

} // namespace weft::device::vulkan
