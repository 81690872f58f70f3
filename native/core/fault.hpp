// SPDX-License-Identifier: Apache-2.0
// For tests: one call of the world outside fails, once. Off unless the process began with WEFT_TEST_FAULTS=1; then
// every such call is counted, and the n-th one of a kind fails as if the system had refused it.
#pragma once

#include <cstdint>

namespace weft::core {

enum class FaultKind : std::uint8_t {
    driver,  ///< calls of a graphics driver that can fail
    file,    ///< reads and writes of whole files
    process, ///< starts of a child, reads from it and writes to it
};

/// Whether faults can be asked for. Constant for the life of the process.
[[nodiscard]] bool faults_are_on() noexcept;
/// Starts counting calls of `kind` anew; the `number`-th from now fails, the first is 1; 0: none.
void arm_fault(FaultKind kind, std::uint64_t number) noexcept;
/// Calls since arm_fault().
[[nodiscard]] std::uint64_t counted_calls(FaultKind kind) noexcept;
/// Counts a call; whether it shall fail. Where a call is expensive anyway: asks first whether faults are on.
[[nodiscard]] bool is_faulty(FaultKind kind) noexcept;

} // namespace weft::core
