// SPDX-License-Identifier: Apache-2.0
#include "lower/osl_instructions.hpp"

#include "dag/opcodes.hpp"

#include <algorithm>

namespace weft::lower::osl {

using dag::Id;
using dag::Leaves;
using dag::Op;
using dag::Scalar;
using dag::SpirvError;

ProgramInstructions::ProgramInstructions(const dag::SpirvModule& module, Program& program)
    : Instructions(module, program.function), m_module(module), m_program(program),
      m_true(program.graph().constant_boolean(true)) {
    // In the order of the file's numbers, so that the text is the same each time.
    std::vector<Id> own;
    for (const auto& [id, variable] : module.variables) {
        if (variable.storage == dag::spv::private_) {
            own.push_back(id);
        }
    }
    std::sort(own.begin(), own.end());
    m_out = &program.body;
    for (const Id id : own) {
        const Id type = module.type(module.variables.at(id).type).element;
        declare(id, type, zeros(type));
    }
}

void ProgramInstructions::append(const dag::Instruction& instruction, Statements& out) {
    m_out = &out;
    run(instruction, m_true);
    if (instruction.result == 0 || !has_value(instruction.result)) {
        return;
    }
    Statement made;
    for (const NodeId leaf : value(instruction.result)) {
        if (m_program.graph()[leaf].count != 0) {
            made.values.push_back(leaf);
        }
    }
    if (!made.values.empty()) {
        out.push_back(std::move(made));
    }
}

const Leaves& ProgramInstructions::variables_of(const dag::Instruction& phi) {
    Leaves& own = m_variables[phi.result];
    if (own.empty()) {
        own = new_variables(phi.type);
    }
    set_type(phi.result, phi.type);
    set(phi.result, own);
    return own;
}

std::vector<NodeId> ProgramInstructions::new_variables(Id type) {
    std::vector<NodeId> made;
    for (const NodeId zero : zeros(type)) {
        made.push_back(m_program.new_variable(m_program.graph()[zero].type));
    }
    return made;
}

std::uint32_t ProgramInstructions::array_of(Id variable, Scalar type) {
    const auto found = m_arrays.find(variable);
    if (found == m_arrays.end()) {
        throw SpirvError("spirv: a variable is used before it is declared");
    }
    const Scalar own = type == Scalar::real ? type : Scalar::integer;
    std::optional<std::uint32_t>& number =
        own == Scalar::real ? found->second.reals : found->second.integers;
    if (!number.has_value()) {
        number = static_cast<std::uint32_t>(m_program.arrays.size());
        m_program.arrays.push_back({own, found->second.count});
    }
    return *number;
}

void ProgramInstructions::declare(Id variable, Id, Leaves initial) {
    m_arrays[variable].count = std::max(m_arrays[variable].count, initial.size());
    const auto is_zero = [&](NodeId leaf) { return m_program.graph().value_of(leaf) == 0U; };
    if (std::all_of(initial.begin(), initial.end(), is_zero)) {
        return; // Arrays begin so.
    }
    for (std::size_t k = 0; k < initial.size(); k++) {
        const auto index = static_cast<std::uint32_t>(k);
        store(variable, m_program.graph().constant_integer(index), initial[k]);
    }
}

ProgramInstructions::Place ProgramInstructions::place_of(const Pointer& pointer, Id type) {
    dag::Graph& graph = m_program.graph();
    Place place{graph.constant_integer(0), type};
    for (const NodeId index : pointer.indices) {
        if (const std::optional<dag::Word> known = graph.value_of(index)) {
            const dag::SpirvModule::Part part = m_module.part(place.type, *known);
            const auto offset = static_cast<std::uint32_t>(part.offset);
            place = {add(place.offset, graph.constant_integer(offset)), part.type};
            continue;
        }
        // Beyond the end counts the last element, as in a DAG.
        const dag::SpirvModule::Part part = m_module.part(place.type, 0);
        const NodeId count = graph.constant_integer(m_module.type(place.type).count);
        const NodeId last = graph.constant_integer(m_module.type(place.type).count - 1);
        const NodeId inside = graph.select(make(Op::u_less, {index, count}), index, last);
        const auto stride = static_cast<std::uint32_t>(m_module.leaf_count(part.type));
        const NodeId way = make(Op::i_mul, {inside, graph.constant_integer(stride)});
        place = {add(place.offset, way), part.type};
    }
    return place;
}

Leaves ProgramInstructions::read_variable(const Pointer& pointer, Id type, Id result) {
    const Place place = place_of(pointer, type);
    Leaves& own = m_variables[result];
    if (own.empty()) {
        own = new_variables(place.type);
    }
    dag::Graph& graph = m_program.graph();
    Leaves leaves = own;
    for (std::size_t k = 0; k < own.size(); k++) {
        Statement load{StatementKind::load};
        load.number = array_of(pointer.variable, graph[own[k]].type);
        load.targets = {own[k]};
        load.values = {add(place.offset, graph.constant_integer(static_cast<std::uint32_t>(k)))};
        if (const auto stored = known(load.number, load.values[0], graph[own[k]].type)) {
            leaves[k] = *stored;
        } else {
            m_out->push_back(std::move(load));
        }
    }
    return leaves;
}

std::optional<NodeId> ProgramInstructions::known(std::uint32_t array, NodeId index,
                                                 Scalar type) const {
    const std::optional<dag::Word> place = m_program.graph().value_of(index);
    const auto found = place.has_value() ? m_known.find({array, *place}) : m_known.end();
    const bool is_it = found != m_known.end() && m_program.graph()[found->second].type == type;
    return is_it ? std::optional(found->second) : std::nullopt;
}

void ProgramInstructions::write_variable(const Pointer& pointer, Id type, const Leaves& leaves) {
    const Place place = place_of(pointer, type);
    if (leaves.size() != m_module.leaf_count(place.type)) {
        throw SpirvError("spirv: a value is stored as one of another type");
    }
    for (std::size_t k = 0; k < leaves.size(); k++) {
        const auto way = static_cast<std::uint32_t>(k);
        store(pointer.variable, add(place.offset, m_program.graph().constant_integer(way)),
              leaves[k]);
    }
}

void ProgramInstructions::store(Id variable, NodeId index, NodeId value) {
    Statement made{StatementKind::store};
    made.number = array_of(variable, m_program.graph()[value].type);
    made.values = {index, value};
    if (const std::optional<dag::Word> place = m_program.graph().value_of(index)) {
        m_known[{made.number, *place}] = value;
    } else {
        std::erase_if(m_known,
                      [&](const auto& element) { return element.first.first == made.number; });
    }
    m_out->push_back(std::move(made));
}

void ProgramInstructions::write_result(Scalar, std::uint32_t number, NodeId value, NodeId) {
    Statement made{StatementKind::result};
    made.number = number;
    made.values = {value};
    m_out->push_back(std::move(made));
}

} // namespace weft::lower::osl
