// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/interpreter_lock.hpp"

#include <mutex>
#include <utility>

namespace weft::python {

/// An object whose calls take turns, without the interpreter lock: Python's threads may ask while a step is under way.
template <typename T>
class OneAtATime {
public:
    template <typename... Arguments>
    explicit OneAtATime(Arguments&&... arguments) : m_own(std::forward<Arguments>(arguments)...) {}

    /// Returns work(the object). @param work must not touch Python.
    template <typename Work>
    auto run(const Work& work) {
        const Unlocked unlocked;
        const std::lock_guard alone(m_mutex);
        return work(m_own);
    }

private:
    T m_own;
    std::mutex m_mutex;
};

} // namespace weft::python
