// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/device.hpp"

#include <atomic>
#include <pybind11/pybind11.h>

namespace weft::python {

/// For all waits, with or without the interpreter lock taken, but under no other lock: runs pending signal handlers
/// if this is the thread that may (taking the interpreter lock for that time), lets other threads run if this one has
/// the lock, and throws core::Interrupted if a handler raised, or if the interpreter ends.
[[nodiscard]] device::InterruptPoll interrupt_poll();

/// Ends waits of threads that cannot get signals. Thread-safe.
class Cancellation {
public:
    /// Waits of this thread that poll throw core::Interrupted once cancel() was called, until leave().
    void enter() noexcept;
    static void leave() noexcept;
    void cancel() noexcept { m_is_cancelled.store(true, std::memory_order_relaxed); }
    bool is_cancelled() const noexcept { return m_is_cancelled.load(std::memory_order_relaxed); }

private:
    std::atomic<bool> m_is_cancelled{false};
};

/// Adds `_Cancellation`, a context manager of the package's own.
void bind_interrupt(pybind11::module_& module);

/// Finds out which thread handles signals. Call once, when the module is imported.
void note_main_thread();

} // namespace weft::python
