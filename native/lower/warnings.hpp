// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dag/graph.hpp"

#include <string>
#include <vector>

namespace weft::lower {

/// What will not be the same in every renderer, each in one sentence: fractions of large multiples of sines and cosines,
/// frac(sin(x) * 43758), are made of the last bits of functions that every renderer rounds in its own way.
[[nodiscard]] std::vector<std::string> warnings_of(const dag::Function& function);

} // namespace weft::lower
