// SPDX-License-Identifier: Apache-2.0
// Values of a function as sockets of the group around its tree.
#pragma once

#include "lower/tree.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::lower {

/// What a kind of tree has sockets for.
struct SocketKinds {
    std::function<std::string_view(const Leaf&)> scalar; ///< "NodeSocketFloat", ...
    bool has_matrices = false;
    bool has_bundles = false;
};

/// Items of bundles are called as their fields; of arrays of structures each is an item: "layers[0]". Their enumerations are
/// numbers: a menu's cases do not travel in bundles.
[[nodiscard]] std::vector<TreeSocket> tree_sockets(const Value& value, const SocketKinds& kinds);

/// Whether a socket that is no bundle has a value by default that nodes of Blender have not by themselves.
[[nodiscard]] bool has_default(const TreeSocket& socket) noexcept;

/// The output of a Separate Matrix node, and the input of a Combine Matrix node, that holds an element.
/// @param number of its leaf, row by row
[[nodiscard]] std::string matrix_socket(std::size_t number);

/// The output of a Separate Bundle node, and the input of a Combine Bundle node, that holds an item.
[[nodiscard]] std::string item_socket(std::size_t number);

/// A node whose items are these.
/// @param type "NodeSeparateBundle", "NodeCombineBundle"
[[nodiscard]] TreeNode bundle_node(std::string_view type, const std::vector<TreeSocket>& items);

} // namespace weft::lower
