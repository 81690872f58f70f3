// SPDX-License-Identifier: Apache-2.0
#include "dag/inline.hpp"

#include "core/text.hpp"
#include "dag/opcodes.hpp"

#include <algorithm>
#include <utility>

namespace weft::dag {

using core::text;

namespace {

constexpr std::size_t kMaxBlocks = 20'000;
constexpr int kMaxDepth = 64; // of calls in each other

/// Whether a word of an instruction is an id, not a number.
bool is_id(const Instruction& i, std::size_t index) {
    switch (i.opcode) {
    case spv::load:
    case spv::composite_extract:
    case spv::loop_merge: return index < 1;
    case spv::store:
    case spv::composite_insert:
    case spv::vector_shuffle: return index < 2;
    case spv::branch_conditional: return index < 3;
    case spv::switch_: return index < 2 || index % 2 == 1;
    case spv::variable: return index == 1;
    case spv::ext_inst: return index != 1;
    case spv::image_sample_implicit_lod:
    case spv::image_sample_explicit_lod: return index != 2;
    default: return true;
    }
}

bool returns(const Block& block) {
    const Instruction& last = block.terminator;
    if (last.opcode == spv::return_value && last.operands.empty()) {
        throw SpirvError("spirv: a function returns nothing");
    }
    return last.opcode == spv::return_ || last.opcode == spv::return_value;
}

template <typename AnyBlock, typename Work>
void for_each_instruction(AnyBlock& block, const Work& work) {
    std::for_each(block.phis.begin(), block.phis.end(), work);
    std::for_each(block.body.begin(), block.body.end(), work);
}

class Inliner {
public:
    Inliner(SpirvModule& module, const SpirvFunctions& functions)
        : m_module(module), m_functions(functions), m_next(first_free()) {}

    void run(Id entry) {
        m_module.blocks = expanded(function(entry).blocks, entry);
        std::vector<Instruction>& first = m_module.blocks.front().body;
        first.insert(first.begin(), m_variables.begin(), m_variables.end());
        for (std::size_t i = 0; i < m_module.blocks.size(); i++) {
            m_module.block_index[m_module.blocks[i].label] = i;
        }
    }

private:
    using Renamed = std::unordered_map<Id, Id>;

    /// Counted, because the header's bound may be damaged.
    [[nodiscard]] Id first_free() const {
        Id highest = 0;
        const auto count = [&](const auto& map) {
            for (const auto& [id, entry] : map) {
                highest = std::max(highest, id);
            }
        };
        count(m_module.types);
        count(m_module.constants);
        count(m_module.variables);
        count(m_module.imports);
        for (const auto& [id, function] : m_functions) {
            for (const Block& block : function.blocks) {
                highest = std::max(highest, block.label);
                for_each_instruction(
                    block, [&](const Instruction& i) { highest = std::max(highest, i.result); });
            }
        }
        return highest + 1;
    }

    [[nodiscard]] const SpirvFunction& function(Id id) const {
        const auto found = m_functions.find(id);
        if (found == m_functions.end() || found->second.blocks.empty()) {
            throw SpirvError(text("spirv: there is no function ", id));
        }
        return found->second;
    }

    /// Blocks of function `id` without calls.
    std::vector<Block> expanded(std::vector<Block> blocks, Id id) {
        if (std::find(m_active.begin(), m_active.end(), id) != m_active.end() ||
            m_active.size() > kMaxDepth) {
            throw core::ArgumentError("lower: a function calls itself; nodes have no recursion, "
                                      "write it as a loop");
        }
        m_active.push_back(id);
        std::vector<Block> made;
        for (Block& block : blocks) {
            expand(std::move(block), made);
            if (made.size() > kMaxBlocks) {
                throw core::ArgumentError(text("lower: the function has more than ", kMaxBlocks,
                                               " blocks; make it shorter"));
            }
        }
        m_active.pop_back();
        // A block that a call has split is entered by its first part and left by its last.
        for (Block& block : made) {
            for (Instruction& phi : block.phis) {
                for (std::size_t k = 1; k < phi.operands.size(); k += 2) {
                    const auto last = m_last_parts.find(phi.operands[k]);
                    phi.operands[k] = last == m_last_parts.end() ? phi.operands[k] : last->second;
                }
            }
        }
        return made;
    }

    void expand(Block block, std::vector<Block>& made) {
        const Id label = block.label;
        Block open = block;
        open.body.clear();
        for (Instruction& i : block.body) {
            if (i.opcode == spv::function_call) {
                call(i, open, made);
            } else {
                open.body.push_back(std::move(i));
            }
        }
        if (open.label != label) {
            m_last_parts[label] = open.label;
        }
        made.push_back(std::move(open));
    }

    /// What is called comes behind `open`, which goes on in a new block unless the function is a single one.
    void call(const Instruction& i, Block& open, std::vector<Block>& made) {
        if (i.operands.empty()) {
            throw SpirvError("spirv: a call of nothing");
        }
        std::vector<Block> body = copy(i);
        if (body.size() == 1 && returns(body[0])) {
            std::move(body[0].body.begin(), body[0].body.end(), std::back_inserter(open.body));
            if (body[0].terminator.opcode == spv::return_value) {
                open.body.push_back(
                    {spv::copy_object, i.type, i.result, body[0].terminator.operands});
            }
            return;
        }
        Block rest;
        rest.label = m_next++;
        rest.terminator = open.terminator;
        Instruction result{spv::phi, i.type, i.result, {}};
        for (Block& own : body) {
            leave(own, rest.label, result);
        }
        if (!result.operands.empty()) {
            rest.phis.push_back(std::move(result));
        }
        enter(open, rest, body.front().label, made);
        std::move(body.begin(), body.end(), std::back_inserter(made));
        open = std::move(rest);
    }

    /// Ends `open` with the construct that the function is. The header of a loop stays one: the construct begins behind it.
    void enter(Block& open, Block& rest, Id first, std::vector<Block>& made) {
        if (open.continue_target != 0) {
            Block header = std::move(open);
            open = Block{};
            open.label = m_next++;
            open.body = std::move(header.body);
            header.body.clear();
            header.terminator = {spv::branch, 0, 0, {open.label}};
            made.push_back(std::move(header));
        } else {
            rest.merge = open.merge;
        }
        open.merge = rest.label;
        open.terminator = {spv::switch_, 0, 0, {zero(), first}};
        made.push_back(std::move(open));
    }

    /// Returns lead to the block behind the call.
    static void leave(Block& own, Id rest, Instruction& result) {
        if (!returns(own)) {
            return;
        }
        if (own.terminator.opcode == spv::return_value) {
            result.operands.push_back(own.terminator.operands[0]);
            result.operands.push_back(own.label);
        }
        own.terminator = {spv::branch, 0, 0, {rest}};
    }

    /// The function that is called, with ids of its own.
    std::vector<Block> copy(const Instruction& i) {
        const Id id = i.operands[0];
        const SpirvFunction& own = function(id);
        Renamed renamed;
        if (own.parameters.size() + 1 != i.operands.size()) {
            throw SpirvError("spirv: a call with another number of arguments");
        }
        for (std::size_t k = 0; k < own.parameters.size(); k++) {
            renamed[own.parameters[k]] = i.operands[k + 1];
        }
        std::vector<Block> blocks = own.blocks;
        for (const Block& block : blocks) {
            renamed[block.label] = m_next++;
            for_each_instruction(block, [&](const Instruction& inner) {
                if (inner.result != 0) {
                    renamed[inner.result] = m_next++;
                }
            });
        }
        for (Block& block : blocks) {
            rename(block, renamed);
        }
        return expanded(std::move(blocks), id);
    }

    void rename(Block& block, const Renamed& renamed) {
        const auto by = [&](Id& id) {
            const auto found = renamed.find(id);
            id = found == renamed.end() ? id : found->second;
        };
        const auto all = [&](Instruction& i) {
            by(i.result);
            for (std::size_t k = 0; k < i.operands.size(); k++) {
                if (is_id(i, k)) {
                    by(i.operands[k]);
                }
            }
        };
        by(block.label);
        by(block.merge);
        by(block.continue_target);
        for_each_instruction(block, all);
        all(block.terminator);
        hoist_variables(block);
    }

    /// Variables begin where the whole function does: a loop around the call would declare them in each round.
    void hoist_variables(Block& block) {
        std::vector<Instruction> body;
        for (Instruction& i : block.body) {
            if (i.opcode != spv::variable) {
                body.push_back(std::move(i));
                continue;
            }
            if (i.operands.size() > 1) {
                body.push_back({spv::store, 0, 0, {i.result, i.operands[1]}});
                i.operands.resize(1);
            }
            m_variables.push_back(std::move(i));
        }
        block.body = std::move(body);
    }

    /// A constant that a switch of one case is on.
    Id zero() {
        if (m_zero == 0) {
            const Id type = m_next++;
            m_zero = m_next++;
            m_module.types[type] = {TypeKind::integer, 32, true, 0, 0, {}};
            m_module.constants[m_zero] = {type, 0, {}, true};
        }
        return m_zero;
    }

    SpirvModule& m_module;
    const SpirvFunctions& m_functions;
    Id m_next;
    Id m_zero = 0;
    std::vector<Id> m_active;
    std::unordered_map<Id, Id> m_last_parts;
    std::vector<Instruction> m_variables;
};

} // namespace

void inline_calls(SpirvModule& module, const SpirvFunctions& functions, Id entry) {
    Inliner(module, functions).run(entry);
}

} // namespace weft::dag
