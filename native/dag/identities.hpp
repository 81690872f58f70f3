// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dag/graph.hpp"

namespace weft::dag {

/// A node that the graph has already and that equals the new one for all inputs: x * 1, a and not a, a comparison that the
/// ranges of its sides decide, ... Only what is exact in floats, NaN and signed zeros of results that are added included.
[[nodiscard]] std::optional<NodeId> find_same(Graph& graph, const Node& node);

} // namespace weft::dag
