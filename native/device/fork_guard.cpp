// SPDX-License-Identifier: Apache-2.0
#include "device/fork_guard.hpp"

#if !defined(_WIN32)
#include <atomic>
#include <pthread.h>
#endif

namespace weft::device {

#if defined(_WIN32)

std::uint32_t fork_generation() noexcept {
    return 0;
}

#else

namespace {

// The one mutable global of the layer: only the kernel knows of a fork, and pthread_atfork passes
// no context.
std::atomic<std::uint32_t>& generation() noexcept {
    static std::atomic<std::uint32_t> value{0};
    return value;
}

void count_fork() {
    generation().fetch_add(1, std::memory_order_relaxed);
}

} // namespace

std::uint32_t fork_generation() noexcept {
    static const int registered = pthread_atfork(nullptr, nullptr, count_fork);
    static_cast<void>(registered);
    return generation().load(std::memory_order_relaxed);
}

#endif

} // namespace weft::device
