// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/vulkan/command_queue.hpp"
#include "device/vulkan/host_memory.hpp"
#include "device/vulkan/memory.hpp"

#include <string_view>

namespace weft::device::vulkan {

/// A range of a pool's block, or of imported host memory. The pool may hand the range out again at once: its next owner
/// runs later in the queue.
class VulkanBuffer final : public Buffer {
public:
    /// Takes the allocation over. @param is_public whether mapped() is shown (readback memory).
    VulkanBuffer(std::shared_ptr<Device> device, MemoryPool& pool, const Allocation& allocation,
                 bool is_public);
    /// Takes the import over.
    VulkanBuffer(std::shared_ptr<Device> device, HostImports& imports, HostImports::Place pages,
                 std::uint64_t size_bytes);
    /// An empty buffer: size 0, address 0.
    explicit VulkanBuffer(std::shared_ptr<Device> device) : Buffer(std::move(device)) {}
    ~VulkanBuffer() override;

    VkBuffer handle() const noexcept { return buffer_of(m_allocation.block); }
    /// Bytes from the start of handle().
    std::uint64_t offset() const noexcept { return m_allocation.offset; }
    /// Host view of any host-visible memory, or null.
    std::byte* host() const noexcept { return m_allocation.mapped(); }
    std::string_view label() const noexcept {
        return m_imports != nullptr ? "host memory"
               : m_allocation.label ? m_allocation.label->name
                                    : "empty";
    }

    /// Guarded by the device's lock.
    AccessMarks& marks() noexcept { return m_marks; }
    const AccessMarks& marks() const noexcept { return m_marks; }

private:
    MemoryPool* m_pool = nullptr;
    HostImports* m_imports = nullptr;
    HostImports::Place m_pages;
    Allocation m_allocation;
    AccessMarks m_marks;
};

} // namespace weft::device::vulkan
