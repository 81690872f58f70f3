// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "dag/graph.hpp"

#include <string>

namespace weft::dag {

/// One line a node that is live, "%3 = f_add %1 %2", then the results.
[[nodiscard]] std::string print_text(const Function& function);

/// A graph for Graphviz's dot.
[[nodiscard]] std::string print_dot(const Function& function);

} // namespace weft::dag
