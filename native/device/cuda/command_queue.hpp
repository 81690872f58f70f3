// SPDX-License-Identifier: Apache-2.0
// The one in-order queue: CUDA's legacy default stream, and what is known of its progress.
//
// Why that stream: torch, cupy and numba run on it unless told otherwise, so their work and Weft's stay in the
// order in which the user wrote it, without an event or a wait between them; and a launch into it costs no more
// than into a stream of our own. native_stream() gives CU_STREAM_LEGACY (1), which names this stream
// wherever CUDA or DLPack asks for one. It cannot be captured, so graphs are built node by node (replay.hpp).
//
// Progress is a count of submitted pieces of work. Memory that only kernels touch needs none of it: one stream
// runs in order, so freed memory can be handed out again at once. Only the host has to wait.
#pragma once

#include "device/cuda/context.hpp"
#include "device/device.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string_view>

namespace weft::device::cuda {

/// A point in the queue that can be waited for. Destroy it with the context current.
class Event {
public:
    explicit Event(const Context& context);
    ~Event() { m_driver.cuEventDestroy(m_handle); }
    Event(const Event&) = delete;
    Event& operator=(const Event&) = delete;

    CUevent get() const noexcept { return m_handle; }

private:
    const Driver& m_driver;
    CUevent m_handle = nullptr;
};

/// Thread-safe. Except for submitted() and completed(), the context must be current.
class CommandQueue {
public:
    explicit CommandQueue(const Context& context) noexcept : m_context(context) {}

    CUstream stream() const noexcept { return CU_STREAM_LEGACY; }
    /// Counts one piece of work; call it after the driver took the work.
    std::uint64_t note_submission() noexcept {
        return m_submitted.fetch_add(1, std::memory_order_acq_rel) + 1;
    }
    std::uint64_t submitted() const noexcept { return m_submitted.load(std::memory_order_acquire); }
    /// Everything up to this count is known to have finished.
    std::uint64_t completed() const noexcept { return m_completed.load(std::memory_order_acquire); }

    /// Blocks until the work counted as `value` has finished; calls `poll` every 50 ms.
    /// @throws DeviceError if that work failed. `function` is for messages.
    void wait_for(std::uint64_t value, const InterruptPoll& poll, std::string_view function);
    /// Blocks until `event` is reached.
    void wait_for(const Event& event, const InterruptPoll& poll, std::string_view function) const;
    void record(const Event& event, std::string_view function) const;

private:
    using Clock = std::chrono::steady_clock;

    bool spin_until_idle(std::string_view function);
    void note_completed(std::uint64_t value) noexcept;

    const Context& m_context;
    std::atomic<std::uint64_t> m_submitted{0};
    std::atomic<std::uint64_t> m_completed{0};
};

} // namespace weft::device::cuda
