// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/command_queue.hpp"

#include <algorithm>
#include <thread>

namespace weft::device::cuda {
namespace {

using namespace std::chrono_literals;

constexpr auto kSpin = 50us; // a small kernel and its result are done by then
constexpr auto kYield = 2ms; // after that a sleep adds little to what has passed
constexpr auto kMaxSleep = 1ms;
constexpr auto kPollInterval = 50ms;

bool is_pending(const Driver& driver, CUresult code, const char* call, std::string_view function) {
    if (code == CUDA_ERROR_NOT_READY) {
        return true;
    }
    check(driver, code, call, function);
    return false;
}

/// Waits a little, by a small share of the time that has passed already.
void pause(std::chrono::steady_clock::duration elapsed) {
    if (elapsed < kYield) {
        std::this_thread::yield();
        return;
    }
    std::this_thread::sleep_for(
        std::min<std::chrono::steady_clock::duration>(elapsed / 32, kMaxSleep));
}

} // namespace

Event::Event(const Context& context) : m_driver(context.driver()) {
    check(m_driver, m_driver.cuEventCreate(&m_handle, CU_EVENT_DISABLE_TIMING), "cuEventCreate",
          "using the device");
}

void CommandQueue::note_completed(std::uint64_t value) noexcept {
    std::uint64_t known = m_completed.load(std::memory_order_relaxed);
    while (known < value &&
           !m_completed.compare_exchange_weak(known, value, std::memory_order_acq_rel)) {
    }
}

bool CommandQueue::spin_until_idle(std::string_view function) {
    const Driver& driver = m_context.driver();
    const BesideCapture unhindered(driver);
    const auto end = Clock::now() + kSpin;
    do {
        const std::uint64_t seen =
            submitted(); // before the query: all of it is in the stream already
        if (!is_pending(driver, driver.cuStreamQuery(stream()), "cuStreamQuery", function)) {
            note_completed(seen);
            return true;
        }
    } while (Clock::now() < end);
    return false;
}

void CommandQueue::wait_for(std::uint64_t value, const InterruptPoll& poll,
                            std::string_view function) {
    if (completed() >= value || spin_until_idle(function)) {
        return;
    }
    const BesideCapture unhindered(m_context.driver());
    // Other threads may keep the stream busy for ever: from here on wait for a point in it.
    const Event marker(m_context);
    const std::uint64_t seen = submitted();
    record(marker, function);
    wait_for(marker, poll, function);
    note_completed(seen);
}

void CommandQueue::wait_for(const Event& event, const InterruptPoll& poll,
                            std::string_view function) const {
    const Driver& driver = m_context.driver();
    const BesideCapture unhindered(driver);
    const auto start = Clock::now();
    auto next_poll = start + kPollInterval;
    while (is_pending(driver, driver.cuEventQuery(event.get()), "cuEventQuery", function)) {
        const auto now = Clock::now();
        if (poll && now >= next_poll) {
            poll();
            next_poll = now + kPollInterval;
        }
        pause(now - start);
    }
}

void CommandQueue::record(const Event& event, std::string_view function) const {
    const Driver& driver = m_context.driver();
    check(driver, driver.cuEventRecord(event.get(), stream()), "cuEventRecord", function);
}

} // namespace weft::device::cuda
