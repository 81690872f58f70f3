// SPDX-License-Identifier: Apache-2.0
// Calls of a device that may run beside each other, and the one that ends them all.
#pragma once

#include "core/interrupt.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace weft::device {

/// Thread-safe. Unlike a shared mutex it lets nobody in once close() was called, however many come.
class UseGate {
public:
    /// Enters for its own life. Check the result: nothing was entered if the gate is closed.
    class Use {
    public:
        explicit Use(UseGate& gate) noexcept : m_gate(gate.try_enter() ? &gate : nullptr) {}
        ~Use() {
            if (m_gate != nullptr) {
                m_gate->leave();
            }
        }
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;
        explicit operator bool() const noexcept { return m_gate != nullptr; }

    private:
        UseGate* m_gate;
    };

    /// Lets nobody in from now on.
    void refuse() noexcept { m_state.fetch_or(kClosed, std::memory_order_acq_rel); }
    /// Lets nobody in from now on, and returns once everybody has left. May be called again, also after `poll`
    /// interrupted it.
    void close(const core::InterruptPoll& poll);
    bool is_closed() const noexcept {
        return (m_state.load(std::memory_order_acquire) & kClosed) != 0;
    }

private:
    static constexpr std::uint64_t kClosed = std::uint64_t{1}
                                             << 63U; ///< the other bits count users

    bool try_enter() noexcept {
        if ((m_state.fetch_add(1, std::memory_order_acquire) & kClosed) == 0) {
            return true;
        }
        leave();
        return false;
    }
    void leave() noexcept {
        if (m_state.fetch_sub(1, std::memory_order_release) == kClosed + 1) {
            tell_empty();
        }
    }
    void tell_empty() noexcept;

    std::atomic<std::uint64_t> m_state{0};
    std::mutex m_mutex;
    std::condition_variable m_is_empty;
};

} // namespace weft::device
