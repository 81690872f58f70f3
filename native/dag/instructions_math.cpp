// SPDX-License-Identifier: Apache-2.0
// Arithmetic, comparisons, matrices, and the functions of GLSL.std.450.
#include "core/text.hpp"
#include "dag/instructions.hpp"
#include "dag/opcodes.hpp"

#include <array>
#include <numbers>
#include <optional>

namespace weft::dag {

using core::text;

namespace {

std::optional<Op> arithmetic(std::uint16_t opcode) {
    switch (opcode) {
    case spv::f_negate: return Op::f_neg;
    case spv::s_negate: return Op::i_neg;
    case spv::i_add: return Op::i_add;
    case spv::f_add: return Op::f_add;
    case spv::i_sub: return Op::i_sub;
    case spv::f_sub: return Op::f_sub;
    case spv::i_mul: return Op::i_mul;
    case spv::f_mul: return Op::f_mul;
    case spv::u_div: return Op::u_div;
    case spv::s_div: return Op::s_div;
    case spv::f_div: return Op::f_div;
    case spv::u_mod: return Op::u_mod;
    case spv::s_rem: return Op::s_rem;
    case spv::s_mod: return Op::s_mod;
    case spv::f_rem: return Op::f_rem;
    case spv::f_mod: return Op::f_mod;
    case spv::shift_right_logical: return Op::shift_right;
    case spv::shift_right_arithmetic: return Op::shift_right_signed;
    case spv::shift_left_logical: return Op::shift_left;
    case spv::bitwise_or: return Op::i_or;
    case spv::bitwise_xor: return Op::i_xor;
    case spv::bitwise_and: return Op::i_and;
    case spv::bitwise_not: return Op::i_not;
    case spv::logical_or: return Op::b_or;
    case spv::logical_and: return Op::b_and;
    case spv::logical_not: return Op::b_not;
    case spv::logical_equal: return Op::b_equal;
    case spv::is_nan: return Op::is_nan;
    case spv::is_inf: return Op::is_inf;
    default: return std::nullopt;
    }
}

/// A comparison as one that exists: of swapped sides, or the contrary of one.
struct Comparison {
    Op op = Op::f_less;
    bool is_swapped = false;
    bool is_negated = false;
};

std::optional<Comparison> comparison(std::uint16_t opcode) {
    switch (opcode) {
    case spv::logical_not_equal: return Comparison{Op::b_equal, false, true};
    case spv::i_equal: return Comparison{Op::i_equal};
    case spv::i_not_equal: return Comparison{Op::i_not_equal};
    case spv::u_greater_than: return Comparison{Op::u_less, true};
    case spv::s_greater_than: return Comparison{Op::s_less, true};
    case spv::u_greater_than_equal: return Comparison{Op::u_less_equal, true};
    case spv::s_greater_than_equal: return Comparison{Op::s_less_equal, true};
    case spv::u_less_than: return Comparison{Op::u_less};
    case spv::s_less_than: return Comparison{Op::s_less};
    case spv::u_less_than_equal: return Comparison{Op::u_less_equal};
    case spv::s_less_than_equal: return Comparison{Op::s_less_equal};
    case spv::f_ord_equal: return Comparison{Op::f_equal};
    case spv::f_unord_not_equal: return Comparison{Op::f_not_equal};
    case spv::f_ord_less_than: return Comparison{Op::f_less};
    case spv::f_ord_greater_than: return Comparison{Op::f_less, true};
    case spv::f_ord_less_than_equal: return Comparison{Op::f_less_equal};
    case spv::f_ord_greater_than_equal: return Comparison{Op::f_less_equal, true};
    // With NaN these are true: the contrary of those that are false.
    case spv::f_unord_less_than: return Comparison{Op::f_less_equal, true, true};
    case spv::f_unord_greater_than: return Comparison{Op::f_less_equal, false, true};
    case spv::f_unord_less_than_equal: return Comparison{Op::f_less, true, true};
    case spv::f_unord_greater_than_equal: return Comparison{Op::f_less, false, true};
    default: return std::nullopt;
    }
}

/// Functions that are one operation, component by component.
std::optional<Op> extended(std::uint32_t number) {
    switch (number) {
    case spv::glsl::round: // Which way halves go is left open there.
    case spv::glsl::round_even: return Op::round_even;
    case spv::glsl::trunc: return Op::trunc;
    case spv::glsl::f_abs: return Op::f_abs;
    case spv::glsl::s_abs: return Op::s_abs;
    case spv::glsl::f_sign: return Op::f_sign;
    case spv::glsl::s_sign: return Op::s_sign;
    case spv::glsl::floor: return Op::floor;
    case spv::glsl::ceil: return Op::ceil;
    case spv::glsl::fract: return Op::fract;
    case spv::glsl::sin: return Op::sin;
    case spv::glsl::cos: return Op::cos;
    case spv::glsl::tan: return Op::tan;
    case spv::glsl::asin: return Op::asin;
    case spv::glsl::acos: return Op::acos;
    case spv::glsl::atan: return Op::atan;
    case spv::glsl::sinh: return Op::sinh;
    case spv::glsl::cosh: return Op::cosh;
    case spv::glsl::tanh: return Op::tanh;
    case spv::glsl::asinh: return Op::asinh;
    case spv::glsl::acosh: return Op::acosh;
    case spv::glsl::atanh: return Op::atanh;
    case spv::glsl::atan2: return Op::atan2;
    case spv::glsl::pow: return Op::pow;
    case spv::glsl::exp: return Op::exp;
    case spv::glsl::log: return Op::log;
    case spv::glsl::exp2: return Op::exp2;
    case spv::glsl::log2: return Op::log2;
    case spv::glsl::sqrt: return Op::sqrt;
    case spv::glsl::inverse_sqrt: return Op::inverse_sqrt;
    case spv::glsl::f_min:
    case spv::glsl::n_min: return Op::f_min;
    case spv::glsl::f_max:
    case spv::glsl::n_max: return Op::f_max;
    case spv::glsl::u_min: return Op::u_min;
    case spv::glsl::s_min: return Op::s_min;
    case spv::glsl::u_max: return Op::u_max;
    case spv::glsl::s_max: return Op::s_max;
    case spv::glsl::f_mix: return Op::f_mix;
    case spv::glsl::fma: return Op::f_fma;
    default: return std::nullopt;
    }
}

} // namespace

bool Instructions::run_arithmetic(const Instruction& i) {
    if (const std::optional<Op> op = arithmetic(i.opcode)) {
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
    if (const std::optional<Op> op = extended(number)) {
        map(plain, *op);
        return;
    }
    switch (number) {
    case spv::glsl::radians:
    case spv::glsl::degrees: {
        constexpr float kDegree = std::numbers::pi_v<float> / 180.f;
        const Leaves angle = value(operand(plain, 0));
        const float factor = number == spv::glsl::radians ? kDegree : 1.f / kDegree;
        const Leaves factors(angle.size(), graph().constant(factor));
        set_rounded(i, mapped(Op::f_mul, std::array{angle, factors}));
        return;
    }
    case spv::glsl::f_clamp:
    case spv::glsl::n_clamp:
    case spv::glsl::u_clamp:
    case spv::glsl::s_clamp: run_clamp(plain, number); return;
    case spv::glsl::step: {
        const Leaves edge = value(operand(plain, 0));
        const Leaves x = value(operand(plain, 1));
        const Leaves is_below = mapped(Op::f_less, std::array{x, edge});
        Leaves leaves;
        for (const NodeId below : is_below) {
            leaves.push_back(graph().select(below, graph().constant(0.f), graph().constant(1.f)));
        }
        set(i.result, std::move(leaves));
        return;
    }
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
    case spv::glsl::cross: {
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
        set_rounded(i, std::move(leaves));
        return;
    }
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
