// SPDX-License-Identifier: Apache-2.0
#include "device/vulkan/host_blocks.hpp"

#include <algorithm>

namespace weft::device::vulkan {

namespace {

/// Left to the rest of the process and the system: one part in so many of the memory.
constexpr std::uint64_t kReserveDivisor = 64;

std::uint64_t less(std::uint64_t value, std::uint64_t taken) {
    return value - std::min(value, taken);
}

} // namespace

HostBlocks& HostBlocks::of_process() {
    static HostBlocks blocks;
    return blocks;
}

bool HostBlocks::fits(std::uint64_t size_bytes) const {
    const std::optional<core::HostMemory> memory = core::host_memory();
    if (!memory) {
        return true;
    }
    const std::uint64_t usable = less(memory->available, memory->total / kReserveDivisor);
    // Most often there is room even if nothing was touched yet, and the pages need not be counted.
    return size_bytes <= less(usable, m_promised) || size_bytes <= less(usable, untouched_bytes());
}

void HostBlocks::add(std::span<const std::byte> block) {
    m_blocks.emplace(block.data(), block.size());
    m_promised += block.size();
}

void HostBlocks::remove(const std::byte* block) noexcept {
    const std::lock_guard lock(m_mutex);
    if (const auto found = m_blocks.find(block); found != m_blocks.end()) {
        m_promised -= found->second;
        m_blocks.erase(found);
    }
}

std::optional<core::HostMemory> HostBlocks::budget() const {
    std::optional<core::HostMemory> memory = core::host_memory();
    if (memory) {
        const std::lock_guard lock(m_mutex);
        memory->available =
            less(memory->available, untouched_bytes() + memory->total / kReserveDivisor);
    }
    return memory;
}

std::uint64_t HostBlocks::untouched_bytes() const {
    std::uint64_t untouched = 0;
    for (const auto& [start, size] : m_blocks) {
        untouched += less(size, core::resident_bytes({start, static_cast<std::size_t>(size)}));
    }
    return untouched;
}

} // namespace weft::device::vulkan
