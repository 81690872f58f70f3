// SPDX-License-Identifier: Apache-2.0
// The structured control flow, executed with symbols.
#pragma once

#include "dag/build.hpp"
#include "dag/instructions.hpp"

#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace weft::dag {

class Flow {
public:
    Flow(const SpirvModule& module, Function& function, const BuildOptions& options);

    /// Runs the function from its beginning.
    void run();

private:
    /// A way from one block to another, with all that differs from way to way.
    struct Edge {
        Id from = 0;
        NodeId predicate = 0;
        std::vector<Leaves> phis; ///< of the block that it leads to, in their order
        Memory memory;
        std::map<Id, Leaves> outlived; ///< values of loops that it leaves, which are used outside
    };
    using Edges = std::vector<Edge>;
    /// Ways to the blocks at which a construct ends.
    using Exits = std::map<Id, Edges>;

    /// What a loop's blocks are, and which of their values are used elsewhere.
    struct Loop {
        std::unordered_set<Id> blocks;
        std::vector<Id> outlived;
    };

    void find_loops();
    [[nodiscard]] Loop loop_at(const Block& header) const;
    [[nodiscard]] std::unordered_set<Id> blocks_of_loop(const Block& header) const;

    /// Runs from block `label` until all ways have come to a block at which one of the constructs around ends.
    [[nodiscard]] Exits run_from(Id label, Edges edges);
    [[nodiscard]] Exits run_loop(const Block& header, NodeId predicate, Edges& after);
    [[nodiscard]] Exits run_construct(const Block& block, NodeId predicate, Edges& after);
    /// Runs what a terminator leads to, each way on its own.
    [[nodiscard]] Exits take_branches(const Block& block, NodeId predicate);
    [[nodiscard]] Exits run_targets(const std::vector<Id>& order, Exits edges);

    /// Takes the ways out of `edges` that leave a loop by the block's branch, whatever the others do.
    [[nodiscard]] Exits leave_loops(const Block& block, Edges& edges);

    [[nodiscard]] Edge edge(Id from, Id to, NodeId predicate);
    /// @throws SpirvError if a way has not as many values as there are phis.
    static void check_phis(const Edge& edge, std::size_t count);
    [[nodiscard]] Edge merged(const Edges& edges);
    /// Sets the values that ways bring to a block; returns when one of them is taken.
    [[nodiscard]] NodeId arrive(const Block& block, const Edges& edges);
    /// Notes the integer inputs on which a predicate depends. @param seen nodes that need no look
    void note_bounds(NodeId predicate, std::unordered_set<NodeId>& seen);
    void begin_round(const Block& header, const Edges& back, NodeId predicate);
    /// @param after what has left the loop so far, as a way for each set of truth values; empty at first
    void end_round(NodeId predicate, Edges leaving, Edges& after);
    [[nodiscard]] std::vector<int> truths_of(const Edge& edge) const;
    void run_body(const Block& block, NodeId predicate);

    [[nodiscard]] SourcePosition position_of(const Block& header) const;
    [[nodiscard]] LoopBound bound_of(const Block& header) const;
    [[noreturn]] void refuse_loop(const Block& header, const LoopBound& bound);
    [[nodiscard]] bool is_stop(Id block) const;
    static void append(Exits& to, Exits&& from);
    void drop_dead(Edges& edges);

    class Depth;

    const SpirvModule& m_module;
    const BuildOptions& m_options;
    Instructions m_instructions;
    Graph& m_graph;
    std::set<std::uint32_t>& m_loop_bounds;
    std::unordered_map<Id, Loop> m_loops; ///< by header
    std::vector<Id> m_active;             ///< headers of the loops that are running
    /// File and first line of the same loops, line 0 where nothing bounds them.
    std::vector<std::pair<std::uint32_t, std::uint32_t>> m_bounded;
    std::unordered_map<Id, int> m_stops; ///< how many constructs around end there
    std::uint64_t m_noted =
        0; ///< integers among the loops' bounds, as Graph::integers_of() has them
    int m_depth = 0;
    std::uint64_t m_steps = 0; ///< blocks that were run
};

} // namespace weft::dag
