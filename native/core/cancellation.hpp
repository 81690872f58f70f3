// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>

namespace weft::core {

/// Ends waits of other threads, which get no signals. Thread-safe; it has to outlive the threads that entered it.
class Cancellation {
public:
    /// From now on poll_cancellation() of this thread throws once cancel() was called, until leave().
    void enter() const noexcept;
    static void leave() noexcept;
    void cancel() noexcept { m_is_cancelled.store(true, std::memory_order_relaxed); }
    bool is_cancelled() const noexcept { return m_is_cancelled.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> m_is_cancelled{false};
};

/// For polls of waits. @throws Interrupted if this thread has entered a cancellation that was cancelled.
void poll_cancellation();

} // namespace weft::core
