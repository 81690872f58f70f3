// SPDX-License-Identifier: Apache-2.0
#include "core/thread_pool.hpp"

#include <algorithm>
#include <utility>

namespace weft::core {

ThreadPool::ThreadPool(std::size_t thread_count) {
    const std::size_t wanted =
        thread_count != 0 ? thread_count : std::max(1U, std::thread::hardware_concurrency());
    m_threads.reserve(wanted - 1);
    for (std::size_t i = 1; i < wanted; ++i) {
        m_threads.emplace_back([this] { work(); });
    }
}

ThreadPool::~ThreadPool() {
    {
        const std::lock_guard turn(m_turn);
        const std::lock_guard lock(m_mutex);
        m_is_closing = true;
    }
    m_begin.notify_all();
    for (std::thread& thread : m_threads) {
        thread.join();
    }
}

void ThreadPool::take_jobs(const std::function<void(std::size_t)>& job,
                           std::size_t count) noexcept {
    for (std::size_t i = m_next.fetch_add(1); i < count; i = m_next.fetch_add(1)) {
        try {
            job(i);
        } catch (...) {
            const std::lock_guard lock(m_mutex);
            m_next = count;
            if (!m_error) {
                m_error = std::current_exception();
            }
        }
    }
}

void ThreadPool::work() {
    std::unique_lock lock(m_mutex);
    std::uint64_t seen = 0;
    while (true) {
        m_begin.wait(lock, [&] { return m_is_closing || (m_job != nullptr && m_run != seen); });
        if (m_is_closing) {
            return;
        }
        seen = m_run;
        const std::function<void(std::size_t)>& job = *m_job;
        const std::size_t count = m_count;
        ++m_active;
        lock.unlock();
        take_jobs(job, count);
        lock.lock();
        if (--m_active == 0) {
            m_end.notify_all();
        }
    }
}

void ThreadPool::run(std::size_t count, const std::function<void(std::size_t)>& job) {
    const std::lock_guard turn(m_turn);
    {
        const std::lock_guard lock(m_mutex);
        m_job = &job;
        m_count = count;
        m_next = 0;
        ++m_run;
    }
    if (count > 1) {
        m_begin.notify_all();
    }
    take_jobs(job, count);
    std::unique_lock lock(m_mutex);
    // Threads that wake up from here on find no job.
    m_job = nullptr;
    m_end.wait(lock, [&] { return m_active == 0; });
    if (const std::exception_ptr error = std::exchange(m_error, nullptr)) {
        std::rethrow_exception(error);
    }
}

} // namespace weft::core
