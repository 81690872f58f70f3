// SPDX-License-Identifier: Apache-2.0
// What software devices have been promised of the machine's memory. Their driver hands out memory that exists only
// once it is touched; nobody but the system's killer says no then.
#pragma once

#include "core/host_memory.hpp"

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <unordered_map>

namespace weft::device::vulkan {

/// The blocks of all software devices of this process: they share one memory. Thread-safe.
class HostBlocks {
public:
    [[nodiscard]] static HostBlocks& of_process();

    /// Held from the question whether a block fits until add() or the answer no.
    [[nodiscard]] std::unique_lock<std::mutex> lock() { return std::unique_lock(m_mutex); }
    /// Whether so many bytes more can be touched together with all that was promised before. True where the system
    /// does not tell. Call with lock() held.
    [[nodiscard]] bool fits(std::uint64_t size_bytes) const;
    /// Call with lock() held.
    void add(std::span<const std::byte> block);
    void remove(const std::byte* block) noexcept;
    /// The machine's memory; available: what fits() still allows.
    [[nodiscard]] std::optional<core::HostMemory> budget() const;

private:
    [[nodiscard]] std::uint64_t untouched_bytes() const;

    mutable std::mutex m_mutex;
    std::unordered_map<const std::byte*, std::uint64_t> m_blocks; ///< sizes
    std::uint64_t m_promised = 0;
};

} // namespace weft::device::vulkan
