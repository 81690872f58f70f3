// SPDX-License-Identifier: Apache-2.0
// From the structured control flow of SPIR-V to constructs, loops and exits.
#include "core/text.hpp"
#include "dag/opcodes.hpp"
#include "lower/osl_instructions.hpp"
#include "lower/osl_program.hpp"

#include <map>

namespace weft::lower::osl {

namespace spv = dag::spv;
using core::text;
using dag::Block;
using dag::Id;
using dag::SpirvError;

namespace {

constexpr int kMaxDepth = 200;             // of constructs in each other
constexpr std::size_t kMaxBlocks = 20'000; // those that are reached on two ways count twice

class Flow {
public:
    Flow(const dag::SpirvModule& module, Program& program)
        : m_module(module), m_program(program), m_instructions(module, program) {}

    void run() { run_from(m_module.blocks.front().label, m_program.body); }

private:
    /// Counts blocks as stops for as long as it lives.
    class Stops {
    public:
        Stops(Flow& flow, std::initializer_list<Id> stops) : m_flow(flow), m_stops(stops) {
            if (++m_flow.m_depth > kMaxDepth) {
                throw core::ArgumentError(
                    text("lower: branches and loops stand in each other more than ", kMaxDepth,
                         " deep; move the inner ones out"));
            }
            for (const Id id : m_stops) {
                m_flow.m_stops[id]++;
            }
        }
        ~Stops() {
            m_flow.m_depth--;
            for (const Id id : m_stops) {
                m_flow.m_stops[id]--;
            }
        }
        Stops(const Stops&) = delete;
        Stops& operator=(const Stops&) = delete;

    private:
        Flow& m_flow;
        std::vector<Id> m_stops;
    };

    [[nodiscard]] bool is_stop(Id label) const {
        const auto found = m_stops.find(label);
        return found != m_stops.end() && found->second > 0;
    }

    void exit_to(Id label, Statements& out) {
        Statement exit{StatementKind::exit};
        exit.label = label;
        m_exits[label]++;
        out.push_back(std::move(exit));
    }

    /// What runs from a block on until a block at which a construct around ends.
    void run_from(Id label, Statements& out) {
        const Stops depth(*this, {});
        while (true) {
            if (is_stop(label)) {
                exit_to(label, out);
                return;
            }
            if (++m_blocks > kMaxBlocks) {
                throw core::ArgumentError(text("lower: the function has more than ", kMaxBlocks,
                                               " blocks; make it shorter"));
            }
            const Block& block = m_module.block(label);
            const bool begins_construct =
                block.continue_target != 0 ||
                (block.merge != 0 && block.terminator.opcode != spv::branch);
            if (begins_construct) {
                const std::size_t before = m_exits[block.merge];
                out.push_back(block.continue_target != 0 ? loop(block) : construct(block, out));
                if (m_exits[block.merge] == before) {
                    return; // All ways out lead elsewhere.
                }
                label = block.merge;
                continue;
            }
            run_body(block, out);
            if (block.terminator.opcode != spv::branch) {
                branch(block, out);
                return;
            }
            const Id next = dag::targets_of(block).front();
            assign_phis(block, next, out);
            label = next;
        }
    }

    void run_body(const Block& block, Statements& out) {
        m_instructions.begin_block();
        for (const dag::Instruction& phi : block.phis) {
            static_cast<void>(m_instructions.variables_of(phi));
        }
        for (const dag::Instruction& instruction : block.body) {
            m_instructions.append(instruction, out);
        }
    }

    /// The block itself goes before the construct.
    Statement construct(const Block& block, Statements& out) {
        run_body(block, out);
        Statement made{StatementKind::construct};
        made.label = block.merge;
        made.bodies.resize(1);
        const Stops stops(*this, {block.merge});
        branch(block, made.bodies[0]);
        return made;
    }

    Statement loop(const Block& header) {
        Statement made{StatementKind::loop};
        made.label = header.merge;
        made.continue_label = header.continue_target;
        made.header = header.label;
        made.bodies.resize(2);
        const std::size_t before = m_exits[header.continue_target];
        {
            const Stops stops(*this, {header.merge, header.continue_target, header.label});
            run_body(header, made.bodies[0]);
            branch(header, made.bodies[0]);
        }
        const bool goes_on = m_exits[header.continue_target] != before;
        if (goes_on && header.continue_target != header.label) {
            const Stops stops(*this, {header.merge, header.label});
            run_from(header.continue_target, made.bodies[1]);
        }
        return made;
    }

    void go(const Block& block, Id target, Statements& out) {
        assign_phis(block, target, out);
        run_from(target, out);
    }

    /// What a block's terminator leads to.
    void branch(const Block& block, Statements& out) {
        switch (block.terminator.opcode) {
        case spv::branch: go(block, dag::targets_of(block).front(), out); return;
        case spv::branch_conditional: branch_conditional(block, out); return;
        case spv::switch_: branch_switch(block, out); return;
        case spv::return_:
        case spv::unreachable: exit_to(kEnd, out); return;
        default:
            throw core::ArgumentError(
                "lower: the function discards or ends the thread; a shader has a value for every "
                "point, return one");
        }
    }

    void branch_conditional(const Block& block, Statements& out) {
        const std::vector<Id> targets = dag::targets_of(block);
        const NodeId condition = m_instructions.scalar(block.terminator.operands[0]);
        check_type(condition, dag::Scalar::boolean);
        if (const auto known = m_program.graph().value_of(condition)) {
            go(block, targets[*known != 0 ? 0 : 1], out);
            return;
        }
        Statement choice{StatementKind::choice};
        choice.values = {condition};
        choice.bodies.resize(2);
        go(block, targets[0], choice.bodies[0]);
        go(block, targets[1], choice.bodies[1]);
        out.push_back(std::move(choice));
    }

    void branch_switch(const Block& block, Statements& out) {
        dag::Graph& graph = m_program.graph();
        const std::vector<std::uint32_t>& words = block.terminator.operands;
        const std::vector<Id> targets = dag::targets_of(block);
        const NodeId selector = m_instructions.scalar(words[0]);
        check_type(selector, dag::Scalar::integer);
        std::map<Id, std::size_t> places; // Cases that lead to the same block are one.
        std::vector<Id> order;
        Statement choice{StatementKind::choice};
        for (std::size_t i = 1; i < targets.size(); i++) {
            const NodeId is_it =
                graph.make(dag::Op::i_equal, {selector, graph.constant_integer(words[2 * i])});
            if (targets[i] == targets[0]) {
                continue;
            }
            const auto [place, is_new] = places.emplace(targets[i], order.size());
            if (is_new) {
                order.push_back(targets[i]);
                choice.values.push_back(is_it);
            } else {
                NodeId& condition = choice.values[place->second];
                condition = graph.make(dag::Op::b_or, {condition, is_it});
            }
        }
        choice.bodies.resize(order.size() + 1);
        for (std::size_t i = 0; i < order.size(); i++) {
            go(block, order[i], choice.bodies[i]);
        }
        go(block, targets[0], choice.bodies.back());
        if (order.empty()) {
            std::move(choice.bodies[0].begin(), choice.bodies[0].end(), std::back_inserter(out));
            return;
        }
        out.push_back(std::move(choice));
    }

    void check_type(NodeId id, dag::Scalar type) const {
        if (m_program.graph()[id].type != type) {
            throw SpirvError("spirv: a branch on a value of another type");
        }
    }

    /// Sets what a block's phis become on the way from another one.
    void assign_phis(const Block& from, Id to, Statements& out) {
        Statement made{StatementKind::assign};
        for (const dag::Instruction& phi : m_module.block(to).phis) {
            const dag::Leaves leaves = m_instructions.value(value_from(phi, from.label));
            const dag::Leaves& variables = m_instructions.variables_of(phi);
            if (leaves.size() != variables.size()) {
                throw SpirvError("spirv: a phi has a value of another type");
            }
            for (std::size_t k = 0; k < leaves.size(); k++) {
                check_type(leaves[k], m_program.graph()[variables[k]].type);
                if (leaves[k] != variables[k]) {
                    made.targets.push_back(variables[k]);
                    made.values.push_back(leaves[k]);
                }
            }
        }
        if (!made.targets.empty()) {
            out.push_back(std::move(made));
        }
    }

    static Id value_from(const dag::Instruction& phi, Id from) {
        for (std::size_t i = 0; i + 1 < phi.operands.size(); i += 2) {
            if (phi.operands[i + 1] == from) {
                return phi.operands[i];
            }
        }
        throw SpirvError("spirv: a phi has no value for one of its ways");
    }

    const dag::SpirvModule& m_module;
    Program& m_program;
    ProgramInstructions m_instructions;
    std::map<Id, int> m_stops;
    std::map<Id, std::size_t> m_exits; ///< how many have been made, by where they lead
    std::size_t m_blocks = 0;
    int m_depth = 0;
};

} // namespace

Program read_program(const dag::SpirvModule& module) {
    Program program;
    try {
        Flow(module, program).run();
    } catch (const core::ArgumentError& error) {
        dag::refuse_at(error, program.graph().position(), module.files);
    }
    return program;
}

} // namespace weft::lower::osl
