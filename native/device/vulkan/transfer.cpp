// SPDX-License-Identifier: Apache-2.0
// Moving bytes. Host-visible memory is copied by the host once the device is done with it; all else
// goes through the upload ring or a staging buffer, recorded in order.
#include "device/checks.hpp"
#include "device/vulkan/device.hpp"

#include <array>
#include <cstring>

namespace weft::device::vulkan {
namespace {

constexpr std::uint64_t kStagingBytes = std::uint64_t{8} << 20;

} // namespace

void VulkanDevice::order(VulkanBuffer& buffer, BufferAccess access) {
    if (m_queue->conflicts(buffer.marks(), access)) {
        m_queue->barrier();
    }
    m_queue->mark(buffer.marks(), access);
}

void VulkanDevice::upload(Buffer& buffer, std::uint64_t offset, std::span<const std::byte> bytes) {
    const UseGate::Use use(m_gate);
    require_open("upload");
    VulkanBuffer& target = own(buffer, "upload");
    require_range(target, target.label(), offset, bytes.size(), "upload");
    bool is_idle = false;
    if (target.host() != nullptr) {
        const std::lock_guard lock(m_mutex);
        is_idle = m_queue->is_finished(target.marks().last_use);
    }
    if (is_idle) {
        std::memcpy(target.host() + offset, bytes.data(), bytes.size());
        return;
    }
    const bool is_large = bytes.size() > m_queue->max_slice();
    while (!bytes.empty()) {
        const auto chunk = bytes.first(std::min<std::uint64_t>(bytes.size(), m_queue->max_slice()));
        std::unique_lock lock(m_mutex);
        wait_for_room(lock, chunk.size(), "upload");
        const RingSlice slice = m_queue->take(chunk.size(), ring_alignment());
        std::memcpy(slice.mapped, chunk.data(), chunk.size());
        order(target, BufferAccess::write);
        const VkBufferCopy region{slice.offset, target.offset() + offset, chunk.size()};
        m_context->api().vkCmdCopyBuffer(m_queue->open(), m_queue->ring_buffer(), target.handle(),
                                         1, &region);
        m_queue->finish_command(0);
        if (is_large) {
            m_queue->submit(); // copy this chunk while the next one is written
        }
        offset += chunk.size();
        bytes = bytes.subspan(chunk.size());
    }
}

void VulkanDevice::download(const Buffer& buffer, std::uint64_t offset, std::span<std::byte> bytes,
                            const InterruptPoll& poll) {
    const UseGate::Use use(m_gate);
    require_open("download");
    VulkanBuffer& source = own(buffer, "download");
    require_range(source, source.label(), offset, bytes.size(), "download");
    if (bytes.empty()) {
        return;
    }
    if (source.host() == nullptr) {
        download_staged(source, offset, bytes, poll);
        return;
    }
    std::uint64_t last_write = 0;
    {
        const std::lock_guard lock(m_mutex);
        last_write = source.marks().last_write;
    }
    m_queue->wait_for(submit_up_to(last_write), poll, "download");
    check_loops(last_write, "download");
    std::memcpy(bytes.data(), source.host() + offset, bytes.size());
}

void VulkanDevice::copy_to_staging(VulkanBuffer& source, std::uint64_t offset,
                                   VulkanBuffer& staging, std::uint64_t size) {
    std::unique_lock lock(m_mutex);
    wait_for_room(lock, 0, "download");
    m_queue->open();
    order(source, BufferAccess::read);
    order(staging, BufferAccess::write);
    const VkBufferCopy region{source.offset() + offset, staging.offset(), size};
    m_context->api().vkCmdCopyBuffer(m_queue->open(), source.handle(), staging.handle(), 1,
                                     &region);
    m_queue->submit();
}

void VulkanDevice::download_staged(VulkanBuffer& buffer, std::uint64_t offset,
                                   std::span<std::byte> bytes, const InterruptPoll& poll) {
    struct Part {
        std::shared_ptr<VulkanBuffer> staging;
        std::span<std::byte> bytes;
    };
    const std::uint64_t capacity = std::min<std::uint64_t>(bytes.size(), kStagingBytes);
    std::array<Part, 2> parts; // the device fills one while the host empties the other
    const auto finish = [&](Part& part) {
        if (part.bytes.empty()) {
            return;
        }
        m_queue->wait_for(part.staging->marks().last_write, poll, "download");
        std::memcpy(part.bytes.data(), part.staging->host(), part.bytes.size());
        part.bytes = {};
    };
    std::size_t next = 0;
    while (!bytes.empty()) {
        Part& part = parts[next];
        finish(part);
        if (!part.staging) {
            part.staging = std::make_shared<VulkanBuffer>(
                shared_from_this(), *m_readback_pool,
                m_readback_pool->allocate(capacity, "download"), true);
        }
        part.bytes = bytes.first(std::min<std::uint64_t>(bytes.size(), capacity));
        copy_to_staging(buffer, offset, *part.staging, part.bytes.size());
        offset += part.bytes.size();
        bytes = bytes.subspan(part.bytes.size());
        next = 1 - next;
    }
    finish(parts[next]);
    finish(parts[1 - next]);
    check_loops(buffer.marks().last_write, "download");
}

void VulkanDevice::copy(Buffer& target, std::uint64_t target_offset, const Buffer& source,
                        std::uint64_t source_offset, std::uint64_t size) {
    std::unique_lock lock(m_mutex);
    require_open("copy");
    VulkanBuffer& to = own(target, "copy");
    VulkanBuffer& from = own(source, "copy");
    require_range(to, to.label(), target_offset, size, "copy");
    require_range(from, from.label(), source_offset, size, "copy");
    if (size == 0) {
        return;
    }
    if (&to == &from) {
        require_no_overlap(to.label(), target_offset, source_offset, size);
    }
    wait_for_room(lock, 0, "copy");
    m_queue->open();
    if (m_queue->conflicts(from.marks(), BufferAccess::read) ||
        m_queue->conflicts(to.marks(), BufferAccess::write)) {
        m_queue->barrier();
    }
    m_queue->mark(from.marks(), BufferAccess::read);
    m_queue->mark(to.marks(), BufferAccess::write);
    const VkBufferCopy region{from.offset() + source_offset, to.offset() + target_offset, size};
    m_context->api().vkCmdCopyBuffer(m_queue->open(), from.handle(), to.handle(), 1, &region);
    m_queue->finish_command(0);
}

void VulkanDevice::fill(Buffer& buffer, std::uint64_t offset, std::uint64_t size,
                        std::uint32_t word) {
    std::unique_lock lock(m_mutex);
    require_open("fill");
    VulkanBuffer& target = own(buffer, "fill");
    require_range(target, target.label(), offset, size, "fill");
    require_words(offset, size, "fill");
    if (size == 0) {
        return;
    }
    wait_for_room(lock, 0, "fill");
    m_queue->open();
    order(target, BufferAccess::write);
    m_context->api().vkCmdFillBuffer(m_queue->open(), target.handle(), target.offset() + offset,
                                     size, word);
    m_queue->finish_command(0);
}

} // namespace weft::device::vulkan
