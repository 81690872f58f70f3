// SPDX-License-Identifier: Apache-2.0
#include "dag/flow.hpp"

#include "core/text.hpp"
#include "dag/opcodes.hpp"

#include <algorithm>

namespace weft::dag {

using core::text;

namespace {

constexpr int kMaxDepth = 200; // of constructs in each other
constexpr std::uint64_t kMaxSteps =
    2'000'000; // blocks run: constants alone make no nodes that end it

/// True for the header of a loop, an `if` or a `switch`.
bool begins_construct(const Block& block) {
    return block.continue_target != 0 ||
           (block.merge != 0 && block.terminator.opcode != spv::branch);
}

} // namespace

/// Counts a block as a stop for as long as it lives.
class Flow::Depth {
public:
    Depth(Flow& flow, std::vector<Id> stops) : m_flow(flow), m_stops(std::move(stops)) {
        for (const Id id : m_stops) {
            m_flow.m_stops[id]++;
        }
    }
    ~Depth() {
        for (const Id id : m_stops) {
            m_flow.m_stops[id]--;
        }
    }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

private:
    Flow& m_flow;
    std::vector<Id> m_stops;
};

Flow::Flow(const SpirvModule& module, Function& function, const BuildOptions& options)
    : m_module(module), m_options(options), m_instructions(module, function),
      m_graph(function.graph), m_loop_bounds(function.loop_bounds) {
    find_loops();
}

void Flow::run() {
    Edge start;
    start.predicate = m_graph.constant_boolean(true);
    start.memory = m_instructions.memory();
    static_cast<void>(run_from(m_module.blocks.front().label, {start}));
    m_instructions.finish();
}

void Flow::find_loops() {
    for (const Block& block : m_module.blocks) {
        if (block.continue_target != 0) {
            m_loops[block.label] = loop_at(block);
        }
    }
}

std::unordered_set<Id> Flow::blocks_of_loop(const Block& header) const {
    std::unordered_set<Id> blocks;
    std::vector<Id> open{header.label};
    while (!open.empty()) {
        const Id label = open.back();
        open.pop_back();
        if (label == header.merge || !blocks.insert(label).second) {
            continue;
        }
        const std::vector<Id> next = targets_of(m_module.block(label));
        open.insert(open.end(), next.begin(), next.end());
    }
    return blocks;
}

Flow::Loop Flow::loop_at(const Block& header) const {
    Loop loop;
    loop.blocks = blocks_of_loop(header);
    std::unordered_set<Id> made;
    for (const Id label : loop.blocks) {
        const Block& block = m_module.block(label);
        for (const auto* instructions : {&block.phis, &block.body}) {
            for (const Instruction& instruction : *instructions) {
                made.insert(instruction.result);
            }
        }
    }
    // A word may equal an id by chance: one value too many is kept then.
    std::unordered_set<Id> outlived;
    const auto look = [&](const Instruction& instruction) {
        for (const std::uint32_t word : instruction.operands) {
            if (made.contains(word)) {
                outlived.insert(word);
            }
        }
    };
    for (const Block& block : m_module.blocks) {
        if (!loop.blocks.contains(block.label)) {
            std::for_each(block.phis.begin(), block.phis.end(), look);
            std::for_each(block.body.begin(), block.body.end(), look);
            look(block.terminator);
        }
    }
    loop.outlived.assign(outlived.begin(), outlived.end());
    std::sort(loop.outlived.begin(), loop.outlived.end());
    return loop;
}

bool Flow::is_stop(Id block) const {
    const auto found = m_stops.find(block);
    return found != m_stops.end() && found->second > 0;
}

void Flow::append(Exits& to, Exits&& from) {
    for (auto& [block, edges] : from) {
        Edges& all = to[block];
        std::move(edges.begin(), edges.end(), std::back_inserter(all));
    }
}

void Flow::drop_dead(Edges& edges) {
    std::erase_if(edges, [&](const Edge& edge) { return m_graph.is_false(edge.predicate); });
}

Flow::Edge Flow::edge(Id from, Id to, NodeId predicate) {
    Edge made;
    made.from = from;
    made.predicate = predicate;
    made.memory = m_instructions.memory();
    for (const Instruction& phi : m_module.block(to).phis) {
        const std::vector<std::uint32_t>& words = phi.operands;
        Leaves leaves;
        bool is_found = false;
        for (std::size_t i = 0; i + 1 < words.size() && !is_found; i += 2) {
            if (words[i + 1] == from) {
                leaves = m_instructions.value(words[i]);
                is_found = true;
            }
        }
        if (!is_found) {
            throw SpirvError("spirv: a phi has no value for one of its ways");
        }
        made.phis.push_back(std::move(leaves));
    }
    for (const Id header : m_active) {
        const Loop& loop = m_loops.at(header);
        if (loop.blocks.contains(to)) {
            continue;
        }
        for (const Id id : loop.outlived) {
            if (m_instructions.has_value(id)) {
                made.outlived[id] = m_instructions.value(id);
            }
        }
    }
    return made;
}

void Flow::check_phis(const Edge& edge, std::size_t count) {
    if (edge.phis.size() != count) {
        throw SpirvError("spirv: a way leads to another block than it brings values for");
    }
}

/// One way instead of several to the same block.
Flow::Edge Flow::merged(const Edges& edges) {
    Edge all = edges.back();
    all.predicate = edges.front().predicate;
    for (const Edge& edge : edges) {
        check_phis(edge, all.phis.size());
    }
    for (const Edge& edge : std::span(edges).subspan(1)) {
        all.predicate = m_graph.make(Op::b_or, {all.predicate, edge.predicate});
    }
    // From the last to the first: the condition of the first way is asked first.
    const auto choose = [&](Leaves& leaves, const auto& leaves_of) {
        for (std::size_t i = edges.size() - 1; i-- > 0;) {
            if (const Leaves* other = leaves_of(edges[i])) {
                leaves = m_instructions.select(edges[i].predicate, *other, leaves);
            }
        }
    };
    const auto choose_all = [&](auto& values, auto Edge::* member) {
        for (auto& [id, leaves] : values) {
            choose(leaves, [&, key = id](const Edge& edge) -> const Leaves* {
                const auto own = (edge.*member).find(key);
                return own == (edge.*member).end() ? nullptr : &own->second;
            });
        }
    };
    choose_all(all.memory, &Edge::memory);
    choose_all(all.outlived, &Edge::outlived);
    for (std::size_t k = 0; k < all.phis.size(); k++) {
        choose(all.phis[k], [k](const Edge& edge) { return &edge.phis[k]; });
    }
    return all;
}

NodeId Flow::arrive(const Block& block, const Edges& edges) {
    Edge all = merged(edges);
    check_phis(all, block.phis.size());
    m_instructions.memory() = std::move(all.memory);
    for (auto& [id, leaves] : all.outlived) {
        m_instructions.set(id, std::move(leaves));
    }
    for (std::size_t k = 0; k < block.phis.size(); k++) {
        m_instructions.set_type(block.phis[k].result, block.phis[k].type);
        m_instructions.set(block.phis[k].result, std::move(all.phis[k]));
    }
    return all.predicate;
}

void Flow::run_body(const Block& block, NodeId predicate) {
    for (const Instruction& instruction : block.body) {
        m_instructions.run(instruction, predicate);
    }
}

Flow::Exits Flow::run_from(Id label, Edges edges) {
    Exits exits;
    if (++m_depth > kMaxDepth) {
        throw core::ArgumentError(
            "lower: branches and loops stand in each other more than 200 deep");
    }
    while (true) {
        drop_dead(edges);
        if (edges.empty()) {
            break;
        }
        if (is_stop(label)) {
            std::move(edges.begin(), edges.end(), std::back_inserter(exits[label]));
            break;
        }
        if (++m_steps > kMaxSteps) {
            refuse(
                "loops have more than 2 million rounds and branches in all, whose values are all "
                "known; give them fewer rounds, or use OSL");
        }
        const Block& block = m_module.block(label);
        append(exits, leave_loops(block, edges));
        const NodeId predicate = arrive(block, edges);
        run_body(block, predicate);
        if (begins_construct(block)) {
            Edges after;
            append(exits, block.continue_target != 0 ? run_loop(block, predicate, after)
                                                     : run_construct(block, predicate, after));
            edges = std::move(after);
            label = block.merge;
            continue;
        }
        if (block.terminator.opcode == spv::branch) {
            const Id next = targets_of(block).front();
            edges = {edge(label, next, predicate)};
            label = next;
            continue;
        }
        append(exits, take_branches(block, predicate));
        break;
    }
    m_depth--;
    return exits;
}

Flow::Exits Flow::run_construct(const Block& block, NodeId predicate, Edges& after) {
    const Depth depth(*this, {block.merge});
    Exits exits = take_branches(block, predicate);
    after = std::move(exits[block.merge]);
    exits.erase(block.merge);
    return exits;
}

Flow::Exits Flow::run_loop(const Block& header, NodeId predicate, Edges& after) {
    Exits exits;
    Edges leaving; // the loop in this round
    const auto keep = [&](Exits&& found, Id inner) {
        Edges next = std::move(found[inner]);
        found.erase(inner);
        std::move(found[header.merge].begin(), found[header.merge].end(),
                  std::back_inserter(leaving));
        found.erase(header.merge);
        append(exits, std::move(found));
        drop_dead(next);
        return next;
    };
    m_active.push_back(header.label);
    std::unordered_set<NodeId> seen{predicate}; // what leads to the loop bounds no loop
    const LoopBound bound = bound_of(header);
    m_bounded.emplace_back(position_of(header).file, bound.begin);
    for (std::uint32_t round = 0;; round++) {
        if (round > m_options.most_rounds) {
            refuse_loop(header, bound);
        }
        Edges back;
        {
            const Depth depth(*this, {header.merge, header.continue_target});
            back = keep(take_branches(header, predicate), header.continue_target);
        }
        if (!back.empty() && header.continue_target != header.label) {
            const Depth depth(*this, {header.merge, header.label});
            back = keep(run_from(header.continue_target, std::move(back)), header.label);
        }
        end_round(predicate, std::move(leaving), after);
        leaving.clear();
        if (back.empty() || round == bound.rounds) {
            break;
        }
        predicate = back.front().predicate;
        for (const Edge& edge : std::span(back).subspan(1)) {
            predicate = m_graph.make(Op::b_or, {predicate, edge.predicate});
        }
        note_bounds(predicate, seen);
        begin_round(header, back, predicate);
        run_body(header, predicate);
    }
    m_active.pop_back();
    m_bounded.pop_back();
    return exits;
}

void Flow::note_bounds(NodeId predicate, std::unordered_set<NodeId>& seen) {
    std::vector<NodeId> open{predicate};
    while (!open.empty()) {
        const NodeId id = open.back();
        open.pop_back();
        const std::uint64_t integers = m_graph.integers_of(id);
        if ((integers & ~m_noted) == 0 || !seen.insert(id).second) {
            continue;
        }
        const Node& node = m_graph[id];
        if (node.op == Op::input && node.type != Scalar::real) {
            m_loop_bounds.insert(node.payload);
            m_noted |= Graph::has_own_bit(node.payload) ? integers : 0;
        }
        open.insert(open.end(), node.arguments.begin(), node.arguments.begin() + node.count);
    }
}

/// Where the first operation of a loop stands, that of its condition: the header itself has no line.
SourcePosition Flow::position_of(const Block& header) const {
    const Block* block = &header;
    for (std::size_t i = 0; i < m_module.blocks.size(); i++) {
        for (const Instruction& instruction : block->body) {
            if (instruction.position.line != 0) {
                return instruction.position;
            }
        }
        const bool goes_on = block->terminator.opcode == spv::branch;
        if (block->terminator.position.line != 0 || !goes_on) {
            return block->terminator.position;
        }
        block = &m_module.blocks[m_module.block_index.at(targets_of(*block).front())];
        if (block->continue_target != 0) {
            break; // another loop
        }
    }
    return {};
}

/// What [MaxIters(n)] says of a loop, else more rounds than there may be.
LoopBound Flow::bound_of(const Block& header) const {
    LoopBound bound;
    const SourcePosition position = position_of(header);
    const auto found = position.line == 0
                           ? m_options.bounds.end()
                           : m_options.bounds.find({m_module.files[position.file], position.line});
    if (found != m_options.bounds.end()) {
        bound = found->second;
        const std::pair loop(position.file, bound.begin);
        const bool is_inside =
            std::find(m_bounded.begin(), m_bounded.end(), loop) != m_bounded.end();
        if (bound.problem.empty() && is_inside) {
            bound.problem = "it is not known which of two loops has [MaxIters(n)]; give the outer "
                            "one a condition, as in for (int i = 0; i < n; i++)";
        }
    }
    if (found == m_options.bounds.end() || !bound.problem.empty()) {
        bound.rounds = m_options.most_rounds + 1;
    }
    return bound;
}

void Flow::refuse_loop(const Block& header, const LoopBound& bound) {
    m_graph.set_position(position_of(header));
    if (!bound.problem.empty()) {
        refuse(bound.problem);
    }
    refuse(text("a loop may have more than ", m_options.most_rounds,
                " rounds; fix the parameter that bounds it (octaves=5), bound it as in "
                "for (int i = 0; i < clamp(n, 1, 16); i++) or by [MaxIters(16)], or use OSL"));
}

/// State of a loop that has ended stays as it was: it may overflow in the rounds that do not count, and a Mix node would
/// multiply infinity by 0.
void Flow::begin_round(const Block& header, const Edges& back, NodeId predicate) {
    std::vector<Leaves> old;
    old.reserve(header.phis.size());
    for (const Instruction& phi : header.phis) {
        old.push_back(m_instructions.value(phi.result));
    }
    static_cast<void>(arrive(header, back));
    if (m_graph.value_of(predicate).has_value()) {
        return;
    }
    for (std::size_t k = 0; k < header.phis.size(); k++) {
        Leaves leaves = m_instructions.value(header.phis[k].result);
        for (std::size_t i = 0; i < leaves.size(); i++) {
            if (!m_graph.value_of(leaves[i]).has_value()) {
                leaves[i] = m_graph.select(predicate, leaves[i], old[k][i]);
            }
        }
        m_instructions.set(header.phis[k].result, std::move(leaves));
    }
}

Flow::Exits Flow::take_branches(const Block& block, NodeId predicate) {
    const std::vector<std::uint32_t>& words = block.terminator.operands;
    std::vector<std::pair<Id, NodeId>> ways;
    const auto both = [&](NodeId a, NodeId b) { return m_graph.make(Op::b_and, {a, b}); };
    const auto contrary = [&](NodeId a) { return m_graph.make(Op::b_not, {a}); };
    const std::vector<Id> targets = targets_of(block);
    switch (block.terminator.opcode) {
    case spv::branch: ways.emplace_back(targets[0], predicate); break;
    case spv::branch_conditional: {
        const NodeId condition = m_instructions.scalar(words[0]);
        ways.emplace_back(targets[0], both(predicate, condition));
        ways.emplace_back(targets[1], both(predicate, contrary(condition)));
        break;
    }
    case spv::switch_: {
        const NodeId selector = m_instructions.scalar(words[0]);
        NodeId rest = predicate;
        for (std::size_t i = 2; i + 1 < words.size(); i += 2) {
            const NodeId is_it =
                m_graph.make(Op::i_equal, {selector, m_graph.constant_integer(words[i])});
            ways.emplace_back(words[i + 1], both(rest, is_it));
            rest = both(rest, contrary(is_it));
        }
        ways.emplace_back(targets[0], rest);
        break;
    }
    case spv::return_:
    case spv::unreachable: return {};
    default:
        throw core::ArgumentError("lower: the function discards or ends the thread; nodes have a "
                                  "value for every point, return one");
    }
    // Cases that lead to the same block are one way there.
    std::map<Id, Edges> edges;
    std::vector<Id> order;
    for (const auto& [target, taken] : ways) {
        if (m_graph.is_false(taken)) {
            continue;
        }
        if (!edges.contains(target)) {
            order.push_back(target);
        }
        edges[target].push_back(edge(block.label, target, taken));
    }
    return run_targets(order, std::move(edges));
}

/// A case that goes on in the next one comes to it there, and its ways are merged: what the next one makes may be used behind
/// both, without a phi.
Flow::Exits Flow::run_targets(const std::vector<Id>& order, Exits edges) {
    Exits exits;
    std::unordered_set<Id> open(order.begin(), order.end());
    for (const Id target : order) {
        open.erase(target);
        Exits found;
        {
            const Depth depth(*this, {open.begin(), open.end()});
            found = run_from(target, std::move(edges[target]));
        }
        for (const Id other : open) {
            Edges& all = edges[other];
            std::move(found[other].begin(), found[other].end(), std::back_inserter(all));
            found.erase(other);
        }
        append(exits, std::move(found));
    }
    return exits;
}

} // namespace weft::dag
