// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

namespace weft::device {

/// A number that differs in a child after fork(). Costs one load, so that the call path can compare
/// it.
[[nodiscard]] std::uint32_t fork_generation() noexcept;

} // namespace weft::device
