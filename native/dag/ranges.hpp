// SPDX-License-Identifier: Apache-2.0
// Intervals of integers: they bound loops (clamp(n, 1, 16)), and tell which integers a tree of floats can hold.
#pragma once

#include "dag/graph.hpp"

namespace weft::dag {

/// Range of a node's value from those of its arguments; all of 32 bits where it may wrap or is no integer.
[[nodiscard]] Range range_of_node(const Graph& graph, const Node& node);

} // namespace weft::dag
