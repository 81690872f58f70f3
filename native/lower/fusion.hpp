// SPDX-License-Identifier: Apache-2.0
// Operations that become one node together: products that are only added to, bounds on both sides, choices by the contrary
// of a comparison. A node costs 3 to 5 ns a shade in Cycles, and .7 ms a million points in geometry trees.
#pragma once

#include "dag/graph.hpp"
#include "lower/tree.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace weft::lower {

enum class Fused : std::uint8_t {
    none,         ///< a node of its own
    absorbed,     ///< computed by the node that uses it
    multiply_add, ///< a * b + c
    clamp,        ///< min(max(a, b), c)
    contrary      ///< c if a > b, else d: the choice by a <= b
};

struct FusedOperation {
    Fused kind = Fused::none;
    std::array<dag::NodeId, 4> arguments{};
    std::array<bool, 4> is_negated{}; ///< of constants alone
};

/// By node of the graph. Rounding apart, which a product added to may skip, every value stays as it is.
[[nodiscard]] std::vector<FusedOperation> fuse(const dag::Function& function, TreeKind kind);

} // namespace weft::lower
