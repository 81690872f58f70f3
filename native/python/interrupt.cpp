// SPDX-License-Identifier: Apache-2.0
#include "python/interrupt.hpp"

#include "core/cancellation.hpp"
#include "core/error.hpp"
#include "device/fork_guard.hpp"
#include "dispatch/gradient_checker.hpp"
#include "python/interpreter_lock.hpp"

#include <pybind11/pybind11.h>

namespace weft::python {

namespace {

/// Where Python runs the handlers of signals.
struct MainThread {
    unsigned long identifier = 0; ///< as PyThread_get_thread_ident() gives it
    std::uint32_t fork_generation = 0;
};

MainThread& main_thread() noexcept {
    static MainThread thread;
    return thread;
}

/// After a fork the main thread is the one that forked, whichever that was.
bool may_handle_signals() noexcept {
    const MainThread& known = main_thread();
    return known.identifier == PyThread_get_thread_ident() ||
           known.fork_generation != device::fork_generation();
}

/// PyGILState_Check() says yes to everybody once the process has had a sub-interpreter.
bool has_interpreter_lock() noexcept {
#if PY_VERSION_HEX >= 0x030D0000
    const PyThreadState* const current = PyThreadState_GetUnchecked();
#else
    const PyThreadState* const current = _PyThreadState_UncheckedGet();
#endif
    return current != nullptr && current == PyGILState_GetThisThreadState();
}

void poll() {
    if (dispatch::poll_gradient_checker()) {
        return; // a thread of the engine: nobody else's signals concern it
    }
    if (is_ending()) {
        throw core::Interrupted(); // the thread is parked once it has left what it is in
    }
    core::poll_cancellation();
    if (may_handle_signals()) {
        const pybind11::gil_scoped_acquire locked;
        if (PyErr_CheckSignals() != 0) {
            throw core::Interrupted();
        }
    } else if (has_interpreter_lock()) {
        const Unlocked others_may_run;
    }
}

} // namespace

void note_main_thread() {
    const auto main = pybind11::module_::import("threading").attr("main_thread")();
    main_thread() = {.identifier = main.attr("ident").cast<unsigned long>(),
                     .fork_generation = device::fork_generation()};
}

device::InterruptPoll interrupt_poll() {
    return poll;
}

} // namespace weft::python
