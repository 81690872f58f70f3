// SPDX-License-Identifier: Apache-2.0
#include "dag/identities.hpp"

namespace weft::dag {

namespace {

using Found = std::optional<NodeId>;

bool is_not_of(const Graph& graph, NodeId a, NodeId b) {
    const Node& node = graph[a];
    return node.op == Op::b_not && node.arguments[0] == b;
}

bool are_opposite(const Graph& graph, NodeId a, NodeId b) {
    return is_not_of(graph, a, b) || is_not_of(graph, b, a);
}

Found same_of_logic(Graph& graph, const Node& node) {
    const NodeId a = node.arguments[0];
    const NodeId b = node.arguments[1];
    const bool is_and = node.op == Op::b_and;
    if (a == b) {
        return a;
    }
    if (are_opposite(graph, a, b)) {
        return graph.constant_boolean(!is_and);
    }
    for (const auto& [one, other] : {std::pair(a, b), std::pair(b, a)}) {
        if (const std::optional<Word> value = graph.value_of(one)) {
            return (*value != 0) == is_and ? other : one;
        }
    }
    return std::nullopt;
}

Found same_of_select(Graph& graph, const Node& node) {
    const auto [condition, yes, no] = node.arguments;
    if (const std::optional<Word> value = graph.value_of(condition)) {
        return *value != 0 ? yes : no;
    }
    if (yes == no) {
        return yes;
    }
    const Node& inner = graph[condition];
    if (inner.op == Op::b_not) {
        return graph.make(Op::select, {inner.arguments[0], no, yes});
    }
    if (inner.op == Op::i_not_equal) {
        const NodeId is_equal = graph.make(Op::i_equal, {inner.arguments[0], inner.arguments[1]});
        return graph.make(Op::select, {is_equal, no, yes});
    }
    // What this condition has chosen before, it chooses again.
    if (graph[yes].op == Op::select && graph[yes].arguments[0] == condition) {
        return graph.make(Op::select, {condition, graph[yes].arguments[1], no});
    }
    if (graph[no].op == Op::select && graph[no].arguments[0] == condition) {
        return graph.make(Op::select, {condition, yes, graph[no].arguments[2]});
    }
    return std::nullopt;
}

/// x + -0, x - 0, x * 1, x / 1; not x + 0, which makes 0 of -0.
Found same_of_reals(Graph& graph, const Node& node) {
    const Word zero = word_of(node.op == Op::f_add ? -0.f : 0.f);
    const bool adds = node.op == Op::f_add || node.op == Op::f_sub;
    const Word neutral = adds ? zero : word_of(1.f);
    if (graph.value_of(node.arguments[1]) == neutral) {
        return node.arguments[0];
    }
    const bool turns = node.op == Op::f_add || node.op == Op::f_mul;
    if (turns && graph.value_of(node.arguments[0]) == neutral) {
        return node.arguments[1];
    }
    return std::nullopt;
}

Found same_of_integers(Graph& graph, const Node& node) {
    const std::optional<Word> a = graph.value_of(node.arguments[0]);
    const std::optional<Word> b = graph.value_of(node.arguments[1]);
    switch (node.op) {
    case Op::i_add:
    case Op::i_or:
    case Op::i_xor:
        if (a == Word{0}) {
            return node.arguments[1];
        }
        [[fallthrough]];
    case Op::i_sub:
    case Op::shift_left:
    case Op::shift_right:
    case Op::shift_right_signed: return b == Word{0} ? Found(node.arguments[0]) : std::nullopt;
    case Op::i_mul:
        if (a == Word{0} || b == Word{0}) {
            return graph.constant_integer(0);
        }
        if (a == Word{1}) {
            return node.arguments[1];
        }
        return b == Word{1} ? Found(node.arguments[0]) : std::nullopt;
    case Op::i_and:
        if (a == Word{0} || b == Word{0}) {
            return graph.constant_integer(0);
        }
        return std::nullopt;
    default: return std::nullopt;
    }
}

/// Comparisons that hold, or fail, for all values of their sides.
Found decided_by_ranges(Graph& graph, const Node& node) {
    const Range a = graph.range_of(node.arguments[0]);
    const Range b = graph.range_of(node.arguments[1]);
    switch (node.op) {
    case Op::s_less:
        if (a.high < b.low) {
            return graph.constant_boolean(true);
        }
        return a.low >= b.high ? Found(graph.constant_boolean(false)) : std::nullopt;
    case Op::s_less_equal:
        if (a.high <= b.low) {
            return graph.constant_boolean(true);
        }
        return a.low > b.high ? Found(graph.constant_boolean(false)) : std::nullopt;
    case Op::u_less:
    case Op::u_less_equal: {
        if (a.low < 0 || b.low < 0) {
            return std::nullopt;
        }
        Node signed_node = node;
        signed_node.op = node.op == Op::u_less ? Op::s_less : Op::s_less_equal;
        return decided_by_ranges(graph, signed_node);
    }
    case Op::i_equal:
    case Op::i_not_equal:
        if (node.arguments[0] == node.arguments[1]) {
            return graph.constant_boolean(node.op == Op::i_equal);
        }
        if (a.high < b.low || b.high < a.low) {
            return graph.constant_boolean(node.op == Op::i_not_equal);
        }
        return std::nullopt;
    default: return std::nullopt;
    }
}

/// Conversions there and back.
Found undone(const Graph& graph, const Node& node, Op inverse) {
    const Node& inner = graph[node.arguments[0]];
    return inner.op == inverse ? Found(inner.arguments[0]) : std::nullopt;
}

} // namespace

std::optional<NodeId> find_same(Graph& graph, const Node& node) {
    switch (node.op) {
    case Op::b_and:
    case Op::b_or: return same_of_logic(graph, node);
    case Op::select: return same_of_select(graph, node);
    case Op::b_not: return undone(graph, node, Op::b_not);
    case Op::f_neg: return undone(graph, node, Op::f_neg);
    case Op::real_bits: return undone(graph, node, Op::bits_real);
    case Op::bits_real: return undone(graph, node, Op::real_bits);
    case Op::f_add:
    case Op::f_sub:
    case Op::f_mul:
    case Op::f_div: return same_of_reals(graph, node);
    case Op::s_less:
    case Op::s_less_equal:
    case Op::u_less:
    case Op::u_less_equal:
    case Op::i_equal:
    case Op::i_not_equal: return decided_by_ranges(graph, node);
    default:
        return node.type == Scalar::integer && node.count == 2 ? same_of_integers(graph, node)
                                                               : std::nullopt;
    }
}

} // namespace weft::dag
