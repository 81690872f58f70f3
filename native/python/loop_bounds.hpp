// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dag/build.hpp"

#include <string>
#include <string_view>

namespace weft::python {

/// Adds what [MaxIters(n)] says in a source to `bounds`, by the lines from the loop's first word to the end of its condition, or
/// without one to the end of its first statement; n that is no literal, and lines of two loops, are kept as problems.
/// @param file as places of the code name it
void collect_bounds(std::string_view source, const std::string& file, dag::LoopBounds& bounds);

} // namespace weft::python
