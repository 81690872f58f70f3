// SPDX-License-Identifier: Apache-2.0
// The interpreter lock, and what becomes of threads when the interpreter ends.
//
// Python ends a thread that asks for its lock after the interpreter has ended by unwinding its stack: through
// frames that must not throw, and with destructors that touch objects without the lock. Both end the process. So no
// thread of Weft asks: once `end_of_interpreter()` ran, which Python calls first of all at its end, every thread but
// the one that ends the interpreter is parked at the next border between Weft and Python, for good. The process
// then ends without waiting for parked threads, or for drivers that cannot be interrupted.
#pragma once

#include <Python.h>
#include <memory>

namespace weft::python {

/// Releases the interpreter lock for its own life. Everything that may block, wait or compile runs under one.
class Unlocked {
public:
    Unlocked();
    ~Unlocked();
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

private:
    PyThreadState* m_state;
};

/// Parks this thread if the interpreter is ending in another one. Call with the lock taken, where Python enters.
void park_at_end();

/// True in every thread but the one that ends the interpreter, once that began.
[[nodiscard]] bool is_ending() noexcept;

/// A reference to a Python object, which any thread may let go. Call with the lock taken.
[[nodiscard]] std::shared_ptr<void> keep_alive(PyObject* object);

/// Counts a device that has not been destroyed: its driver may be at work without any thread of ours.
class LiveDevice {
public:
    LiveDevice() noexcept;
    ~LiveDevice();
    LiveDevice(const LiveDevice&) = delete;
    LiveDevice& operator=(const LiveDevice&) = delete;
};

/// Registers end_of_interpreter() with atexit. Call once, from the main interpreter.
void watch_end_of_interpreter();

} // namespace weft::python
