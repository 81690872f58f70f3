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

VulkanBuffer::VulkanBuffer(std::shared_ptr<Device> device, HostImports& imports,
                           HostImports::Place pages, std::uint64_t size_bytes)
    : Buffer(std::move(device)), m_imports(&imports), m_pages(pages) {
    m_allocation = {.block = {.native = reinterpret_cast<void*>(pages->block.buffer.get()),
                              .address = pages->block.address,
                              .mapped = pages->block.mapped,
                              .size_bytes = pages->size_bytes},
                    .offset = pages->offset,
                    .size_bytes = size_bytes};
    m_size = size_bytes;
    m_address = m_allocation.address();
}

VulkanBuffer::~VulkanBuffer() {
    if (m_pool != nullptr) {
        m_pool->free(m_allocation, m_marks.last_use);
    }
    if (m_imports != nullptr) {
        m_imports->release(m_pages, m_marks.last_use);
    }
}

} // namespace weft::device::vulkan
