// SPDX-License-Identifier: Apache-2.0
// Where nodes of a tree repeat, as those of a loop do that has been unrolled.
#pragma once

#include "lower/tree.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace weft::lower {

/// Nodes of which each is of the kind that the one a period later is of.
struct Stretch {
    std::size_t start = 0;
    std::size_t period = 0;
    std::size_t count = 0; ///< of nodes; the last round may be cut off
};

/// Numbers that are equal for nodes of one type, with the same properties and inputs; what feeds the inputs does not count.
[[nodiscard]] std::vector<std::uint32_t> kinds_of(const std::vector<TreeNode>& nodes);

/// @param kinds of all nodes; those in [begin, end) are looked at
/// @param fewest rounds of a stretch
/// @return what would save most nodes comes first, of equals the one of the shortest rounds
[[nodiscard]] std::vector<Stretch> find_stretches(std::span<const std::uint32_t> kinds,
                                                  std::size_t begin, std::size_t end,
                                                  std::size_t fewest);

} // namespace weft::lower
