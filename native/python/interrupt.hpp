// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/error.hpp"
#include "device/device.hpp"

#include <pybind11/pybind11.h>
#include <utility>

namespace weft::python {

/// For all waits, with or without the interpreter lock taken, but under no other lock: runs pending signal handlers
/// if this is the thread that may (taking the interpreter lock for that time), lets other threads run if this one has
/// the lock, and throws core::Interrupted if a handler raised, or if the interpreter ends.
[[nodiscard]] device::InterruptPoll interrupt_poll();

/// What an interrupt of Python's raised (weft.render.interrupt.Interrupted): it ends a wait as a signal does.
class PythonInterrupted : public core::Interrupted {
public:
    explicit PythonInterrupted(pybind11::error_already_set raised) : m_raised(std::move(raised)) {}
    /// Sets the Python error. Needs the interpreter lock.
    void restore() const {
        pybind11::error_already_set raised = m_raised;
        raised.restore();
    }

private:
    pybind11::error_already_set m_raised;
};

/// Finds out which thread handles signals. Call once, when the module is imported.
void note_main_thread();

} // namespace weft::python
