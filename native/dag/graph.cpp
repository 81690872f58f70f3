// SPDX-License-Identifier: Apache-2.0
#include "dag/graph.hpp"

#include "core/error.hpp"
#include "dag/identities.hpp"
#include "dag/ranges.hpp"

#include <algorithm>
#include <utility>

namespace weft::dag {

namespace {

constexpr std::size_t kMaxNodes = 1'000'000;

bool is_constant(const Node& node) noexcept {
    return node.op == Op::constant;
}

} // namespace

std::size_t Graph::Hash::operator()(const Node& node) const noexcept {
    constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15;
    std::uint64_t hash =
        static_cast<std::uint64_t>(node.op) << 8 | static_cast<std::uint64_t>(node.type);
    for (const std::uint32_t word :
         {node.arguments[0], node.arguments[1], node.arguments[2], node.payload}) {
        hash = (hash ^ word) * kFactor;
        hash ^= hash >> 29;
    }
    return static_cast<std::size_t>(hash);
}

NodeId Graph::add(const Node& node) {
    const auto found = m_known.find(node);
    if (found != m_known.end()) {
        return found->second;
    }
    if (m_nodes.size() >= kMaxNodes) {
        throw core::ArgumentError(
            "lower: the function has more than a million operations; give its "
            "loops fewer rounds, or use OSL");
    }
    const auto id = static_cast<NodeId>(m_nodes.size());
    m_nodes.push_back(node);
    m_ranges.push_back(range_of_node(*this, node));
    const bool is_integer_input = node.op == Op::input && node.type != Scalar::real;
    std::uint64_t integers = is_integer_input ? std::uint64_t{1} << std::min(node.payload, 63U) : 0;
    for (std::size_t i = 0; i < node.count; i++) {
        integers |= m_integers[node.arguments[i]];
    }
    m_integers.push_back(integers);
    m_positions.push_back(m_position);
    m_known.emplace(node, id);
    return id;
}

NodeId Graph::constant_word(Scalar type, Word word) {
    return add({Op::constant, type, 0, {}, word});
}

NodeId Graph::constant(float value) {
    return constant_word(Scalar::real, word_of(value));
}

NodeId Graph::constant_integer(Word value) {
    return constant_word(Scalar::integer, value);
}

NodeId Graph::constant_boolean(bool value) {
    return constant_word(Scalar::boolean, value ? 1 : 0);
}

NodeId Graph::input(Scalar type, std::uint32_t number) {
    return add({Op::input, type, 0, {}, number});
}

NodeId Graph::lookup(std::uint32_t texture, std::uint32_t component,
                     std::span<const NodeId> coordinates) {
    Node node{Op::lookup, Scalar::real, 0, {}, 4 * texture + component};
    node.count = static_cast<std::uint8_t>(std::min<std::size_t>(coordinates.size(), 3));
    std::copy_n(coordinates.begin(), node.count, node.arguments.begin());
    return add(node);
}

NodeId Graph::join(std::span<const NodeId> values) {
    Node node{Op::join, Scalar::real, 0, {}, 0};
    node.count = static_cast<std::uint8_t>(std::min<std::size_t>(values.size(), 3));
    std::copy_n(values.begin(), node.count, node.arguments.begin());
    return add(node);
}

std::vector<NodeId> Graph::coordinates_of(const Node& lookup) const {
    std::vector<NodeId> coordinates;
    for (const NodeId id : std::span(lookup.arguments).first(lookup.count)) {
        const Node& own = m_nodes[id];
        if (own.op == Op::join) {
            coordinates.insert(coordinates.end(), own.arguments.begin(),
                               own.arguments.begin() + own.count);
        } else {
            coordinates.push_back(id);
        }
    }
    return coordinates;
}

NodeId Graph::make(Op op, std::initializer_list<NodeId> arguments) {
    const Operation& what = operation(op);
    Node node{op, what.result, static_cast<std::uint8_t>(arguments.size()), {}, 0};
    std::copy(arguments.begin(), arguments.end(), node.arguments.begin());
    if (op == Op::select) {
        node.type = m_nodes[node.arguments[1]].type;
    }
    if (what.is_commutative && node.arguments[1] < node.arguments[0]) {
        std::swap(node.arguments[0], node.arguments[1]);
    }
    if (const std::optional<NodeId> same = find_same(*this, node)) {
        return *same;
    }
    std::array<Word, 3> words{};
    for (std::size_t i = 0; i < node.count; i++) {
        const Node& argument = m_nodes[node.arguments[i]];
        if (!is_constant(argument)) {
            return add(node);
        }
        words[i] = argument.payload;
    }
    Word result = 0;
    what.evaluate({&words[0], &words[1], &words[2]}, &result, 1);
    return constant_word(node.type, result);
}

NodeId Graph::select(NodeId condition, NodeId yes, NodeId no) {
    if (yes == no) {
        return yes;
    }
    if (m_nodes[yes].type == Scalar::boolean) {
        const NodeId first = make(Op::b_and, {condition, yes});
        const NodeId second = make(Op::b_and, {make(Op::b_not, {condition}), no});
        return make(Op::b_or, {first, second});
    }
    return make(Op::select, {condition, yes, no});
}

std::optional<Word> Graph::value_of(NodeId id) const noexcept {
    return is_constant(m_nodes[id]) ? std::optional(m_nodes[id].payload) : std::nullopt;
}

bool Graph::is_true(NodeId id) const noexcept {
    return value_of(id) == Word{1};
}

bool Graph::is_false(NodeId id) const noexcept {
    return value_of(id) == Word{0};
}

std::vector<NodeId> Function::live() const {
    std::vector<char> is_live(graph.size(), 0);
    for (const auto* results : {&real_results, &integer_results}) {
        for (const NodeId id : *results) {
            is_live[id] = 1;
        }
    }
    std::vector<NodeId> result;
    for (std::size_t id = graph.size(); id-- > 0;) {
        if (is_live[id] == 0) {
            continue;
        }
        const Node& node = graph[static_cast<NodeId>(id)];
        for (std::size_t i = 0; i < node.count; i++) {
            is_live[node.arguments[i]] = 1;
        }
        result.push_back(static_cast<NodeId>(id));
    }
    std::reverse(result.begin(), result.end());
    return result;
}

} // namespace weft::dag
