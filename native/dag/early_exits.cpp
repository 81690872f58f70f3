// SPDX-License-Identifier: Apache-2.0
// Ways out of loops.
#include "dag/flow.hpp"
#include "dag/opcodes.hpp"

#include <algorithm>
#include <map>

namespace weft::dag {

namespace {

/// True for a block that does nothing but choose where to go on.
bool is_bare_choice(const Block& block) {
    return block.terminator.opcode == spv::branch_conditional && block.continue_target == 0 &&
           block.body.empty();
}

} // namespace

/// A function that returns from a loop in a loop leaves the inner one with a truth value, which then leaves the outer one. Merged
/// with the others, ways that bring `true` would make the outer loop's counter a choice between it and the value returned.
/// Whatever lies behind the loop and uses a value of the block gets it from the edge, as one that outlived the loop.
Flow::Exits Flow::leave_loops(const Block& block, Edges& edges) {
    const Instruction& end = block.terminator;
    if (edges.size() < 2 || !is_bare_choice(block)) {
        return {};
    }
    const auto phi =
        std::find_if(block.phis.begin(), block.phis.end(),
                     [&](const Instruction& own) { return own.result == end.operands[0]; });
    if (phi == block.phis.end()) {
        return {};
    }
    const auto number = static_cast<std::size_t>(phi - block.phis.begin());
    const std::vector<Id> targets = targets_of(block);
    for (const bool truth : {true, false}) {
        const Id target = targets[truth ? 0 : 1];
        const bool is_left = std::any_of(m_active.begin(), m_active.end(), [&](Id header) {
            return m_module.block(header).merge == target;
        });
        const auto leaving =
            std::stable_partition(edges.begin(), edges.end(), [&](const Edge& edge) {
                return m_graph.value_of(edge.phis[number].at(0)) != Word{truth};
            });
        if (!is_left || target == block.merge || leaving == edges.begin() ||
            leaving == edges.end()) {
            continue;
        }
        const NodeId predicate = arrive(block, Edges(leaving, edges.end()));
        edges.erase(leaving, edges.end());
        Exits exits;
        exits[target].push_back(edge(block.label, target, predicate));
        return exits;
    }
    return {};
}

/// What a loop leaves is chosen round by round: while it runs, the values of this round, else those of the rounds before. So
/// rounds are equal, and few values live on.
void Flow::end_round(NodeId predicate, Edges leaving, Edges& after) {
    drop_dead(leaving);
    std::map<std::vector<int>, Edges> apart;
    for (Edge& edge : leaving) {
        apart[truths_of(edge)].push_back(std::move(edge));
    }
    for (const auto& [truths, edges] : apart) {
        Edge own = merged(edges);
        const auto earlier = std::find_if(after.begin(), after.end(), [&](const Edge& edge) {
            return truths_of(edge) == truths;
        });
        if (earlier == after.end()) {
            after.push_back(std::move(own));
            continue;
        }
        const NodeId left = m_graph.make(Op::b_or, {earlier->predicate, own.predicate});
        earlier->predicate = m_graph.make(Op::b_not, {predicate});
        *earlier = merged({std::move(*earlier), std::move(own)});
        earlier->predicate = left;
    }
}

/// The truth values that a way brings with it, which keep it apart from others: see leave_loops().
std::vector<int> Flow::truths_of(const Edge& edge) const {
    constexpr int kUnknown = 2;
    std::vector<int> truths;
    for (const Leaves& leaves : edge.phis) {
        const bool is_truth = leaves.size() == 1 && m_graph[leaves[0]].type == Scalar::boolean;
        const std::optional<Word> value =
            is_truth ? m_graph.value_of(leaves[0]) : std::optional<Word>();
        truths.push_back(value.has_value() ? static_cast<int>(*value) : kUnknown);
    }
    return truths;
}

} // namespace weft::dag
