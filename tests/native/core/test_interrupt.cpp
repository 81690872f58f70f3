// SPDX-License-Identifier: Apache-2.0
#include "core/interrupt.hpp"
#include "support/catch.hpp"

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>

using namespace weft::core;
using namespace std::chrono_literals;

namespace {

void interrupt() {
    throw Interrupted();
}

void wait_until_zero(std::size_t (*count)() noexcept) {
    while (count() > 0) {
        std::this_thread::sleep_for(1ms);
    }
}

} // namespace

TEST_CASE("work in the background gives its value and its error back") {
    const InterruptPoll poll = GENERATE(InterruptPoll(), InterruptPoll([] {}));

    CHECK(compute_abandonable<std::string>(poll, [] { return std::string("done"); }) == "done");
    CHECK_THROWS_AS(run_abandonable(poll, [] { throw std::out_of_range("no"); }),
                    std::out_of_range);
    while (background_work_count() > 0) { // the thread ends after it has handed over
        std::this_thread::yield();
    }
}

TEST_CASE("an interrupted caller leaves at once, and the work comes to its end") {
    auto may_end = std::make_shared<std::atomic<bool>>(false);
    auto kept = std::make_shared<int>(7);
    const std::weak_ptr<int> watched = kept;

    CHECK_THROWS_AS(run_abandonable(interrupt,
                                    [may_end, owned = std::move(kept)] {
                                        while (!*may_end) {
                                            std::this_thread::sleep_for(1ms);
                                        }
                                    }),
                    Interrupted);

    CHECK(background_work_count() == 1);
    CHECK_FALSE(watched.expired());
    *may_end = true;
    wait_until_zero(background_work_count);
    CHECK(watched.expired());
}

TEST_CASE("a lock that another thread has is waited for, or the wait is interrupted") {
    std::mutex mutex;
    std::atomic<bool> is_taken{false};
    std::atomic<bool> may_let_go{false};
    std::thread holder([&] {
        const std::lock_guard lock(mutex);
        is_taken = true;
        while (!may_let_go) {
            std::this_thread::sleep_for(1ms);
        }
    });
    while (!is_taken) {
        std::this_thread::yield();
    }

    CHECK_THROWS_AS([&] { const auto lock = lock_with_poll(mutex, interrupt); }(), Interrupted);
    may_let_go = true;
    const auto lock = lock_with_poll(mutex, [] {});

    CHECK(lock.owns_lock());
    holder.join();
}
