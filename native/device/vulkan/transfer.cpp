// SPDX-License-Identifier: Apache-2.0
// Moving bytes. Host-visible memory is copied by the host once the device is done with it; all else
// goes through the upload ring or a staging buffer, recorded in order.
#include "device/checks.hpp"
#include "device/vulkan/device.hpp"

#include <cstring>

namespace weft::device::vulkan {
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
    } else if (target.host() != nullptr || bytes.size() < PinnedRanges::kSmallestBytes) {
        upload_through_ring(target, offset, bytes);
    } else if (!try_transfer_pinned(target, offset, bytes, true, m_poll)) {
        if (bytes.size() < StagedTransfer::kSmallestBytes) {
            upload_through_ring(target, offset, bytes);
        } else {
            m_staging->upload(target, offset, bytes, m_poll);
        }
    }
}

void VulkanDevice::upload_through_ring(VulkanBuffer& target, std::uint64_t offset,
                                       std::span<const std::byte> bytes) {
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
        if (!try_transfer_pinned(source, offset, bytes, false, poll)) {
            download_staged(source, offset, bytes, poll);
        }
        check_loops(source.marks().last_write, "download");
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

void VulkanDevice::download_staged(VulkanBuffer& buffer, std::uint64_t offset,
                                   std::span<std::byte> bytes, const InterruptPoll& poll) {
    if (bytes.size() >= StagedTransfer::kSmallestBytes) {
        m_staging->download(buffer, offset, bytes, poll);
        return;
    }
    const auto staging =
        std::make_shared<VulkanBuffer>(shared_from_this(), *m_readback_pool,
                                       m_readback_pool->allocate(bytes.size(), "download"), true);
    bool is_ordered = false;
    const std::uint64_t value = copy_staged({.buffer = buffer,
                                             .offset = offset,
                                             .slot = staging->handle(),
                                             .slot_offset = staging->offset(),
                                             .marks = staging->marks(),
                                             .size_bytes = bytes.size(),
                                             .is_upload = false,
                                             .is_ordered = is_ordered,
                                             .function = "download"});
    m_queue->wait_for(value, poll, "download");
    std::memcpy(bytes.data(), staging->host(), bytes.size());
}

std::uint64_t VulkanDevice::copy_staged(const StagedPiece& piece) {
    std::unique_lock lock(m_mutex);
    while (const std::uint64_t value = m_queue->value_before_room(0, ring_alignment())) {
        lock.unlock();
        m_queue->wait_for(value, {}, piece.function); // not interrupted: any thread may be here
        lock.lock();
    }
    const BufferAccess access = piece.is_upload ? BufferAccess::write : BufferAccess::read;
    const BufferAccess other = piece.is_upload ? BufferAccess::read : BufferAccess::write;
    VulkanBuffer& buffer = piece.buffer;
    m_queue->open();
    if (m_queue->conflicts(piece.marks, other) ||
        (!piece.is_ordered && m_queue->conflicts(buffer.marks(), access))) {
        m_queue->barrier();
    }
    piece.is_ordered = true; // pieces do not overlap: they need no barriers between them
    m_queue->mark(piece.marks, other);
    m_queue->mark(buffer.marks(), access);
    const std::uint64_t place = buffer.offset() + piece.offset;
    const VkBufferCopy region = piece.is_upload
                                    ? VkBufferCopy{piece.slot_offset, place, piece.size_bytes}
                                    : VkBufferCopy{place, piece.slot_offset, piece.size_bytes};
    m_context->api().vkCmdCopyBuffer(m_queue->open(),
                                     piece.is_upload ? piece.slot : buffer.handle(),
                                     piece.is_upload ? buffer.handle() : piece.slot, 1, &region);
    m_queue->submit();
    return m_queue->submitted();
}

bool VulkanDevice::try_transfer_pinned(VulkanBuffer& buffer, std::uint64_t offset,
                                       std::span<const std::byte> host, bool is_upload,
                                       const InterruptPoll& poll) {
    const PinnedRanges::Place place = m_pinned.find(host);
    if (!place.buffer) {
        return false;
    }
    const std::string_view function = is_upload ? "upload" : "download";
    m_queue->wait_for(submit_up_to(~std::uint64_t{0}), poll, function);
    if (is_upload) {
        copy(buffer, offset, *place.buffer, place.offset, host.size());
    } else {
        copy(*place.buffer, place.offset, buffer, offset, host.size());
    }
    // Nobody may free the pages before this copy has ended.
    m_queue->wait_for(submit_up_to(~std::uint64_t{0}), {}, function);
    return true;
}

std::shared_ptr<void> VulkanDevice::pin(std::span<std::byte> pages) {
    const UseGate::Use use(m_gate);
    require_open("pin");
    if (m_info.features.is_software) {
        return nullptr;
    }
    const auto place = m_imports->try_import(pages, nullptr);
    if (!place) {
        return nullptr;
    }
    std::shared_ptr<Buffer> buffer =
        std::make_shared<VulkanBuffer>(shared_from_this(), *m_imports, *place, pages.size());
    m_pinned.add(pages, buffer);
    return {pages.data(),
            [this, buffer](void* begin) { m_pinned.remove(static_cast<std::byte*>(begin)); }};
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
