// SPDX-License-Identifier: Apache-2.0
#include "core/fault.hpp"

#include "core/process.hpp"

#include <array>
#include <atomic>

namespace weft::core {

namespace {

struct Counter {
    std::atomic<std::uint64_t> calls{0};
    std::atomic<std::uint64_t> faulty{0}; ///< number of the call that fails; 0: none
};

/// A hook that tests reach around every layer has nowhere else to live.
Counter& counter_of(FaultKind kind) noexcept {
    static std::array<Counter, 3> counters;
    return counters[static_cast<std::size_t>(kind)];
}

} // namespace

bool faults_are_on() noexcept {
    static const bool is_on = environment_variable("WEFT_TEST_FAULTS") == "1";
    return is_on;
}

void arm_fault(FaultKind kind, std::uint64_t number) noexcept {
    Counter& counter = counter_of(kind);
    counter.faulty.store(0);
    counter.calls.store(0);
    counter.faulty.store(number);
}

std::uint64_t counted_calls(FaultKind kind) noexcept {
    return counter_of(kind).calls.load();
}

bool is_faulty(FaultKind kind) noexcept {
    if (!faults_are_on()) [[likely]] {
        return false;
    }
    Counter& counter = counter_of(kind);
    return counter.calls.fetch_add(1) + 1 == counter.faulty.load();
}

} // namespace weft::core
