// SPDX-License-Identifier: Apache-2.0
#include "python/interpreter_lock.hpp"

#include "core/interrupt.hpp"
#include "device/fork_guard.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <pybind11/pybind11.h>
#include <thread>
#if defined(__GLIBC__)
#include <unistd.h>
#endif

namespace weft::python {

namespace {

using namespace std::chrono_literals;

/// How long the end waits for threads that are inside of a driver; what takes longer is left behind.
constexpr auto kPatience = 2s;
constexpr auto kStep = 5ms;

/// The interpreter is one a process, and so is its end.
struct End {
    std::atomic<bool> has_begun{false};
    std::atomic<std::thread::id> thread{}; ///< the one that ends the interpreter
    std::atomic<bool> has_threads{false};  ///< others were alive when that began
    std::atomic<std::uint64_t> outside{0}; ///< threads that work without the lock
    std::atomic<std::uint64_t> parked{0};
    std::atomic<std::uint64_t> devices{0};
    std::uint32_t fork_generation = device::fork_generation(); ///< whose threads are counted

    /// Whether a thread is inside of Weft or of a driver that it called. A forked child has none of its parent's.
    bool has_threads_inside() const noexcept {
        return fork_generation == device::fork_generation() &&
               (outside.load() > 0 || core::background_work_count() > 0);
    }
};

End& the_end() noexcept {
    static End end;
    return end;
}

[[noreturn]] void park() noexcept {
    the_end().parked.fetch_add(1);
    for (;;) {
        std::this_thread::sleep_for(1h);
    }
}

/// Takes the lock back. Python may end the thread here by unwinding it, if the end began while it waited.
void restore(PyThreadState* state) noexcept {
    try {
        PyEval_RestoreThread(state);
    } catch (...) {
        park(); // not rethrown: this is where the thread ends
    }
}

#if defined(__GLIBC__)
/// The destructors of drivers must not run under threads that still use them.
void leave_threads_behind(int status, void*) {
    const End& end = the_end();
    if (end.parked.load() > 0 || end.has_threads_inside() ||
        (end.has_threads.load() && end.devices.load() > 0)) {
        std::fflush(nullptr);
        ::_exit(status);
    }
}
#endif

/// Lets other threads run up to their next border, and those without the lock come back.
void end_of_interpreter() {
    End& end = the_end();
    end.has_threads.store(
        pybind11::module_::import("threading").attr("active_count")().cast<int>() > 1);
    end.thread.store(std::this_thread::get_id());
    end.has_begun.store(true);
#if defined(__GLIBC__)
    ::on_exit(leave_threads_behind,
              nullptr); // now, to run before what drivers registered when they were loaded
#endif
    if (!end.has_threads.load() && !end.has_threads_inside()) {
        return;
    }
    PyThreadState* const state = PyEval_SaveThread();
    const auto deadline = std::chrono::steady_clock::now() + kPatience;
    do {
        std::this_thread::sleep_for(kStep);
    } while (end.has_threads_inside() && std::chrono::steady_clock::now() < deadline);
    PyEval_RestoreThread(state);
}

} // namespace

bool is_ending() noexcept {
    const End& end = the_end();
    return end.has_begun.load(std::memory_order_relaxed) &&
           end.thread.load() != std::this_thread::get_id();
}

void park_at_end() {
    if (is_ending()) [[unlikely]] {
        PyEval_SaveThread();
        park();
    }
}

Unlocked::Unlocked() {
    park_at_end();
    the_end().outside.fetch_add(1, std::memory_order_relaxed);
    m_state = PyEval_SaveThread();
}

Unlocked::~Unlocked() {
    the_end().outside.fetch_sub(1, std::memory_order_relaxed);
    if (is_ending()) [[unlikely]] {
        park();
    }
    restore(m_state);
}

std::shared_ptr<void> keep_alive(PyObject* object) {
    Py_INCREF(object);
    return {object, [](void* kept) {
                if (PyGILState_Check() != 0) {
                    Py_DECREF(static_cast<PyObject*>(kept));
                } else if (!is_ending()) {
                    const pybind11::gil_scoped_acquire locked;
                    Py_DECREF(static_cast<PyObject*>(kept));
                }
            }};
}

LiveDevice::LiveDevice() noexcept {
    the_end().devices.fetch_add(1);
}

LiveDevice::~LiveDevice() {
    the_end().devices.fetch_sub(1);
}

void watch_end_of_interpreter() {
    static_cast<void>(the_end()); // notes the process that it belongs to
    pybind11::module_::import("atexit").attr("register")(
        pybind11::cpp_function(&end_of_interpreter));
}

} // namespace weft::python
