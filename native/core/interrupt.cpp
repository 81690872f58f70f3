// SPDX-License-Identifier: Apache-2.0
#include "core/interrupt.hpp"

#include <atomic>
#include <condition_variable>
#include <system_error>
#include <thread>

namespace weft::core {

namespace {

/// Only a counter for the end of the process, which has to know of threads that nobody waits for.
std::atomic<std::size_t>& work_count() noexcept {
    static std::atomic<std::size_t> count{0};
    return count;
}

struct Work {
    std::function<void()> run;
    std::mutex mutex;
    std::condition_variable ended;
    bool has_ended = false;
    std::exception_ptr error;
};

void run_and_tell(Work& work) noexcept {
    std::exception_ptr error;
    try {
        work.run();
    } catch (...) {
        error = std::current_exception();
    }
    work.run = nullptr; // what it owns goes before the end is told, or with it
    {
        const std::lock_guard lock(work.mutex);
        work.error = error;
        work.has_ended = true;
    }
    work.ended.notify_all();
}

/// False if the system has no thread left.
bool try_start(const std::shared_ptr<Work>& work) {
    work_count().fetch_add(1);
    try {
        std::thread([work] {
            run_and_tell(*work);
            work_count().fetch_sub(1);
        }).detach();
        return true;
    } catch (const std::system_error&) {
        work_count().fetch_sub(1);
        return false;
    }
}

} // namespace

std::unique_lock<std::mutex> lock_with_poll(std::mutex& mutex, const InterruptPoll& poll) {
    if (!poll) {
        return std::unique_lock(mutex);
    }
    std::unique_lock lock(mutex, std::try_to_lock);
    auto next_poll = std::chrono::steady_clock::now() + kPollInterval;
    while (!lock.owns_lock()) {
        if (std::chrono::steady_clock::now() >= next_poll) {
            poll();
            next_poll += kPollInterval;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
        static_cast<void>(lock.try_lock());
    }
    return lock;
}

std::size_t background_work_count() noexcept {
    return work_count().load();
}

void run_abandonable(const InterruptPoll& poll, std::function<void()> work) {
    auto shared = std::make_shared<Work>();
    shared->run = std::move(work);
    if (!poll || !try_start(shared)) {
        shared->run();
        return;
    }
    std::unique_lock lock(shared->mutex);
    while (!shared->ended.wait_for(lock, kPollInterval, [&] { return shared->has_ended; })) {
        lock.unlock();
        poll();
        lock.lock();
    }
    if (shared->error) {
        std::rethrow_exception(shared->error);
    }
}

} // namespace weft::core
