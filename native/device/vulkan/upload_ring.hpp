// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/vulkan/memory.hpp"

#include <cstdint>
#include <optional>

namespace weft::device::vulkan {

/// A piece of the ring: host-visible, readable by the device until the batch that took it has
/// finished.
struct RingSlice {
    std::byte* mapped = nullptr;
    std::uint64_t address = 0; ///< device address
    std::uint64_t offset = 0;  ///< bytes from the start of UploadRing::buffer()
};

/// Host-visible memory handed out in a circle: arguments, uniforms and data on the way to the
/// device. Positions count bytes since creation. Not thread-safe: CommandQueue guards it.
class UploadRing {
public:
    UploadRing(const Context& context, std::uint64_t size_bytes);

    VkBuffer buffer() const noexcept { return m_memory.buffer.get(); }
    /// The largest size that take() can ever serve together with others: a quarter of the ring.
    std::uint64_t max_slice() const noexcept { return m_size / 4; }
    /// nullopt if older batches still hold the room. @param size_bytes at most max_slice().
    /// @param alignment a power of two, at most 256.
    [[nodiscard]] std::optional<RingSlice> try_take(std::uint64_t size_bytes,
                                                    std::uint64_t alignment) noexcept;
    /// Whether try_take() would serve this.
    [[nodiscard]] bool has_room(std::uint64_t size_bytes, std::uint64_t alignment) const noexcept {
        return start_of(size_bytes, alignment) + size_bytes - m_tail <= m_size;
    }

    /// Where the next slice starts; a batch remembers it and hands it to release() when it has
    /// finished.
    std::uint64_t position() const noexcept { return m_head; }
    void release(std::uint64_t position) noexcept { m_tail = position; }

private:
    std::uint64_t start_of(std::uint64_t size_bytes, std::uint64_t alignment) const noexcept;

    BlockMemory m_memory;
    std::uint64_t m_size;
    std::uint64_t m_head = 0;
    std::uint64_t m_tail = 0;
};

} // namespace weft::device::vulkan
