// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/upload_ring.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace weft::device::vulkan {
namespace {

BlockMemory allocate(const Context& context, std::uint64_t size_bytes) {
    std::optional<BlockMemory> memory =
        try_allocate(context, size_bytes, context.adapter().memory.upload);
    if (!memory) {
        throw core::DeviceError(
            core::text("create_device: ", context.adapter().info.name, " has no ", size_bytes >> 20,
                       " MiB of host memory left for uploads; close other programs"),
            core::DeviceError::Kind::out_of_memory, "vkAllocateMemory");
    }
    return std::move(*memory);
}

} // namespace

UploadRing::UploadRing(const Context& context, std::uint64_t size_bytes)
    : m_memory(allocate(context, size_bytes)), m_size(size_bytes) {}

std::uint64_t UploadRing::start_of(std::uint64_t size_bytes,
                                   std::uint64_t alignment) const noexcept {
    const std::uint64_t start = (m_head + alignment - 1) & ~(alignment - 1);
    const bool is_contiguous =
        start % m_size + size_bytes <= m_size; // else skip the rest of this round
    return is_contiguous ? start : start + m_size - start % m_size;
}

std::optional<RingSlice> UploadRing::try_take(std::uint64_t size_bytes,
                                              std::uint64_t alignment) noexcept {
    if (!has_room(size_bytes, alignment)) {
        return std::nullopt;
    }
    const std::uint64_t start = start_of(size_bytes, alignment);
    m_head = start + size_bytes;
    const std::uint64_t offset = start % m_size;
    return RingSlice{
        .mapped = m_memory.mapped + offset, .address = m_memory.address + offset, .offset = offset};
}

} // namespace weft::device::vulkan
