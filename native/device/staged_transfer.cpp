// SPDX-License-Identifier: Apache-2.0
#include "device/staged_transfer.hpp"

#include "core/host_memory.hpp"
#include "core/interrupt.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <exception>
#include <thread>
#include <vector>

namespace weft::device {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

/// One thread copies at 5 to 10 GB/s, of which half is the system's work on fresh pages; a bus moves up to 60.
constexpr unsigned kMaxThreads = 12;
constexpr auto kYield = 2ms; // after that a sleep adds little to what has passed
constexpr auto kMaxSleep = 1ms;
constexpr std::size_t kNone = ~std::size_t{0};

/// Another thread of the transfer has failed, and said why.
struct Abandoned {};

void pause(Clock::duration elapsed) {
    if (elapsed < kYield) {
        std::this_thread::yield();
    } else {
        std::this_thread::sleep_for(std::min<Clock::duration>(elapsed / 32, kMaxSleep));
    }
}

} // namespace

/// One transfer, cut into pieces; piece i passes slot i modulo their count. All pieces but the first begin at a multiple
/// of a large page in the caller's memory.
class StagedPieces {
public:
    StagedPieces(StagedTransfer& transfer, std::span<const std::byte> host, std::size_t slot_count,
                 const core::InterruptPoll& poll)
        : m_transfer(transfer), m_poll(poll), m_size(host.size()), m_queued(slot_count) {
        const std::uint64_t beyond =
            reinterpret_cast<std::uintptr_t>(host.data()) % StagedTransfer::kPageBytes;
        m_first = std::min(m_size, transfer.m_slot_bytes - beyond);
        std::ranges::for_each(m_queued, [](auto& piece) { piece = kNone; });
    }

    std::size_t count() const noexcept {
        const std::uint64_t bytes = m_transfer.m_slot_bytes;
        return 1 + static_cast<std::size_t>((m_size - m_first + bytes - 1) / bytes);
    }
    std::uint64_t begin(std::size_t piece) const noexcept {
        return piece == 0 ? 0 : m_first + (piece - 1) * m_transfer.m_slot_bytes;
    }
    std::uint64_t size(std::size_t piece) const noexcept {
        return std::min(piece == 0 ? m_first : m_transfer.m_slot_bytes, m_size - begin(piece));
    }
    template <typename Byte>
    std::span<Byte> of(std::span<Byte> host, std::size_t piece) const noexcept {
        return host.subspan(begin(piece), size(piece));
    }
    std::size_t slot(std::size_t piece) const noexcept { return piece % m_queued.size(); }

    void queue(std::size_t piece) {
        m_transfer.queue_copy(slot(piece), begin(piece), size(piece));
        m_queued[slot(piece)].store(piece, std::memory_order_release);
    }

    /// Returns once the device's copy of `piece` has been queued and has ended; kNone: what earlier transfers left.
    /// Pieces are begun in their order, so the thread that queues it never waits for this one.
    void await(std::size_t slot, std::size_t piece) {
        const Clock::time_point start = Clock::now();
        Clock::time_point next_poll = start + core::kPollInterval;
        while (m_queued[slot].load(std::memory_order_acquire) != piece || !is_done(slot)) {
            if (m_has_failed.load(std::memory_order_relaxed)) {
                throw Abandoned();
            }
            const Clock::time_point now = Clock::now();
            if (m_poll && now >= next_poll && std::this_thread::get_id() == m_caller) {
                m_poll();
                next_poll = now + core::kPollInterval;
            }
            pause(now - start);
        }
    }

    /// Runs `job(piece)` for all pieces on several threads. @throws what the first job that failed threw.
    template <typename Job>
    void run(const Job& job) {
        m_transfer.threads().run(count(), [&](std::size_t piece) {
            if (m_has_failed.load(std::memory_order_relaxed)) {
                return;
            }
            try {
                job(piece);
            } catch (...) {
                fail(std::current_exception());
            }
        });
        if (m_failure) {
            std::rethrow_exception(m_failure);
        }
    }

private:
    /// One thread asks at a time: the others would be in the way of those that queue copies.
    bool is_done(std::size_t slot) {
        const std::unique_lock asking(m_asking, std::try_to_lock);
        return asking && m_transfer.is_done(slot);
    }

    void fail(std::exception_ptr failure) noexcept {
        if (!m_has_failed.exchange(true)) {
            m_failure = std::move(failure); // read after all threads have ended
        }
    }

    StagedTransfer& m_transfer;
    const core::InterruptPoll& m_poll;
    const std::thread::id m_caller = std::this_thread::get_id();
    const std::uint64_t m_size;
    std::uint64_t m_first = 0; ///< bytes of the first piece
    std::vector<std::atomic<std::size_t>>
        m_queued; ///< by slot: the piece whose copy was queued last
    std::mutex m_asking;
    std::atomic<bool> m_has_failed{false};
    std::exception_ptr m_failure;
};

std::unique_lock<std::mutex> StagedTransfer::take_turn(const core::InterruptPoll& poll) {
    return core::lock_with_poll(m_turn, poll);
}

core::ThreadPool& StagedTransfer::threads() {
    if (!m_threads) {
        m_threads = std::make_unique<core::ThreadPool>(
            std::clamp(std::thread::hardware_concurrency(), 1U, kMaxThreads));
    }
    return *m_threads;
}

void StagedTransfer::upload(std::span<const std::byte> bytes, std::size_t slot_count,
                            const core::InterruptPoll& poll) {
    StagedPieces pieces(*this, bytes, slot_count, poll);
    pieces.run([&](std::size_t piece) {
        const std::size_t slot = pieces.slot(piece);
        pieces.await(slot, piece < slot_count ? kNone : piece - slot_count);
        const std::span<const std::byte> source = pieces.of(bytes, piece);
        std::memcpy(memory(slot), source.data(), source.size());
        pieces.queue(piece);
    });
}

void StagedTransfer::download(std::span<std::byte> bytes, std::size_t slot_count,
                              const core::InterruptPoll& poll) {
    StagedPieces pieces(*this, bytes, slot_count, poll);
    const std::size_t first = std::min(pieces.count(), slot_count);
    for (std::size_t piece = 0; piece < first; ++piece) {
        pieces.await(pieces.slot(piece), kNone);
        pieces.queue(piece);
    }
    pieces.await(0, 0); // the work ahead of it may take long: only this thread polls
    pieces.run([&](std::size_t piece) {
        const std::span<std::byte> target = pieces.of(bytes, piece);
        core::populate(target); // while the device copies
        pieces.await(pieces.slot(piece), piece);
        std::memcpy(target.data(), memory(pieces.slot(piece)), target.size());
        if (piece + slot_count < pieces.count()) {
            pieces.queue(piece + slot_count);
        }
    });
}

} // namespace weft::device
