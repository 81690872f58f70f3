// SPDX-License-Identifier: Apache-2.0
// Kernels compiled side by side, before the first of them is needed.
#pragma once

#include "core/interrupt_poll.hpp"

#include <atomic>
#include <cstddef>
#include <functional>
#include <vector>

namespace weft::render {

/// How many kernels of those that are wanted together are compiled. Any thread may read it.
struct CompileProgress {
    std::atomic<std::size_t> done{0};
    std::atomic<std::size_t> total{0};
};

/// Runs jobs that compile, on as many threads as the machine runs at once.
/// @param jobs own what they need: those under way outlive an interrupted call.
/// @param check called every 50 ms on the thread of the caller; what it throws ends the wait at once, and the waits of the
///        jobs whose polls call core::poll_cancellation(). Empty: the call cannot be interrupted.
/// @param progress told how far it is; null: nobody is.
/// @throws the first error of a job, which the others end after; what `check` throws.
void compile_together(std::vector<std::function<void()>> jobs, const core::InterruptPoll& check,
                      CompileProgress* progress);

} // namespace weft::render
