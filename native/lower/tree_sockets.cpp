// SPDX-License-Identifier: Apache-2.0
#include "lower/tree_sockets.hpp"

#include "core/text.hpp"
#include "lower/output_types.hpp"
#include "lower/sockets.hpp"

#include <algorithm>
#include <utility>

namespace weft::lower {

using core::text;
using reflect::TypeKind;

namespace {

std::string type_of(const SocketLeaves& socket, const Hints& hints, const SocketKinds& kinds) {
    const std::size_t count = socket.leaves.size();
    if (count == 1) {
        return std::string(kinds.scalar(socket.leaves[0]));
    }
    if (count == kMatrixLeaves) {
        return "NodeSocketMatrix";
    }
    const bool is_color = count == 3 && (hints.is_color || socket.leaves[0].is_color);
    return is_color ? "NodeSocketColor" : "NodeSocketVector";
}

std::vector<TreeSocket> plain_sockets(const Value& value, const SocketKinds& kinds) {
    std::vector<TreeSocket> sockets;
    for (SocketLeaves& own : sockets_of(value, kinds.has_matrices)) {
        TreeSocket socket;
        socket.type = type_of(own, value.hints, kinds);
        socket.name = std::move(own.name);
        socket.leaves = std::move(own.leaves);
        socket.hints = value.hints;
        if (socket.leaves.size() == 1 && socket.leaves[0].enumeration != nullptr) {
            socket.cases = socket.leaves[0].enumeration->enumerators;
        }
        sockets.push_back(std::move(socket));
    }
    return sockets;
}

/// What a value holds at a path, as a value called by the path.
Value part_of(const Value& whole, const std::string& path, const reflect::TypeRef& type) {
    Value part{path.substr(1), type, {}, {}};
    part.hints.is_color = whole.hints.is_color;
    for (const Leaf& leaf : whole.leaves) {
        const bool is_within =
            leaf.path.starts_with(path) &&
            (leaf.path.size() == path.size() ||
             std::string_view(".[").find(leaf.path[path.size()]) != std::string_view::npos);
        if (is_within) {
            part.leaves.push_back(leaf);
            part.leaves.back().path.erase(0, path.size());
        }
    }
    return part;
}

std::vector<TreeSocket> items_of(const Value& value, const SocketKinds& kinds);

TreeSocket bundle_socket(const Value& value, const SocketKinds& kinds) {
    TreeSocket socket{value.name.empty() ? "Result" : value.name, "NodeSocketBundle", value.leaves,
                      value.hints};
    socket.items = items_of(value, kinds);
    return socket;
}

bool holds_structures(const reflect::Type& type) {
    return type.kind == TypeKind::structure ||
           (type.kind == TypeKind::array && holds_structures(*type.element));
}

void add_items(const Value& whole, const std::string& path, const reflect::TypeRef& type,
               const SocketKinds& kinds, std::vector<TreeSocket>& items) {
    if (type->kind == TypeKind::array && holds_structures(*type)) {
        for (std::int64_t i = 0; i < type->count; i++) {
            add_items(whole, text(path, '[', i, ']'), type->element, kinds, items);
        }
        return;
    }
    const Value part = part_of(whole, path, type);
    if (part.leaves.empty()) {
        return;
    }
    if (type->kind == TypeKind::structure) {
        items.push_back(bundle_socket(part, kinds));
        return;
    }
    for (TreeSocket& item : plain_sockets(part, kinds)) {
        for (Leaf& leaf : item.leaves) {
            leaf.enumeration = nullptr;
        }
        items.push_back(std::move(item));
    }
}

std::vector<TreeSocket> items_of(const Value& value, const SocketKinds& kinds) {
    SocketKinds own = kinds;
    own.scalar = [&](const Leaf& leaf) {
        Leaf number = leaf;
        number.enumeration = nullptr;
        return kinds.scalar(number);
    };
    std::vector<TreeSocket> items;
    for (const reflect::Field& field : value.type->fields) {
        add_items(value, '.' + field.name, field.type, own, items);
    }
    return items;
}

} // namespace

std::vector<TreeSocket> tree_sockets(const Value& value, const SocketKinds& kinds) {
    const bool is_bundle = kinds.has_bundles && value.hints.is_bundle && !value.leaves.empty();
    return is_bundle ? std::vector{bundle_socket(value, kinds)} : plain_sockets(value, kinds);
}

bool has_default(const TreeSocket& socket) noexcept {
    return socket.type != "NodeSocketMatrix" &&
           std::any_of(socket.leaves.begin(), socket.leaves.end(),
                       [](const Leaf& leaf) { return leaf.default_value != 0; });
}

std::string matrix_socket(std::size_t number) {
    constexpr std::size_t kColumns = 4;
    return text("Column ", number % kColumns + 1, " Row ", number / kColumns + 1);
}

std::string item_socket(std::size_t number) {
    return text("Item_", number);
}

TreeNode bundle_node(std::string_view type, const std::vector<TreeSocket>& items) {
    TreeNode node{std::string(type), {}, {}};
    for (const TreeSocket& item : items) {
        node.items.push_back(item.name);
        node.types.emplace_back(data_type(item.type));
    }
    return node;
}

} // namespace weft::lower
