// SPDX-License-Identifier: Apache-2.0
#include "dag/flow.hpp"
#include "dag/opcodes.hpp"

#include <algorithm>

namespace weft::dag {

/// A function that returns from a loop in a loop leaves the inner one with a truth value, which then leaves the outer one. Merged
/// with the others, ways that bring `true` would make the outer loop's counter a choice between it and the value returned.
/// Whatever lies behind the loop and uses a value of the block gets it from the edge, as one that outlived the loop.
Flow::Exits Flow::leave_loops(const Block& block, Edges& edges) {
    const Instruction& end = block.terminator;
    if (edges.size() < 2 || end.opcode != spv::branch_conditional || block.continue_target != 0 ||
        !block.body.empty()) {
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

} // namespace weft::dag
