// SPDX-License-Identifier: Apache-2.0
// Large transfers between memory of the process and a device. Several threads copy between the caller's memory and slots
// of pinned memory, while the device copies between the slots and its own memory. Knows nothing of any API: a backend
// derives from StagedTransfer. Start reading at download().
#pragma once

#include "core/interrupt_poll.hpp"
#include "core/thread_pool.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>

namespace weft::device {

/// One transfer at a time: callers of several threads take turns. Its threads and slots are made by the first one.
class StagedTransfer {
public:
    /// Smaller transfers take less time than waking the threads gains.
    static constexpr std::uint64_t kSmallestBytes = std::uint64_t{8} << 20U;
    /// Slots are a multiple of this: the size of a large page of the host, which two threads should not both provide.
    static constexpr std::uint64_t kPageBytes = std::uint64_t{2} << 20U;

    virtual ~StagedTransfer() = default;
    StagedTransfer(const StagedTransfer&) = delete;
    StagedTransfer& operator=(const StagedTransfer&) = delete;

protected:
    /// @param slot_bytes a multiple of kPageBytes.
    explicit StagedTransfer(std::uint64_t slot_bytes) noexcept : m_slot_bytes(slot_bytes) {}

    std::uint64_t slot_bytes() const noexcept { return m_slot_bytes; }
    /// Pieces of a transfer, at most; more slots are of no use to it.
    std::size_t most_pieces(std::uint64_t size_bytes) const noexcept {
        return 1 + static_cast<std::size_t>((size_bytes + m_slot_bytes - 1) / m_slot_bytes);
    }
    /// Held during a transfer, and while slots change. @throws what `poll` throws.
    [[nodiscard]] std::unique_lock<std::mutex> take_turn(const core::InterruptPoll& poll);

    /// Returns once `bytes` may be reused; the device's copies may still be under way. Call with the turn taken and the
    /// slots there. @param slot_count that are there, at least 2. @param poll is called by this thread only.
    /// @throws what the functions below and `poll` throw; then some pieces were not copied.
    void upload(std::span<const std::byte> bytes, std::size_t slot_count,
                const core::InterruptPoll& poll);
    /// Returns once all bytes are there. As upload().
    void download(std::span<std::byte> bytes, std::size_t slot_count,
                  const core::InterruptPoll& poll);
    /// Ends the threads until the next transfer. Call with the turn taken.
    void end_threads() noexcept { m_threads.reset(); }

private:
    friend class StagedPieces;

    // What the backend does. Threads of a transfer call these, several at once, but for different slots.
    virtual std::byte* memory(std::size_t slot) = 0;
    /// Queues the device's copy between the first bytes of a slot and its memory. @param offset bytes from the start of
    /// the transfer.
    virtual void queue_copy(std::size_t slot, std::uint64_t offset, std::uint64_t size) = 0;
    /// Whether the last copy queued for the slot has ended; true if there was none.
    virtual bool is_done(std::size_t slot) = 0;

    core::ThreadPool& threads();

    const std::uint64_t m_slot_bytes;
    std::mutex m_turn;
    std::unique_ptr<core::ThreadPool> m_threads;
};

} // namespace weft::device
