// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons, matrices, and the functions of GLSL.std.450.
#include "core/text.hpp"
#include "dag/instructions.hpp"
#include "dag/opcodes.hpp"

#include <algorithm>
#include <array>
#include <numbers>
#include <optional>
#include <utility>

namespace weft::dag {

using core::text;

namespace {

constexpr float kDegree = std::numbers::pi_v<float> / 180.f; // in radians

constexpr auto kArithmetic = std::to_array<std::pair<std::uint16_t, Op>>(
    {{spv::f_negate, Op::f_neg},
     {spv::s_negate, Op::i_neg},
     {spv::i_add, Op::i_add},
     {spv::f_add, Op::f_add},
     {spv::i_sub, Op::i_sub},
     {spv::f_sub, Op::f_sub},
     {spv::i_mul, Op::i_mul},
     {spv::f_mul, Op::f_mul},
     {spv::u_div, Op::u_div},
     {spv::s_div, Op::s_div},
     {spv::f_div, Op::f_div},
     {spv::u_mod, Op::u_mod},
     {spv::s_rem, Op::s_rem},
     {spv::s_mod, Op::s_mod},
     {spv::f_rem, Op::f_rem},
     {spv::f_mod, Op::f_mod},
     {spv::shift_right_logical, Op::shift_right},
     {spv::shift_right_arithmetic, Op::shift_right_signed},
     {spv::shift_left_logical, Op::shift_left},
     {spv::bitwise_or, Op::i_or},
     {spv::bitwise_xor, Op::i_xor},
     {spv::bitwise_and, Op::i_and},
     {spv::bitwise_not, Op::i_not},
     {spv::logical_or, Op::b_or},
     {spv::logical_and, Op::b_and},
     {spv::logical_not, Op::b_not},
     {spv::logical_equal, Op::b_equal},
     {spv::is_nan, Op::is_nan},
     {spv::is_inf, Op::is_inf}});

/// A comparison as one that exists: of swapped sides, or the contrary of one.
struct Comparison {
    Op op = Op::f_less;
    bool is_swapped = false;
    bool is_negated = false;
};

constexpr auto kComparisons = std::to_array<std::pair<std::uint16_t, Comparison>>(
    {{spv::logical_not_equal, Comparison{Op::b_equal, false, true}},
     {spv::i_equal, Comparison{Op::i_equal}},
     {spv::i_not_equal, Comparison{Op::i_not_equal}},
     {spv::u_greater_than, Comparison{Op::u_less, true}},
     {spv::s_greater_than, Comparison{Op::s_less, true}},
     {spv::u_greater_than_equal, Comparison{Op::u_less_equal, true}},
     {spv::s_greater_than_equal, Comparison{Op::s_less_equal, true}},
     {spv::u_less_than, Comparison{Op::u_less}},
     {spv::s_less_than, Comparison{Op::s_less}},
     {spv::u_less_than_equal, Comparison{Op::u_less_equal}},
     {spv::s_less_than_equal, Comparison{Op::s_less_equal}},
     {spv::f_ord_equal, Comparison{Op::f_equal}},
     {spv::f_unord_not_equal, Comparison{Op::f_not_equal}},
     {spv::f_ord_less_than, Comparison{Op::f_less}},
     {spv::f_ord_greater_than, Comparison{Op::f_less, true}},
     {spv::f_ord_less_than_equal, Comparison{Op::f_less_equal}},
     {spv::f_ord_greater_than_equal, Comparison{Op::f_less_equal, true}},
     // With NaN these are true: the contrary of those that are false.
     {spv::f_unord_less_than, Comparison{Op::f_less_equal, true, true}},
     {spv::f_unord_greater_than, Comparison{Op::f_less_equal, false, true}},
     {spv::f_unord_less_than_equal, Comparison{Op::f_less, true, true}},
     {spv::f_unord_greater_than_equal, Comparison{Op::f_less, false, true}}});

template <typename Key, typename Value, std::size_t size>
std::optional<Value> find_in(const std::array<std::pair<Key, Value>, size>& table, Key key) {
    const auto found = std::ranges::find(table, key, &std::pair<Key, Value>::first);
    return found == table.end() ? std::nullopt : std::optional(found->second);
}

std::optional<Comparison> comparison(std::uint16_t opcode) {
    return find_in(kComparisons, opcode);
}

/// Functions that are one operation, component by component.
constexpr auto kExtended = std::to_array<std::pair<std::uint32_t, Op>>(
    {// Which way halves go is left open there.
     {spv::glsl::round, Op::round_even}, {spv::glsl::round_even, Op::round_even},
     {spv::glsl::trunc, Op::trunc},      {spv::glsl::f_abs, Op::f_abs},
     {spv::glsl::s_abs, Op::s_abs},      {spv::glsl::f_sign, Op::f_sign},
     {spv::glsl::s_sign, Op::s_sign},    {spv::glsl::floor, Op::floor},
     {spv::glsl::ceil, Op::ceil},        {spv::glsl::fract, Op::fract},
     {spv::glsl::sin, Op::sin},          {spv::glsl::cos, Op::cos},
     {spv::glsl::tan, Op::tan},          {spv::glsl::asin, Op::asin},
     {spv::glsl::acos, Op::acos},        {spv::glsl::atan, Op::atan},
     {spv::glsl::sinh, Op::sinh},        {spv::glsl::cosh, Op::cosh},
     {spv::glsl::tanh, Op::tanh},        {spv::glsl::asinh, Op::asinh},
     {spv::glsl::acosh, Op::acosh},      {spv::glsl::atanh, Op::atanh},
     {spv::glsl::atan2, Op::atan2},      {spv::glsl::pow, Op::pow},
     {spv::glsl::exp, Op::exp},          {spv::glsl::log, Op::log},
     {spv::glsl::exp2, Op::exp2},        {spv::glsl::log2, Op::log2},
     {spv::glsl::sqrt, Op::sqrt},        {spv::glsl::inverse_sqrt, Op::inverse_sqrt},
     {spv::glsl::f_min, Op::f_min},      {spv::glsl::n_min, Op::f_min},
     {spv::glsl::f_max, Op::f_max},      {spv::glsl::n_max, Op::f_max},
     {spv::glsl::u_min, Op::u_min},      {spv::glsl::s_min, Op::s_min},
     {spv::glsl::u_max, Op::u_max},      {spv::glsl::s_max, Op::s_max},
     {spv::glsl::f_mix, Op::f_mix},      {spv::glsl::fma, Op::f_fma}});

} // namespace

bool Instructions::run_arithmetic(const Instruction& i) {
    if (const std::optional<Op> op = find_in(kArithmetic, i.opcode)) {
        map(i, *op);
        return true;
    }
    if (i.opcode != spv::any && i.opcode != spv::all) {
        return false;
    }
    const Leaves leaves = value(operand(i, 0));
    NodeId result = graph().constant_boolean(i.opcode == spv::all);
    for (const NodeId leaf : leaves) {
        result = make(i.opcode == spv::all ? Op::b_and : Op::b_or, {result, leaf});
    }
    set(i.result, {result});
    return true;
}

bool Instructions::run_comparison(const Instruction& i) {
    const std::array<Leaves, 2> sides = i.operands.size() == 2 && comparison(i.opcode).has_value()
                                            ? std::array{value(i.operands[0]), value(i.operands[1])}
                                            : std::array<Leaves, 2>{};
    if (i.opcode == spv::f_ord_not_equal || i.opcode == spv::f_unord_equal) {
        // Less or greater; and the contrary.
        const Leaves a = value(operand(i, 0));
        const Leaves b = value(operand(i, 1));
        const Leaves less = mapped(Op::f_less, std::array{a, b});
        const Leaves greater = mapped(Op::f_less, std::array{b, a});
        Leaves leaves = mapped(Op::b_or, std::array{less, greater});
        if (i.opcode == spv::f_unord_equal) {
            leaves = mapped(Op::b_not, std::array{leaves});
        }
        set(i.result, std::move(leaves));
        return true;
    }
    const std::optional<Comparison> found = comparison(i.opcode);
    if (!found.has_value()) {
        return false;
    }
    const std::array<Leaves, 2> ordered =
        found->is_swapped ? std::array{sides[1], sides[0]} : sides;
    Leaves leaves = mapped(found->op, ordered);
    if (found->is_negated) {
        leaves = mapped(Op::b_not, std::array{leaves});
    }
    set(i.result, std::move(leaves));
    return true;
}

bool Instructions::run_matrix(const Instruction& i) {
    const auto scaled = [&](Leaves leaves, NodeId by) {
        for (NodeId& leaf : leaves) {
            leaf = make(Op::f_mul, {leaf, by});
        }
        return leaves;
    };
    switch (i.opcode) {
    case spv::vector_times_scalar:
    case spv::matrix_times_scalar:
        set_rounded(i, scaled(value(operand(i, 0)), scalar(operand(i, 1))));
        return true;
    case spv::dot: set_rounded(i, {dot(value(operand(i, 0)), value(operand(i, 1)))}); return true;
    case spv::transpose:
    case spv::vector_times_matrix:
    case spv::matrix_times_vector:
    case spv::matrix_times_matrix: break;
    default: return false;
    }
    // Matrices are kept column by column: leaf `row + rows * column`.
    const bool has_left = i.opcode != spv::vector_times_matrix;
    const bool has_right =
        i.opcode == spv::vector_times_matrix || i.opcode == spv::matrix_times_matrix;
    const Leaves left = value(operand(i, 0));
    const Leaves right = i.opcode == spv::transpose ? Leaves{} : value(operand(i, 1));
    const auto rows_of = [&](Id id) {
        const SpirvType& matrix = m_module.type(type_of_value(id));
        return static_cast<std::size_t>(m_module.type(matrix.element).count);
    };
    const std::size_t rows = has_left ? rows_of(operand(i, 0)) : 1;
    const std::size_t inner = has_right ? rows_of(operand(i, 1)) : right.size();
    Leaves leaves;
    if (i.opcode == spv::transpose) {
        for (std::size_t row = 0; row < rows; row++) {
            for (std::size_t at = row; at < left.size(); at += rows) {
                leaves.push_back(left[at]);
            }
        }
        set(i.result, std::move(leaves));
        return true;
    }
    if (inner == 0 || rows * inner != left.size()) {
        throw SpirvError("spirv: a product of matrices of different sizes");
    }
    for (std::size_t column = 0; column < right.size() / inner; column++) {
        for (std::size_t row = 0; row < rows; row++) {
            Leaves a;
            for (std::size_t k = 0; k < inner; k++) {
                a.push_back(left[row + rows * k]);
            }
            leaves.push_back(dot(a, std::span(right).subspan(column * inner, inner)));
        }
    }
    set_rounded(i, std::move(leaves));
    return true;
}

void Instructions::run_scale(const Instruction& i, float factor) {
    const Leaves number = value(operand(i, 0));
    const Leaves factors(number.size(), graph().constant(factor));
    set_rounded(i, mapped(Op::f_mul, std::array{number, factors}));
}

void Instructions::run_step(const Instruction& i) {
    const Leaves edge = value(operand(i, 0));
    const Leaves x = value(operand(i, 1));
    const Leaves is_below = mapped(Op::f_less, std::array{x, edge});
    Leaves leaves;
    for (const NodeId below : is_below) {
        leaves.push_back(graph().select(below, graph().constant(0.f), graph().constant(1.f)));
    }
    set(i.result, std::move(leaves));
}

void Instructions::run_extended(const Instruction& i) {
    const auto set_of = m_module.imports.find(operand(i, 0));
    if (set_of != m_module.imports.end() && set_of->second == kPrints) {
        refuse("the function prints (printf), which nodes and shaders of Blender cannot; take that "
               "out of it");
    }
    if (set_of == m_module.imports.end() || set_of->second != "GLSL.std.450") {
        return; // debug information
    }
    const std::uint32_t number = operand(i, 1);
    Instruction plain = i;
    plain.operands.erase(plain.operands.begin(), plain.operands.begin() + 2);
    if (const std::optional<Op> op = find_in(kExtended, number)) {
        map(plain, *op);
        return;
    }
    switch (number) {
    case spv::glsl::radians: run_scale(plain, kDegree); return;
    case spv::glsl::degrees: run_scale(plain, 1.f / kDegree); return;
    case spv::glsl::f_clamp:
    case spv::glsl::n_clamp:
    case spv::glsl::u_clamp:
    case spv::glsl::s_clamp: run_clamp(plain, number); return;
    case spv::glsl::step: run_step(plain); return;
    case spv::glsl::smoothstep: run_smoothstep(plain); return;
    default: run_geometric(plain, number);
    }
}

void Instructions::run_clamp(const Instruction& i, std::uint32_t number) {
    const bool is_real = number == spv::glsl::f_clamp || number == spv::glsl::n_clamp;
    const bool is_signed = number == spv::glsl::s_clamp;
    const Op max = is_real ? Op::f_max : (is_signed ? Op::s_max : Op::u_max);
    const Op min = is_real ? Op::f_min : (is_signed ? Op::s_min : Op::u_min);
    const Leaves raised = mapped(max, std::array{value(operand(i, 0)), value(operand(i, 1))});
    set_rounded(i, mapped(min, std::array{raised, value(operand(i, 2))}));
}

void Instructions::run_smoothstep(const Instruction& i) {
    const std::array edges{value(operand(i, 0)), value(operand(i, 1))};
    const Leaves x = value(operand(i, 2));
    const auto constants = [&](float number) { return Leaves(x.size(), graph().constant(number)); };
    const Leaves width = mapped(Op::f_sub, std::array{edges[1], edges[0]});
    const Leaves way = mapped(Op::f_sub, std::array{x, edges[0]});
    Leaves t = mapped(Op::f_div, std::array{way, width});
    t = mapped(Op::f_max, std::array{t, constants(0.f)});
    t = mapped(Op::f_min, std::array{t, constants(1.f)});
    const Leaves twice = mapped(Op::f_mul, std::array{constants(2.f), t});
    const Leaves rest = mapped(Op::f_sub, std::array{constants(3.f), twice});
    const Leaves square = mapped(Op::f_mul, std::array{t, t});
    set_rounded(i, mapped(Op::f_mul, std::array{square, rest}));
}

NodeId Instructions::determinant(const Leaves& matrix) {
    std::size_t size = 1;
    while (size * size < matrix.size()) {
        size++;
    }
    if (size * size != matrix.size() || size > 4) {
        throw SpirvError("spirv: the determinant of a matrix that is not square");
    }
    if (size == 1) {
        return matrix[0];
    }
    // Along the first column; the determinant of a transposed matrix is the same.
    NodeId sum = graph().constant(0.f);
    for (std::size_t left_out = 0; left_out < size; left_out++) {
        Leaves minor;
        for (std::size_t at = size; at < matrix.size(); at++) {
            if (at % size != left_out) {
                minor.push_back(matrix[at]);
            }
        }
        const NodeId term = make(Op::f_mul, {matrix[left_out], determinant(minor)});
        sum = left_out == 0 ? term : make(left_out % 2 == 0 ? Op::f_add : Op::f_sub, {sum, term});
    }
    return sum;
}

Leaves Instructions::cross(const Leaves& a, const Leaves& b) {
    if (a.size() != 3 || b.size() != 3) {
        throw SpirvError("spirv: the cross product of vectors that have not three components");
    }
    Leaves leaves;
    for (std::size_t k = 0; k < 3; k++) {
        const std::size_t p = (k + 1) % 3;
        const std::size_t q = (k + 2) % 3;
        leaves.push_back(
            make(Op::f_sub, {make(Op::f_mul, {a[p], b[q]}), make(Op::f_mul, {a[q], b[p]})}));
    }
    return leaves;
}

void Instructions::run_geometric(const Instruction& i, std::uint32_t number) {
    const Leaves a = value(operand(i, 0));
    const Leaves b = i.operands.size() > 1 ? value(i.operands[1]) : Leaves{};
    const auto length = [&](const Leaves& v) {
        return v.size() == 1 ? make(Op::f_abs, {v[0]}) : make(Op::sqrt, {dot(v, v)});
    };
    switch (number) {
    case spv::glsl::length: set_rounded(i, {length(a)}); return;
    case spv::glsl::distance: set_rounded(i, {length(mapped(Op::f_sub, std::array{a, b}))}); return;
    case spv::glsl::normalize: {
        const NodeId scale = make(Op::inverse_sqrt, {dot(a, a)});
        set_rounded(i, mapped(Op::f_mul, std::array{a, Leaves(a.size(), scale)}));
        return;
    }
    case spv::glsl::cross: set_rounded(i, cross(a, b)); return;
    case spv::glsl::reflect: {
        const NodeId twice = make(Op::f_mul, {graph().constant(2.f), dot(b, a)});
        const Leaves along = mapped(Op::f_mul, std::array{Leaves(b.size(), twice), b});
        set_rounded(i, mapped(Op::f_sub, std::array{a, along}));
        return;
    }
    case spv::glsl::determinant: set_rounded(i, {determinant(a)}); return;
    default:
        throw core::ArgumentError(text("lower: the function calls what no node computes "
                                       "(GLSL.std.450 function ",
                                       number, "); write it with arithmetic"));
    }
}

} // namespace weft::dag
