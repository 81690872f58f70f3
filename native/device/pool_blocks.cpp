// SPDX-License-Identifier: Apache-2.0
// Which blocks of a pool nobody uses, and when they go back to the driver.
#include "device/pool.hpp"

#include <algorithm>

namespace weft::device {
namespace {

/// Blocks that the device still uses, among which one is looked for that it does not.
constexpr int kMaxUnfinished = 16;

} // namespace

void MemoryPool::link_unused(std::uint32_t index) noexcept {
    Block& block = m_blocks[index];
    UnusedBlocks& unused = unused_of(block);
    block.older = unused.newest;
    block.newer = kNone;
    (unused.newest == kNone ? unused.oldest : m_blocks[unused.newest].newer) = index;
    unused.newest = index;
    unused.bytes += block.memory.size_bytes;
}

void MemoryPool::unlink_unused(std::uint32_t index) noexcept {
    const Block& block = m_blocks[index];
    UnusedBlocks& unused = unused_of(block);
    (block.older == kNone ? unused.oldest : m_blocks[block.older].newer) = block.newer;
    (block.newer == kNone ? unused.newest : m_blocks[block.newer].older) = block.older;
    unused.bytes -= block.memory.size_bytes;
}

std::uint64_t MemoryPool::allowed_idle() const noexcept {
    return std::min(m_desc.max_cached, std::max(m_desc.idle_floor, m_statistics.used / 2));
}

void MemoryPool::release_oldest(UnusedBlocks& unused, std::uint64_t kept,
                                std::uint64_t completed) noexcept {
    std::uint32_t index = unused.oldest;
    for (int unfinished = 0; index != kNone && unused.bytes > kept;) {
        const std::uint32_t newer = m_blocks[index].newer;
        if (m_blocks[index].last_use <= completed) {
            release_block(index);
        } else if (kept > 0 && ++unfinished > kMaxUnfinished) {
            return;
        }
        index = newer;
    }
}

void MemoryPool::release_unused() noexcept {
    const std::uint64_t completed = m_source.completed();
    reclaim_finished(completed);
    release_oldest(m_unused_dedicated, 0, completed);
    release_oldest(m_unused_shared, 0, completed);
}

void MemoryPool::release_idle() noexcept {
    const std::uint64_t dedicated = allowed_idle();
    const std::uint64_t shared = std::max(dedicated, m_desc.largest_block);
    if (m_unused_dedicated.bytes <= dedicated && m_unused_shared.bytes <= shared) {
        return;
    }
    const std::uint64_t completed = m_source.completed();
    reclaim_finished(completed);
    release_oldest(m_unused_dedicated, dedicated, completed);
    release_oldest(m_unused_shared, shared, completed);
}

bool MemoryPool::release_for(std::uint64_t size) noexcept {
    const std::uint64_t completed = m_source.completed();
    reclaim_finished(completed);
    for (UnusedBlocks* const unused : {&m_unused_dedicated, &m_unused_shared}) {
        const std::uint64_t left = m_desc.limit->left();
        const std::uint64_t missing = size - std::min(size, left);
        if (missing > 0) {
            release_oldest(*unused, unused->bytes - std::min(unused->bytes, missing), completed);
        }
    }
    return m_desc.limit->left() >= size;
}

void MemoryPool::count_as_free(std::uint64_t size_bytes) noexcept {
    if (m_desc.limit) {
        m_desc.limit->give_back(size_bytes);
    }
}

void MemoryPool::release_block(std::uint32_t index) noexcept {
    Block& block = m_blocks[index];
    for (std::uint32_t range = block.first_range; range != kNone; range = m_ranges[range].next) {
        remove_free(range);
        m_spare_ranges.push_back(range);
    }
    unlink_unused(index);
    m_statistics.reserved -= block.memory.size_bytes;
    count_as_free(block.memory.size_bytes);
    m_source.release_block(block.memory);
    block.is_live = false;
    m_spare_blocks.push_back(index); // capacity was reserved by new_block
}

} // namespace weft::device
