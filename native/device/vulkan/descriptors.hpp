// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/vulkan/context.hpp"

#include <vector>

namespace weft::device::vulkan {

/// Descriptor sets of one batch: allocated as needed, all freed together by reset(). Grows, never
/// shrinks.
class DescriptorAllocator {
public:
    [[nodiscard]] VkDescriptorSet allocate(const Context& context, VkDescriptorSetLayout layout);
    /// The device has finished with every set.
    void reset(const Context& context);

private:
    VkDescriptorPool current(const Context& context);
    std::vector<UniqueDescriptorPool> m_pools;
    std::size_t m_active = 0; ///< pools before this one are full
};

} // namespace weft::device::vulkan
