// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "codegen/kernel.hpp"

#include <array>
#include <cstdint>

namespace weft::codegen {

/// Columns and rows of a grid that has room for `groups` groups in rows of at most `max_columns`; one layer.
[[nodiscard]] std::array<std::uint32_t, 3> divide_groups(std::int64_t groups,
                                                         std::uint32_t max_columns);

/// Sets group_count (x, y) so that every element has a thread.
void choose_thread_grid(Kernel& kernel);

} // namespace weft::codegen
