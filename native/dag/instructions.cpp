// SPDX-License-Identifier: Apache-2.0
#include "dag/instructions.hpp"

#include "core/text.hpp"
#include "dag/opcodes.hpp"

#include <algorithm>
#include <array>

namespace weft::dag {

using core::text;

Id operand(const Instruction& i, std::size_t index) {
    if (index >= i.operands.size()) {
        throw SpirvError(text("spirv: opcode ", i.opcode, " has too few operands"));
    }
    return i.operands[index];
}

Instructions::Instructions(const SpirvModule& module, Function& function)
    : m_module(module), m_function(function) {
    for (const auto& [id, variable] : module.variables) {
        if (variable.storage == spv::private_) {
            const Id type = module.type(variable.type).element;
            m_pointers[id] = {id, type, {}, {}};
            m_memory[id] = zeros(type);
        }
    }
}

bool Instructions::run_numbers(const Instruction& i) {
    return run_matrix(i) || run_arithmetic(i) || run_comparison(i) || run_conversion(i);
}

void Instructions::run(const Instruction& i, NodeId predicate) {
    m_value_types[i.result] = i.type;
    if (i.position.line != 0) {
        graph().set_position(i.position);
    }
    if (run_memory(i, predicate) || run_texture(i) || run_composite(i) || run_numbers(i)) {
        return;
    }
    if (i.opcode == spv::ext_inst) {
        run_extended(i);
        return;
    }
    if (i.opcode >= spv::dpdx && i.opcode <= spv::fwidth_coarse) {
        refuse("the function takes derivatives of the screen (ddx), which nodes have not; take "
               "that out of it");
    }
    refuse(text("the function does what no node can (SPIR-V instruction ", i.opcode,
                "): atomics, barriers, wave operations, discard and "
                "calls back to the host cannot be lowered; take them out of it"));
}

Leaves Instructions::value(Id id) {
    const auto known = m_values.find(id);
    if (known != m_values.end()) {
        return known->second;
    }
    const auto constant_of = m_module.constants.find(id);
    if (constant_of == m_module.constants.end()) {
        throw SpirvError(text("spirv: ", id, " is used before it has a value"));
    }
    return constant(constant_of->second);
}

NodeId Instructions::scalar(Id id) {
    const Leaves leaves = value(id);
    if (leaves.size() != 1) {
        throw SpirvError(text("spirv: ", id, " is no scalar"));
    }
    return leaves[0];
}

Id Instructions::type_of_value(Id id) const {
    const auto known = m_value_types.find(id);
    if (known != m_value_types.end()) {
        return known->second;
    }
    const auto constant_of = m_module.constants.find(id);
    if (constant_of == m_module.constants.end()) {
        throw SpirvError(text("spirv: ", id, " has no type"));
    }
    return constant_of->second.type;
}

Leaves Instructions::constant(const SpirvConstant& constant) {
    if (constant.is_null) {
        return zeros(constant.type);
    }
    if (constant.parts.empty()) {
        const SpirvType& type = m_module.type(constant.type);
        check_width(type);
        const bool is_real = type.kind == TypeKind::real;
        const Scalar scalar =
            is_real ? Scalar::real
                    : (type.kind == TypeKind::boolean ? Scalar::boolean : Scalar::integer);
        if (type.width != 16) {
            return {graph().constant_word(scalar, constant.bits)};
        }
        // Halves are held as reals, and rounded where they are made.
        const std::uint32_t bits = constant.bits & 0xffff;
        const std::uint32_t sign = (bits & 0x8000) << 16;
        const std::uint32_t exponent = bits >> 10 & 0x1f;
        const std::uint32_t fraction = bits & 0x3ff;
        if (exponent == 0) {
            const float tiny = static_cast<float>(fraction) * 0x1p-24f;
            return {graph().constant(sign != 0 ? -tiny : tiny)};
        }
        const std::uint32_t high = exponent == 31 ? 255 : exponent + 112;
        return {graph().constant_word(Scalar::real, sign | high << 23 | fraction << 13)};
    }
    Leaves leaves;
    for (const Id part : constant.parts) {
        const Leaves own = value(part);
        leaves.insert(leaves.end(), own.begin(), own.end());
    }
    return leaves;
}

Leaves Instructions::zeros(Id id) {
    const SpirvType& type = m_module.type(id);
    switch (type.kind) {
    case TypeKind::real: return {graph().constant(0.f)};
    case TypeKind::integer: return {graph().constant_integer(0)};
    case TypeKind::boolean: return {graph().constant_boolean(false)};
    case TypeKind::structure: {
        Leaves leaves;
        for (const Id member : type.members) {
            const Leaves own = zeros(member);
            leaves.insert(leaves.end(), own.begin(), own.end());
        }
        return leaves;
    }
    default: {
        Leaves leaves;
        const std::size_t count = m_module.leaf_count(id);
        const Leaves own = zeros(type.element);
        while (leaves.size() < count) {
            leaves.insert(leaves.end(), own.begin(), own.end());
        }
        return leaves;
    }
    }
}

void Instructions::check_width(const SpirvType& type) const {
    const bool is_number = type.kind == TypeKind::real || type.kind == TypeKind::integer;
    const bool is_half = type.kind == TypeKind::real && type.width == 16;
    if (is_number && type.width != 32 && !is_half) {
        refuse(text("the function computes with numbers of ", type.width,
                    " bits, which no node has; take float, int or uint"));
    }
}

Leaves Instructions::select(NodeId condition, const Leaves& yes, const Leaves& no) {
    if (yes.size() != no.size()) {
        throw SpirvError("spirv: two values to choose from differ in size");
    }
    Leaves result(yes.size());
    for (std::size_t i = 0; i < yes.size(); i++) {
        result[i] = graph().select(condition, yes[i], no[i]);
    }
    return result;
}

bool Instructions::run_memory(const Instruction& i, NodeId predicate) {
    switch (i.opcode) {
    case spv::variable:
        m_pointers[i.result] = {i.result, m_module.type(i.type).element, {}, {}};
        declare(i.result, m_module.type(i.type).element,
                i.operands.size() > 1 ? value(i.operands[1])
                                      : zeros(m_module.type(i.type).element));
        return true;
    case spv::access_chain:
    case spv::in_bounds_access_chain:
    case spv::ptr_access_chain:
    case spv::in_bounds_ptr_access_chain: point(i); return true;
    case spv::load: load(i); return true;
    case spv::store: store(i, predicate); return true;
    default: return false;
    }
}

void Instructions::point(const Instruction& i) {
    const Id base = operand(i, 0);
    Pointer pointer;
    const auto known = m_pointers.find(base);
    if (known != m_pointers.end()) {
        pointer = known->second;
    } else {
        pointer.variable = base;
    }
    pointer.type = m_module.type(i.type).element;
    for (std::size_t k = 1; k < i.operands.size(); k++) {
        pointer.indices.push_back(scalar(i.operands[k]));
    }
    m_pointers[i.result] = std::move(pointer);
}

void Instructions::load(const Instruction& i) {
    const TypeKind kind = type_of(i).kind;
    if (kind == TypeKind::image || kind == TypeKind::sampler) {
        m_images[i.result] = operand(i, 0);
        return;
    }
    const auto known = m_pointers.find(operand(i, 0));
    const Pointer pointer =
        known == m_pointers.end() ? Pointer{operand(i, 0), i.type, {}, {}} : known->second;
    if (!pointer.buffer.empty() || !m_pointers.contains(pointer.variable)) {
        load_from_outside(i, pointer);
        return;
    }
    set(i.result, read_variable(pointer, m_pointers.at(pointer.variable).type, i.result));
}

void Instructions::load_from_outside(const Instruction& i, const Pointer& pointer) {
    if (!pointer.buffer.empty()) {
        set(i.result, read_buffer(pointer));
        return;
    }
    const auto variable = m_module.variables.find(pointer.variable);
    std::string name = "memory";
    if (variable != m_module.variables.end()) {
        const Id block = m_module.type(variable->second.type).element;
        const auto members = m_module.member_names.find(block);
        const std::optional<Word> index =
            pointer.indices.empty() ? std::nullopt : graph().value_of(pointer.indices[0]);
        if (members != m_module.member_names.end() && index.has_value() &&
            *index < members->second.size()) {
            name = members->second[*index];
        }
    }
    if (type_of(i).kind == TypeKind::pointer) {
        m_pointers[i.result] = {0, type_of(i).element, {}, name};
        return;
    }
    refuse(text("the function reads '", name,
                "', which is none of its parameters; pass its value as one"));
}

void Instructions::store(const Instruction& i, NodeId predicate) {
    const auto known = m_pointers.find(operand(i, 0));
    if (known == m_pointers.end()) {
        refuse("the function writes to memory that is none of its results");
    }
    const Pointer& pointer = known->second;
    const Leaves leaves = value(operand(i, 1));
    if (!pointer.buffer.empty() || !m_pointers.contains(pointer.variable)) {
        write_buffer(pointer, leaves, predicate);
        return;
    }
    write_variable(pointer, m_pointers.at(pointer.variable).type, leaves);
}

void Instructions::declare(Id variable, Id, Leaves initial) {
    m_memory[variable] = std::move(initial);
}

Leaves& Instructions::leaves_of_variable(Id variable) {
    const auto own = m_memory.find(variable);
    if (own == m_memory.end()) {
        throw SpirvError(text("spirv: ", variable, " is used where it is no variable"));
    }
    return own->second;
}

Leaves Instructions::read_variable(const Pointer& pointer, Id type, Id) {
    return read_part(leaves_of_variable(pointer.variable), type, pointer.indices);
}

void Instructions::write_variable(const Pointer& pointer, Id type, const Leaves& leaves) {
    Leaves& own = leaves_of_variable(pointer.variable);
    own = write_part(std::move(own), type, pointer.indices, leaves);
}

std::uint32_t Instructions::element_of(const Pointer& pointer) {
    if (pointer.indices.empty()) {
        return 0;
    }
    const std::optional<Word> index = graph().value_of(pointer.indices.back());
    if (!index.has_value() || pointer.indices.size() != 1) {
        refuse(
            text("the function picks an element of '", pointer.buffer, "'; nodes have no buffers"));
    }
    constexpr Word kMaxElementIndex = 4096;
    if (*index >= kMaxElementIndex) {
        refuse("the function has more than 4096 inputs or results");
    }
    return *index;
}

Leaves Instructions::read_buffer(const Pointer& pointer) {
    const bool is_real = pointer.buffer == buffers::kReals;
    if (!is_real && pointer.buffer != buffers::kIntegers) {
        refuse(
            text("the function reads '", pointer.buffer,
                 "', memory that is none of its parameters; nodes have no buffers, pass values"));
    }
    const std::uint32_t number = element_of(pointer);
    std::uint32_t& count = is_real ? m_function.reals : m_function.integers;
    count = std::max(count, number + 1);
    return {graph().input(is_real ? Scalar::real : Scalar::integer, number)};
}

void Instructions::write_buffer(const Pointer& pointer, const Leaves& leaves, NodeId predicate) {
    const bool is_real = pointer.buffer == buffers::kRealResults;
    if ((!is_real && pointer.buffer != buffers::kIntegerResults) || leaves.size() != 1) {
        refuse(text("the function writes to '", pointer.buffer,
                    "', memory that is none of its results; return what it computes"));
    }
    const Scalar wanted = is_real ? Scalar::real : Scalar::integer;
    if (graph()[leaves[0]].type != wanted) {
        throw SpirvError("spirv: a result is stored as another type");
    }
    write_result(wanted, element_of(pointer), leaves[0], predicate);
}

void Instructions::write_result(Scalar type, std::uint32_t number, NodeId value, NodeId predicate) {
    Stores& stores = type == Scalar::real ? m_real_stores : m_integer_stores;
    stores[number].push_back({predicate, value});
}

void Instructions::finish() {
    for (auto& [stores, results] : {std::pair(&m_real_stores, &m_function.real_results),
                                    std::pair(&m_integer_stores, &m_function.integer_results)}) {
        std::uint32_t next = 0;
        for (const auto& [number, stored] : *stores) {
            if (number != next++) {
                throw SpirvError("spirv: a result is not written");
            }
            NodeId value = stored.front().value;
            for (const Stored& later : std::span(stored).subspan(1)) {
                value = graph().select(later.predicate, later.value, value);
            }
            results->push_back(value);
        }
    }
    if (m_function.real_results.empty() && m_function.integer_results.empty()) {
        refuse("the function has no result; a node needs a returned value or an out parameter");
    }
}

bool Instructions::run_conversion(const Instruction& i) {
    switch (i.opcode) {
    case spv::convert_f_to_s: map(i, Op::real_to_s); return true;
    case spv::convert_f_to_u: map(i, Op::real_to_u); return true;
    case spv::convert_s_to_f: map(i, Op::s_to_real); return true;
    case spv::convert_u_to_f: map(i, Op::u_to_real); return true;
    case spv::f_convert: set_rounded(i, value(operand(i, 0))); return true;
    case spv::bitcast: run_bitcast(i); return true;
    case spv::u_convert:
    case spv::s_convert: {
        check_width(type_of(i));
        refuse("the function computes with integers of 8, 16 or 64 bits; take int or uint");
    }
    default: return false;
    }
}

void Instructions::run_bitcast(const Instruction& i) {
    Leaves leaves = value(operand(i, 0));
    const SpirvType& type = type_of(i);
    const SpirvType& own = type.kind == TypeKind::vector ? m_module.type(type.element) : type;
    const bool to_real = own.kind == TypeKind::real;
    check_width(own);
    for (NodeId& leaf : leaves) {
        if (to_real != (graph()[leaf].type == Scalar::real)) {
            leaf = make(to_real ? Op::bits_real : Op::real_bits, {leaf});
        }
    }
    set(i.result, std::move(leaves));
}

void Instructions::map(const Instruction& i, Op op, bool swapped) {
    std::array<Leaves, 3> arguments;
    const std::size_t count = std::min<std::size_t>(i.operands.size(), 3);
    for (std::size_t k = 0; k < count; k++) {
        arguments[k] = value(i.operands[k]);
    }
    if (swapped) {
        std::swap(arguments[0], arguments[1]);
    }
    set_rounded(i, mapped(op, std::span(arguments).first(count)));
}

void Instructions::set_rounded(const Instruction& i, Leaves leaves) {
    const SpirvType* type = &type_of(i);
    while (type->kind == TypeKind::vector || type->kind == TypeKind::matrix) {
        type = &m_module.type(type->element);
    }
    check_width(*type);
    if (type->kind == TypeKind::real && type->width == 16) {
        for (NodeId& leaf : leaves) {
            leaf = make(Op::to_half, {leaf});
        }
    }
    set(i.result, std::move(leaves));
}

Leaves Instructions::mapped(Op op, std::span<const Leaves> arguments) {
    if (arguments.size() != operation(op).arguments) {
        throw SpirvError("spirv: an operation with another number of operands");
    }
    std::size_t size = 0;
    for (const Leaves& leaves : arguments) {
        size = std::max(size, leaves.size());
    }
    Leaves result(size);
    for (std::size_t k = 0; k < size; k++) {
        std::array<NodeId, 3> own{};
        for (std::size_t a = 0; a < arguments.size(); a++) {
            if (arguments[a].size() != size) {
                throw SpirvError("spirv: operands of different sizes");
            }
            own[a] = arguments[a][k];
        }
        switch (arguments.size()) {
        case 1: result[k] = make(op, {own[0]}); break;
        case 2: result[k] = make(op, {own[0], own[1]}); break;
        default: result[k] = make(op, {own[0], own[1], own[2]}); break;
        }
    }
    return result;
}

NodeId Instructions::make(Op op, std::initializer_list<NodeId> arguments) {
    const Operation& what = operation(op);
    for (const NodeId argument : arguments) {
        if (graph()[argument].type != what.argument) {
            throw SpirvError(text("spirv: ", what.name, " of a value of another type"));
        }
    }
    return graph().make(op, arguments);
}

NodeId Instructions::dot(std::span<const NodeId> a, std::span<const NodeId> b) {
    if (a.empty() || a.size() != b.size()) {
        throw SpirvError("spirv: the dot product of vectors of different sizes");
    }
    NodeId sum = make(Op::f_mul, {a[0], b[0]});
    for (std::size_t k = 1; k < a.size(); k++) {
        sum = make(Op::f_add, {sum, make(Op::f_mul, {a[k], b[k]})});
    }
    return sum;
}

} // namespace weft::dag
