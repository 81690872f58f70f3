// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "lower/tree.hpp"

#include <vector>

namespace weft::lower {

/// What a tree computes as Blender's nodes do: results as numbers, one a leaf of the outputs, for one point.
/// @param inputs one a leaf of the inputs; of a menu the place of the case
/// @throws std::runtime_error for a node or an operation that Blender has not
[[nodiscard]] std::vector<double> values_of(const Tree& tree, const std::vector<double>& inputs);

} // namespace weft::lower
