// SPDX-License-Identifier: Apache-2.0
// Which node, and which of its operations, computes an operation of a DAG; one table (node_table.cpp) for each kind of tree.
#pragma once

#include "dag/operation.hpp"
#include "lower/tree.hpp"

#include <array>
#include <string_view>

namespace weft::lower {

/// A node that computes one operation by itself.
struct NodeEntry {
    std::string_view type;                  ///< "" if no node does
    std::string_view property;              ///< "operation"
    std::string_view value;                 ///< "ADD"
    std::string_view data;                  ///< of nodes of several types of data: "INT"
    std::array<std::string_view, 3> inputs; ///< identifiers
    std::string_view output;
};

/// The node of an operation whose values have the type that it declares.
[[nodiscard]] NodeEntry node_of(dag::Op op, TreeKind kind, BlenderVersion version) noexcept;

/// Identifiers of Compare's inputs for integers, which 5.2 has renamed.
[[nodiscard]] std::array<std::string_view, 2> compared_integers(BlenderVersion version) noexcept;

} // namespace weft::lower
