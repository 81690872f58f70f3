// SPDX-License-Identifier: Apache-2.0
// Repeat zones in the place of rounds that are equal.
#pragma once

#include "lower/tree.hpp"

namespace weft::lower {

/// Puts what repeats often into zones: the tree computes the same, with fewer nodes.
void make_zones(Tree& tree);

} // namespace weft::lower
