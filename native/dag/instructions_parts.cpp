// SPDX-License-Identifier: Apache-2.0
// Vectors, structures and arrays, in values and in variables.
#include "core/text.hpp"
#include "dag/instructions.hpp"
#include "dag/opcodes.hpp"

#include <algorithm>

namespace weft::dag {

using core::text;

namespace {

[[noreturn]] void fail(const char* what) {
    throw SpirvError(text("spirv: ", what));
}

Leaves cut(const Leaves& leaves, std::size_t first, std::size_t count) {
    if (first + count > leaves.size()) {
        fail("a part is beyond the end of its value");
    }
    const auto begin = leaves.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

void paste(Leaves& leaves, std::size_t first, const Leaves& part) {
    if (first + part.size() > leaves.size()) {
        fail("a part is beyond the end of its value");
    }
    std::copy(part.begin(), part.end(), leaves.begin() + static_cast<std::ptrdiff_t>(first));
}

} // namespace

Leaves Instructions::read_part(const Leaves& whole, Id type, std::span<const NodeId> indices) {
    if (indices.empty()) {
        return whole;
    }
    if (const std::optional<Word> index = graph().value_of(indices[0])) {
        const SpirvModule::Part part = m_module.part(type, *index);
        return read_part(cut(whole, part.offset, m_module.leaf_count(part.type)), part.type,
                         indices.subspan(1));
    }
    // The element is chosen among all; beyond the end counts the last one.
    const SpirvType& array = m_module.type(type);
    Leaves chosen;
    for (std::uint32_t index = array.count; index-- > 0;) {
        const SpirvModule::Part part = m_module.part(type, index);
        Leaves own = read_part(cut(whole, part.offset, m_module.leaf_count(part.type)), part.type,
                               indices.subspan(1));
        if (chosen.empty()) {
            chosen = std::move(own);
            continue;
        }
        const NodeId is_it = make(Op::i_equal, {indices[0], graph().constant_integer(index)});
        chosen = select(is_it, own, chosen);
    }
    return chosen;
}

Leaves Instructions::write_part(Leaves whole, Id type, std::span<const NodeId> indices,
                                const Leaves& value) {
    if (indices.empty()) {
        if (value.size() != whole.size()) {
            fail("a value is stored as one of another type");
        }
        return value;
    }
    const std::optional<Word> known = graph().value_of(indices[0]);
    const std::uint32_t first = known.value_or(0);
    const std::uint32_t end = known.has_value() ? first + 1 : m_module.type(type).count;
    for (std::uint32_t index = first; index < end; index++) {
        const SpirvModule::Part part = m_module.part(type, index);
        const Leaves before = cut(whole, part.offset, m_module.leaf_count(part.type));
        Leaves after = write_part(before, part.type, indices.subspan(1), value);
        if (!known.has_value()) {
            const NodeId is_it = make(Op::i_equal, {indices[0], graph().constant_integer(index)});
            after = select(is_it, after, before);
        }
        paste(whole, part.offset, after);
    }
    return whole;
}

void Instructions::construct(const Instruction& i) {
    Leaves leaves;
    for (const Id part : i.operands) {
        const Leaves own = value(part);
        leaves.insert(leaves.end(), own.begin(), own.end());
    }
    set(i.result, std::move(leaves));
}

void Instructions::select_parts(const Instruction& i) {
    const Leaves condition = value(operand(i, 0));
    const Leaves yes = value(operand(i, 1));
    const Leaves no = value(operand(i, 2));
    if (condition.size() == 1) {
        set(i.result, select(condition[0], yes, no));
        return;
    }
    if (condition.size() != yes.size() || yes.size() != no.size()) {
        fail("a choice between vectors of different sizes");
    }
    Leaves leaves(yes.size());
    for (std::size_t k = 0; k < yes.size(); k++) {
        leaves[k] = graph().select(condition[k], yes[k], no[k]);
    }
    set(i.result, std::move(leaves));
}

bool Instructions::run_composite(const Instruction& i) {
    switch (i.opcode) {
    case spv::composite_construct: construct(i); return true;
    case spv::composite_extract: extract(i); return true;
    case spv::composite_insert: insert(i); return true;
    case spv::vector_shuffle: shuffle(i); return true;
    case spv::vector_extract_dynamic: extract_dynamic(i); return true;
    case spv::vector_insert_dynamic: insert_dynamic(i); return true;
    case spv::copy_object: set(i.result, value(operand(i, 0))); return true;
    case spv::select: select_parts(i); return true;
    default: return false;
    }
}

void Instructions::extract(const Instruction& i) {
    const Id whole = operand(i, 0);
    Leaves leaves = value(whole);
    Id type = type_of_value(whole);
    for (std::size_t k = 1; k < i.operands.size(); k++) {
        const SpirvModule::Part part = m_module.part(type, i.operands[k]);
        leaves = cut(leaves, part.offset, m_module.leaf_count(part.type));
        type = part.type;
    }
    set(i.result, std::move(leaves));
}

void Instructions::insert(const Instruction& i) {
    const Leaves part = value(operand(i, 0));
    Leaves whole = value(operand(i, 1));
    Id type = i.type;
    std::size_t offset = 0;
    for (std::size_t k = 2; k < i.operands.size(); k++) {
        const SpirvModule::Part inner = m_module.part(type, i.operands[k]);
        offset += inner.offset;
        type = inner.type;
    }
    paste(whole, offset, part);
    set(i.result, std::move(whole));
}

void Instructions::shuffle(const Instruction& i) {
    constexpr std::uint32_t kAnything = 0xffffffff;
    Leaves both = value(operand(i, 0));
    const Leaves second = value(operand(i, 1));
    both.insert(both.end(), second.begin(), second.end());
    Leaves leaves;
    for (std::size_t k = 2; k < i.operands.size(); k++) {
        const std::uint32_t index = i.operands[k] == kAnything ? 0 : i.operands[k];
        if (index >= both.size()) {
            fail("a shuffle picks a component that there is not");
        }
        leaves.push_back(both[index]);
    }
    set(i.result, std::move(leaves));
}

void Instructions::extract_dynamic(const Instruction& i) {
    const std::array<NodeId, 1> index{scalar(operand(i, 1))};
    set(i.result, read_part(value(operand(i, 0)), type_of_value(operand(i, 0)), index));
}

void Instructions::insert_dynamic(const Instruction& i) {
    const std::array<NodeId, 1> index{scalar(operand(i, 2))};
    set(i.result, write_part(value(operand(i, 0)), i.type, index, value(operand(i, 1))));
}

} // namespace weft::dag
