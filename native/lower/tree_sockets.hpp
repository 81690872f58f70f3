// SPDX-License-Identifier: Apache-2.0
// Values of a function as sockets of the group around its tree.
#pragma once

#include "lower/tree.hpp"

#include <functional>
#include <string_view>
#include <vector>

namespace weft::lower {

/// What a kind of tree has sockets for.
struct SocketKinds {
    std::function<std::string_view(const Leaf&)> scalar; ///< "NodeSocketFloat", ...
    bool has_matrices = false;
};

[[nodiscard]] std::vector<TreeSocket> tree_sockets(const Value& value, const SocketKinds& kinds);

/// The output of a Separate Matrix node, and the input of a Combine Matrix node, that holds an element.
/// @param number of its leaf, row by row
[[nodiscard]] std::string matrix_socket(std::size_t number);

} // namespace weft::lower
