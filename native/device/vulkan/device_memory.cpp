// SPDX-License-Identifier: Apache-2.0
// Memory that a VulkanDevice holds in its pools, and how it gives it back.
#include "device/vulkan/device.hpp"

namespace weft::device::vulkan {

void VulkanDevice::drain() {
    m_queue->wait_for(submit_up_to(~std::uint64_t{0}), m_poll, "create_buffer");
    // One pool's idle memory is in the way of the others.
    if (CudaSharing* const shared = m_shared.load(std::memory_order_acquire)) {
        m_device_pool->trim();
        shared->pool().trim();
    }
    if (VulkanRayQueries* const tracing = m_tracing.load(std::memory_order_acquire)) {
        m_device_pool->trim();
        tracing->trim();
    }
}

std::uint64_t VulkanDevice::trim_pools() noexcept {
    std::uint64_t bytes = m_device_pool->trim() + m_readback_pool->trim();
    if (CudaSharing* const shared = m_shared.load(std::memory_order_acquire)) {
        shared->importer().finish(); // streams may read still what came back from their users
        bytes += shared->pool().trim();
    }
    if (VulkanRayQueries* const tracing = m_tracing.load(std::memory_order_acquire)) {
        bytes += tracing->trim();
    }
    return bytes;
}

std::uint64_t VulkanDevice::trim(const InterruptPoll& poll) {
    const UseGate::Use use(m_gate);
    require_open("trim");
    m_queue->wait_for(submit_up_to(~std::uint64_t{0}), poll, "trim");
    {
        const std::lock_guard lock(m_mutex);
        drop_retired(m_queue->completed());
    }
    return trim_pools() + m_staging->trim(poll);
}

void VulkanDevice::set_memory_limit(std::uint64_t bytes) {
    const UseGate::Use use(m_gate);
    require_open("set_memory_limit");
    m_limit->set(bytes);
    if (m_limit->left() == 0) {
        m_queue->wait_for(submit_up_to(~std::uint64_t{0}), m_poll, "set_memory_limit");
        trim_pools();
    }
}

MemoryInfo VulkanDevice::memory_info() const {
    const UseGate::Use use(m_gate);
    require_open("memory_info");
    MemoryInfo info = m_device_pool->statistics();
    add(info, m_readback_pool->statistics());
    if (CudaSharing* const shared = m_shared.load(std::memory_order_acquire)) {
        add(info, shared->pool().statistics());
    }
    if (const VulkanRayQueries* const tracing = m_tracing.load(std::memory_order_acquire)) {
        add(info, tracing->statistics());
    }
    return info;
}

} // namespace weft::device::vulkan
