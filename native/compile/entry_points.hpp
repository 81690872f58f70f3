// SPDX-License-Identifier: Apache-2.0
// Entry points are called by generated kernels like other functions, but Slang 2026.12 crashes on a call of a
// function with [numthreads]. So Slang reads these attributes under names of Weft's own.
#pragma once

#include "reflect/function.hpp"

#include <string>
#include <string_view>

namespace weft::compile {

/// `text` with [numthreads(x, y, z)] and [shader("...")] written as attributes that change nothing.
/// Lines stay where they are, and columns too unless [numthreads] has fewer than three numbers.
[[nodiscard]] std::string rename_entry_point_attributes(std::string_view text);

/// Moves those attributes from `function.attributes` into is_entry_point and group_size.
void take_entry_point_attributes(reflect::Function& function);

} // namespace weft::compile
