// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/pool.hpp"
#include "device/vulkan/context.hpp"

#include <functional>
#include <mutex>
#include <unordered_map>

namespace weft::device::vulkan {

/// How Weft creates every buffer.
[[nodiscard]] VkBufferCreateInfo buffer_info(std::uint64_t size_bytes) noexcept;

/// What an export is for CUDA: a file descriptor that says nothing of what is behind it.
inline constexpr VkExternalMemoryHandleTypeFlagBits kExportedMemory =
    VK_EXTERNAL_MEMORY_HANDLE_TYPE_OPAQUE_FD_BIT;

/// One VkBuffer with memory of its own, mapped if its type is host-visible.
struct BlockMemory {
    UniqueMemory memory;
    UniqueBuffer buffer;
    std::uint64_t address = 0;
    std::byte* mapped = nullptr;
    std::uint64_t allocated_bytes = 0; ///< of the memory, which may be more than of the buffer
};

/// What a buffer is for, beside the usual.
struct BlockUse {
    bool is_exported = false; ///< another API may have the memory
    VkBufferUsageFlags more_usage = 0;
};

/// @return nullopt if the driver is out of memory or `size_bytes` is beyond its limits.
[[nodiscard]] std::optional<BlockMemory> try_allocate(const Context& context,
                                                      std::uint64_t size_bytes,
                                                      std::uint32_t memory_type,
                                                      const BlockUse& use = {});

/// What the pool asks about the queue.
struct QueueView {
    std::function<std::uint64_t()> completed; ///< noexcept
    std::function<void()> drain;
};

/// Tells another API of blocks; empty: they are Vulkan's alone.
struct BlockShare {
    std::function<std::uint64_t(const BlockMemory&)> share{}; ///< its address, 0: it has no room
    std::function<void(std::uint64_t)> unshare{};             ///< noexcept, by that address
};

/// Blocks of one memory type for a MemoryPool; MemoryBlock::native is the VkBuffer.
class BlockSource final : public MemorySource {
public:
    BlockSource(const Context& context, std::uint32_t memory_type, QueueView queue,
                BlockShare share = {})
        : m_context(context), m_memory_type(memory_type), m_queue(std::move(queue)),
          m_share(std::move(share)), m_is_software(context.adapter().info.features.is_software) {}

    /// Before the first block: what buffers are for beside the usual.
    void set_usage(VkBufferUsageFlags more_usage) noexcept { m_more_usage = more_usage; }

    std::optional<MemoryBlock> allocate_block(std::uint64_t size_bytes) override;
    void release_block(const MemoryBlock& block) noexcept override;
    std::uint64_t completed() const noexcept override { return m_queue.completed(); }
    void drain() override { m_queue.drain(); }
    Budget budget() const noexcept override;

private:
    const Context& m_context;
    const std::uint32_t m_memory_type;
    const QueueView m_queue;
    const BlockShare m_share;
    VkBufferUsageFlags m_more_usage = 0;
    const bool m_is_software;
    std::unordered_map<void*, BlockMemory> m_blocks; ///< guarded by the pool's lock
};

/// The VkBuffer behind a pool's block.
[[nodiscard]] VkBuffer buffer_of(const MemoryBlock& block) noexcept;

} // namespace weft::device::vulkan
