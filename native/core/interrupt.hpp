// SPDX-License-Identifier: Apache-2.0
// Waits that a user can end. A wait calls the poll of its caller every kPollInterval; the poll throws
// Interrupted to end it. No lock that another thread may wait for with the host's own lock (Python's
// interpreter lock) taken is held across a poll, because the poll takes that lock.
#pragma once

#include "core/error.hpp"
#include "core/interrupt_poll.hpp"

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace weft::core {

inline constexpr std::chrono::milliseconds kPollInterval{50};

/// Locks `mutex`, polling meanwhile.
[[nodiscard]] std::unique_lock<std::mutex> lock_with_poll(std::mutex& mutex,
                                                          const InterruptPoll& poll);

/// Number of works of run_abandonable() that are under way, abandoned ones among them.
[[nodiscard]] std::size_t background_work_count() noexcept;

/// Runs `work` in a thread of its own and polls until it ends; here if there is no poll, or no thread to be had.
/// An interrupted caller leaves at once and the work goes on, so it must own all that it uses. What it
/// throws is thrown here.
void run_abandonable(const InterruptPoll& poll, std::function<void()> work);

/// As above, with a value; an abandoned one is destroyed in the thread.
template <typename T>
[[nodiscard]] T compute_abandonable(const InterruptPoll& poll, std::function<T()> work) {
    auto value = std::make_shared<std::optional<T>>();
    run_abandonable(poll, [value, work = std::move(work)] { value->emplace(work()); });
    return std::move(**value);
}

} // namespace weft::core
