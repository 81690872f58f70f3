// SPDX-License-Identifier: Apache-2.0
#include "device/use_gate.hpp"

namespace weft::device {

void UseGate::close(const core::InterruptPoll& poll) {
    refuse();
    std::unique_lock lock(m_mutex);
    const auto is_empty = [this] { return m_state.load(std::memory_order_acquire) == kClosed; };
    while (!m_is_empty.wait_for(lock, core::kPollInterval, is_empty)) {
        if (poll) {
            lock.unlock();
            poll();
            lock.lock();
        }
    }
}

void UseGate::tell_empty() noexcept {
    const std::lock_guard lock(m_mutex); // or it would be told between the question and the wait
    m_is_empty.notify_all();
}

} // namespace weft::device
