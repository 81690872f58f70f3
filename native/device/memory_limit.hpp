// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>

namespace weft::device {

/// Bytes that the pools of a device may hold together, and how many they do. Thread-safe; outlives the pools.
class MemoryLimit {
public:
    /// @param bytes 0: none.
    explicit MemoryLimit(std::uint64_t bytes = 0) noexcept : m_bytes(bytes) {}
    MemoryLimit(const MemoryLimit&) = delete;
    MemoryLimit& operator=(const MemoryLimit&) = delete;

    /// 0: none.
    std::uint64_t bytes() const noexcept { return m_bytes.load(std::memory_order_relaxed); }
    /// What is held already stays, even if it is more.
    void set(std::uint64_t bytes) noexcept { m_bytes.store(bytes, std::memory_order_relaxed); }

    /// Bytes that take() would still grant; the largest number if there is no limit.
    std::uint64_t left() const noexcept {
        const std::uint64_t bytes = this->bytes();
        const std::uint64_t held = m_held.load(std::memory_order_relaxed);
        return bytes == 0 ? ~std::uint64_t{0} : bytes > held ? bytes - held : 0;
    }
    /// Counts a block of so many bytes as held, if they are left.
    [[nodiscard]] bool take(std::uint64_t size_bytes) noexcept {
        std::uint64_t held = m_held.load(std::memory_order_relaxed);
        do {
            const std::uint64_t bytes = this->bytes();
            if (bytes != 0 && (held > bytes || size_bytes > bytes - held)) {
                return false;
            }
        } while (!m_held.compare_exchange_weak(held, held + size_bytes, std::memory_order_relaxed));
        return true;
    }
    void give_back(std::uint64_t size_bytes) noexcept {
        m_held.fetch_sub(size_bytes, std::memory_order_relaxed);
    }

private:
    std::atomic<std::uint64_t> m_bytes;
    std::atomic<std::uint64_t> m_held{0};
};

} // namespace weft::device
