// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/api.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace weft::core {

/// Threads that wait for numbered jobs. A run costs about ten microseconds beside its jobs.
class WEFT_API ThreadPool {
public:
    /// @param thread_count threads that work at a run, the caller's included; 0: as many as the machine runs at once.
    explicit ThreadPool(std::size_t thread_count = 0);
    /// Waits for a run that is under way.
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// At least 1.
    std::size_t thread_count() const noexcept { return m_threads.size() + 1; }

    /// Calls job(0) ... job(count - 1), each once, in any order, on the caller's thread and the pool's, and returns
    /// when all are done. Callers of several threads take turns; a job must not call run().
    /// @throws the first exception of a job; jobs that have not begun by then are left out.
    void run(std::size_t count, const std::function<void(std::size_t)>& job);

private:
    void work();
    void take_jobs(const std::function<void(std::size_t)>& job, std::size_t count) noexcept;

    std::mutex m_turn; ///< held during a run
    std::mutex m_mutex;
    std::condition_variable m_begin;
    std::condition_variable m_end;
    const std::function<void(std::size_t)>* m_job = nullptr; ///< null between runs
    std::size_t m_count = 0;
    std::size_t m_active = 0; ///< threads of the pool inside the run
    std::uint64_t m_run = 0;
    bool m_is_closing = false;
    std::exception_ptr m_error;
    std::atomic<std::size_t> m_next{0};
    std::vector<std::thread> m_threads;
};

/// Calls work(begin, end) or work(begin, end, number of the range) for ranges of `grain` elements, the last one of fewer,
/// that cover [0, count): on the threads of `pool`, or on this one if there is no pool or one range. The ranges are the
/// same on any number of threads.
/// @param grain above 0.
/// @throws what `work` throws, as ThreadPool::run().
template <typename Work>
void run_ranges(ThreadPool* pool, std::size_t count, std::size_t grain, const Work& work) {
    const auto run = [&](std::size_t range) {
        const std::size_t begin = range * grain;
        const std::size_t end = std::min(count, begin + grain);
        if constexpr (std::is_invocable_v<const Work&, std::size_t, std::size_t, std::size_t>) {
            work(begin, end, range);
        } else {
            work(begin, end);
        }
    };
    const std::size_t ranges = (count + grain - 1) / grain;
    if (pool != nullptr && ranges > 1) {
        pool->run(ranges, run);
        return;
    }
    for (std::size_t range = 0; range < ranges; ++range) {
        run(range);
    }
}

} // namespace weft::core
