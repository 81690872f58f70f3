// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/staging.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/vulkan/device.hpp"

#include <algorithm>

namespace weft::device::vulkan {

void Staging::begin(VulkanBuffer& buffer, std::uint64_t offset, bool is_upload,
                    std::uint64_t size_bytes) {
    m_buffer = &buffer;
    m_offset = offset;
    m_is_upload = is_upload;
    m_is_ordered = false;
    const std::size_t wanted = std::min(most_pieces(size_bytes), kSlots);
    while (m_slots.size() < wanted) {
        std::optional<BlockMemory> block =
            try_allocate(m_context, slot_bytes(), m_context.adapter().memory.readback);
        if (!block && m_slots.size() >= 2) {
            break; // fewer are slower
        }
        if (!block) {
            throw core::DeviceError(
                core::text(is_upload ? "upload" : "download", ": expected ", slot_bytes() >> 20U,
                           " MiB of host memory for the copy, ", m_context.adapter().info.name,
                           " has none left; close other programs"),
                core::DeviceError::Kind::out_of_memory, "vkAllocateMemory");
        }
        m_slots.push_back({.block = std::move(*block), .marks = {}, .value = 0});
    }
}

void Staging::queue_copy(std::size_t slot, std::uint64_t offset, std::uint64_t size) {
    Slot& used = m_slots[slot];
    used.value = m_device.copy_staged({.buffer = *m_buffer,
                                       .offset = m_offset + offset,
                                       .slot = used.block.buffer.get(),
                                       .marks = used.marks,
                                       .size_bytes = size,
                                       .is_upload = m_is_upload,
                                       .is_ordered = m_is_ordered,
                                       .function = m_is_upload ? "upload" : "download"});
}

bool Staging::is_done(std::size_t slot) {
    return m_device.is_finished(m_slots[slot].value);
}

void Staging::upload(VulkanBuffer& target, std::uint64_t offset, std::span<const std::byte> bytes,
                     const core::InterruptPoll& poll) {
    const auto turn = take_turn(poll);
    begin(target, offset, true, bytes.size());
    StagedTransfer::upload(bytes, m_slots.size(), poll);
}

void Staging::download(VulkanBuffer& source, std::uint64_t offset, std::span<std::byte> bytes,
                       const core::InterruptPoll& poll) {
    const auto turn = take_turn(poll);
    begin(source, offset, false, bytes.size());
    StagedTransfer::download(bytes, m_slots.size(), poll);
}

std::uint64_t Staging::trim(const core::InterruptPoll& poll) {
    const auto turn = take_turn(poll);
    std::uint64_t bytes = 0;
    for (const Slot& slot : m_slots) {
        bytes += slot.block.allocated_bytes;
    }
    m_slots.clear();
    end_threads();
    return bytes;
}

} // namespace weft::device::vulkan
