// SPDX-License-Identifier: Apache-2.0
#include "render/compile_together.hpp"

#include "core/cancellation.hpp"
#include "core/interrupt.hpp"

#include <algorithm>
#include <exception>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>

namespace weft::render {

namespace {

/// Of one call. Shared with the threads, which the caller may leave behind.
struct Compilations {
    std::vector<std::function<void()>> jobs;
    core::Cancellation cancellation;
    std::atomic<std::size_t> next{0};
    std::atomic<std::size_t> done{0};
    std::atomic<bool> has_failed{false};
    std::mutex mutex;
    std::exception_ptr error; ///< the first

    void run_jobs() noexcept {
        cancellation.enter();
        while (!has_failed.load() && !cancellation.is_cancelled()) {
            const std::size_t number = next.fetch_add(1);
            if (number >= jobs.size()) {
                break;
            }
            try {
                jobs[number]();
                done.fetch_add(1);
            } catch (...) {
                const std::lock_guard lock(mutex);
                if (!has_failed.exchange(true)) {
                    error = std::current_exception();
                }
            }
        }
        core::Cancellation::leave();
    }

    void run_threads() {
        const std::size_t width =
            std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), jobs.size());
        std::vector<std::thread> threads;
        try {
            while (threads.size() + 1 < width) {
                threads.emplace_back([this] { run_jobs(); });
            }
        } catch (const std::system_error&) {
            // The system has no thread left: those that there are do all.
        }
        run_jobs();
        for (std::thread& thread : threads) {
            thread.join();
        }
        if (error) {
            std::rethrow_exception(error);
        }
    }
};

} // namespace

void compile_together(std::vector<std::function<void()>> jobs, const core::InterruptPoll& check,
                      CompileProgress* progress) {
    const auto state = std::make_shared<Compilations>();
    state->jobs = std::move(jobs);
    const std::size_t total = state->jobs.size();
    const auto report = [&](std::size_t done) {
        if (progress != nullptr) {
            progress->done.store(done);
            progress->total.store(total);
        }
    };
    report(0);
    if (total == 0) {
        return;
    }
    const core::InterruptPoll poll = [&] {
        report(state->done.load());
        check();
    };
    try {
        core::run_abandonable(check ? poll : core::InterruptPoll(),
                              [state] { state->run_threads(); });
    } catch (...) {
        state->cancellation.cancel();
        report(total);
        throw;
    }
    report(total);
}

} // namespace weft::render
