// SPDX-License-Identifier: Apache-2.0
#include "dispatch/argument.hpp"

#include <algorithm>
#include <functional>

namespace weft::dispatch {

using reflect::ScalarKind;

namespace {

std::uint64_t text_word(std::string_view text) {
    return text.empty() ? 0 : std::hash<std::string_view>{}(text);
}

std::uint64_t head_word(const Node& node) {
    return static_cast<std::uint64_t>(node.kind) | static_cast<std::uint64_t>(node.scalar) << 8U |
           static_cast<std::uint64_t>(node.rank) << 16U |
           static_cast<std::uint64_t>(node.children) << 32U;
}

void append_gradient_key(const tensor::Tensor* gradient, std::vector<std::uint64_t>& key) {
    key.push_back(gradient == nullptr ? 0 : gradient->layout_hash());
    key.push_back(gradient == nullptr ? 0 : address_alignment(gradient->address()));
}

/// The places of the nodes before `node` whose gradients share memory with its own, and their number.
void append_shared_gradients(const std::vector<Node>& nodes, const Node& node,
                             std::vector<std::uint64_t>& key) {
    std::uint64_t count = 0;
    for (const Node* other = nodes.data(); other != &node; ++other) {
        if (have_shared_gradient(*other, node)) {
            key.push_back(static_cast<std::uint64_t>(other - nodes.data()));
            ++count;
        }
    }
    key.push_back(count);
}

} // namespace

void ArgumentList::clear() noexcept {
    nodes.clear();
    words.clear();
    roots.clear();
    names.clear();
}

std::span<const std::int64_t> ArgumentList::shape(const Node& node) const noexcept {
    static_assert(sizeof(std::int64_t) == sizeof(std::uint64_t));
    const auto* begin = reinterpret_cast<const std::int64_t*>(words.data()) + node.shape_begin;
    return {begin, node.rank};
}

std::span<const std::uint64_t> ArgumentList::data(const Node& node) const noexcept {
    return {words.data() + node.data_begin, node.data_count};
}

std::span<const std::string_view> ArgumentList::names_of(const Node& node) const noexcept {
    return {names.data() + node.names_begin, node.names_count};
}

void ArgumentList::replace_names(std::span<const NamedNumbers> named) {
    for (const NamedNumbers& entry : named) {
        Node& node = nodes[entry.node];
        if (node.names_count == 0) {
            continue; // a node that was matched twice
        }
        node.names_count = 0;
        if (node.kind == NodeKind::name) {
            node.kind = NodeKind::integer;
            node.integer = entry.numbers.front();
            node.scalar =
                entry.scalar == ScalarKind::uint64 ? ScalarKind::uint64 : ScalarKind::void_;
            continue;
        }
        node.scalar = entry.scalar;
        for (std::uint32_t i = 0; i < node.data_count; ++i) {
            std::uint64_t& word = words[node.data_begin + i];
            word = static_cast<std::uint64_t>(entry.numbers[word]);
        }
    }
}

void ArgumentList::append_key(std::vector<std::uint64_t>& key, bool with_gradients) const {
    for (const Root& root : roots) {
        key.push_back(static_cast<std::uint64_t>(root.role) << 32U | nodes[root.node].subtree);
    }
    for (const Node& node : nodes) {
        key.push_back(head_word(node));
        key.push_back(text_word(node.name));
        for (const std::string_view name : names_of(node)) {
            key.push_back(text_word(name));
        }
        switch (node.kind) {
        case NodeKind::tensor:
            key.push_back(node.tensor->layout_hash());
            key.push_back(address_alignment(node.tensor->address()));
            if (with_gradients) {
                append_gradient_key(node.tensor->grad_in().get(), key);
                append_gradient_key(node.tensor->grad_out().get(), key);
                key.push_back(node.tensor->grad_in() == node.tensor->grad_out() ? 1 : 0);
                append_shared_gradients(nodes, node, key);
            }
            break;
        case NodeKind::list:
        case NodeKind::grid:
            for (const std::int64_t extent : shape(node)) {
                key.push_back(static_cast<std::uint64_t>(extent));
            }
            break;
        case NodeKind::host_array:
            key.push_back(static_cast<std::uint64_t>(node.host->scalar) |
                          static_cast<std::uint64_t>(node.host->shape.size()) << 8U |
                          static_cast<std::uint64_t>(node.host->is_precise) << 63U);
            for (const std::int64_t extent : node.host->shape) {
                key.push_back(static_cast<std::uint64_t>(extent));
            }
            break;
        case NodeKind::structure: key.push_back(text_word(node.type_name)); break;
        default: break;
        }
    }
}

bool have_shared_gradient(const Node& a, const Node& b) noexcept {
    return a.kind == NodeKind::tensor && b.kind == NodeKind::tensor &&
           a.tensor->grad_out() != nullptr && b.tensor->grad_out() != nullptr &&
           a.tensor->grad_out()->overlaps(*b.tensor->grad_out());
}

std::uint64_t address_alignment(std::uint64_t address) noexcept {
    return address == 0 ? 256 : std::min<std::uint64_t>(address & (~address + 1), 256);
}

} // namespace weft::dispatch
