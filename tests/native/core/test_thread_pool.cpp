// SPDX-License-Identifier: Apache-2.0
#include "core/thread_pool.hpp"
#include "support/catch.hpp"
#include "support/threads.hpp"

#include <stdexcept>

using namespace weft;

TEST_CASE("every job of a run is done once before it returns") {
    core::ThreadPool pool(3);

    for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
        std::vector<std::atomic<int>> done(count);
        pool.run(count, [&](std::size_t i) { ++done[i]; });
        for (const std::atomic<int>& times : done) {
            CHECK(times == 1);
        }
    }
}

TEST_CASE("an exception of a job reaches the caller, and the pool goes on") {
    core::ThreadPool pool(3);

    CHECK_THROWS_AS(pool.run(100,
                             [](std::size_t i) {
                                 if (i == 7) {
                                     throw std::runtime_error("seven");
                                 }
                             }),
                    std::runtime_error);
    std::atomic<int> count{0};
    pool.run(100, [&](std::size_t) { ++count; });

    CHECK(count == 100);
}

TEST_CASE("callers of several threads take turns") {
    core::ThreadPool pool(2);
    std::atomic<int> count{0};

    CHECK(test::run_threads([&](int) {
        for (int i = 0; i < 200; ++i) {
            pool.run(5, [&](std::size_t) { ++count; });
        }
    }));

    CHECK(count == test::kThreads * 200 * 5);
}

TEST_CASE("a pool has the threads that were asked for") {
    CHECK(core::ThreadPool(1).thread_count() == 1);
    CHECK(core::ThreadPool(5).thread_count() == 5);
    CHECK(core::ThreadPool().thread_count() >= 1);
}
