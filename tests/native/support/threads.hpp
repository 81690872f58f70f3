// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace weft::test {

inline constexpr int kThreads = 4;

/// Runs `work(thread)` on several threads at once; true if none threw.
template <typename Work>
bool run_threads(Work&& work) {
    std::atomic<int> failures{0};
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) {
        threads.emplace_back([&, i] {
            try {
                work(i);
            } catch (const std::exception&) {
                ++failures;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    return failures == 0;
}

} // namespace weft::test
