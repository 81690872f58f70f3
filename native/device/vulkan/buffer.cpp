// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/buffer.hpp"

namespace weft::device::vulkan {

VulkanBuffer::VulkanBuffer(std::shared_ptr<Device> device, MemoryPool& pool,
                           const Allocation& allocation, bool is_public)
    : Buffer(std::move(device)), m_pool(&pool), m_allocation(allocation) {
    m_size = allocation.size_bytes;
    m_address = allocation.address();
    m_cuda_address = allocation.cuda_address();
    m_mapped = is_public ? allocation.mapped() : nullptr;
    m_marks.last_use = allocation.ready;
}

VulkanBuffer::~VulkanBuffer() {
    if (m_pool != nullptr) {
        m_pool->free(m_allocation, m_marks.last_use);
    }
}

} // namespace weft::device::vulkan
