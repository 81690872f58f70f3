// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/buffer.hpp"

namespace weft::device::cuda {

CudaBuffer::CudaBuffer(std::shared_ptr<Device> device, MemoryPool& pool, const Context& context,
                       const CommandQueue& queue, const Allocation& allocation)
    : Buffer(std::move(device)), m_pool(&pool), m_context(&context), m_queue(&queue),
      m_allocation(allocation) {
    m_size = allocation.size_bytes;
    m_address = m_cuda_address = allocation.address();
    m_mapped = allocation.mapped();
}

CudaBuffer::CudaBuffer(std::shared_ptr<Device> device, std::uint64_t address,
                       std::uint64_t size_bytes, std::shared_ptr<void> keep_alive, bool is_lent)
    : Buffer(std::move(device)), m_keep_alive(std::move(keep_alive)) {
    m_size = size_bytes;
    m_address = m_cuda_address = address;
    m_is_lent = is_lent;
}

CudaBuffer::~CudaBuffer() {
    // In a forked child another thread of the parent may have held the pool's lock: leave everything as it is.
    if (m_pool != nullptr && m_context->is_usable()) {
        m_pool->free(m_allocation, m_queue->submitted());
    }
}

std::string_view CudaBuffer::label() const noexcept {
    if (m_allocation.label != nullptr) {
        return m_allocation.label->name;
    }
    return m_size == 0 ? "empty" : "memory of another library";
}

} // namespace weft::device::cuda
