// SPDX-License-Identifier: Apache-2.0
#include "lower/node_table.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace weft::lower {

using dag::Op;

namespace {

struct Named {
    Op op;
    std::string_view name;
};

/// "" if the operation is not in the table.
std::string_view name_in(std::span<const Named> table, Op op) noexcept {
    const auto found = std::ranges::find(table, op, &Named::op);
    return found == table.end() ? std::string_view() : found->name;
}

/// Math, in all kinds of trees.
constexpr auto kMathOperations = std::to_array<Named>({{Op::f_add, "ADD"},
                                                       {Op::f_sub, "SUBTRACT"},
                                                       {Op::f_mul, "MULTIPLY"},
                                                       {Op::f_div, "DIVIDE"},
                                                       {Op::f_rem, "MODULO"},
                                                       {Op::f_mod, "FLOORED_MODULO"},
                                                       {Op::f_abs, "ABSOLUTE"},
                                                       {Op::f_sign, "SIGN"},
                                                       {Op::f_min, "MINIMUM"},
                                                       {Op::f_max, "MAXIMUM"},
                                                       {Op::f_fma, "MULTIPLY_ADD"},
                                                       {Op::floor, "FLOOR"},
                                                       {Op::ceil, "CEIL"},
                                                       {Op::trunc, "TRUNC"},
                                                       {Op::fract, "FRACT"},
                                                       {Op::sqrt, "SQRT"},
                                                       {Op::inverse_sqrt, "INVERSE_SQRT"},
                                                       {Op::sin, "SINE"},
                                                       {Op::cos, "COSINE"},
                                                       {Op::tan, "TANGENT"},
                                                       {Op::asin, "ARCSINE"},
                                                       {Op::acos, "ARCCOSINE"},
                                                       {Op::atan, "ARCTANGENT"},
                                                       {Op::atan2, "ARCTAN2"},
                                                       {Op::sinh, "SINH"},
                                                       {Op::cosh, "COSH"},
                                                       {Op::tanh, "TANH"},
                                                       {Op::exp, "EXPONENT"},
                                                       {Op::pow, "POWER"}});

constexpr auto kIntegerOperations = std::to_array<Named>({{Op::i_add, "ADD"},
                                                          {Op::i_sub, "SUBTRACT"},
                                                          {Op::i_mul, "MULTIPLY"},
                                                          {Op::i_neg, "NEGATE"},
                                                          {Op::s_abs, "ABSOLUTE"},
                                                          {Op::s_min, "MINIMUM"},
                                                          {Op::s_max, "MAXIMUM"},
                                                          {Op::s_sign, "SIGN"},
                                                          {Op::s_div, "DIVIDE"},
                                                          {Op::s_rem, "MODULO"},
                                                          {Op::s_mod, "FLOORED_MODULO"}});

constexpr auto kBitOperations = std::to_array<Named>(
    {{Op::i_and, "AND"}, {Op::i_or, "OR"}, {Op::i_xor, "XOR"}, {Op::i_not, "NOT"}});

struct Compared {
    std::string_view operation;
    bool is_real = false;
};

Compared comparison(Op op) noexcept {
    switch (op) {
    case Op::f_less: return {"LESS_THAN", true};
    case Op::f_less_equal: return {"LESS_EQUAL", true};
    case Op::s_less: return {"LESS_THAN", false};
    case Op::s_less_equal: return {"LESS_EQUAL", false};
    case Op::i_equal: return {"EQUAL", false};
    case Op::i_not_equal: return {"NOT_EQUAL", false};
    default: return {};
    }
}

constexpr auto kBooleanOperations = std::to_array<Named>(
    {{Op::b_and, "AND"}, {Op::b_or, "OR"}, {Op::b_not, "NOT"}, {Op::b_equal, "XNOR"}});

NodeEntry geometry_node(Op op, BlenderVersion version) noexcept {
    if (const std::string_view name = name_in(kIntegerOperations, op); !name.empty()) {
        return {"FunctionNodeIntegerMath",           "operation", name, "",
                {"Value", "Value_001", "Value_002"}, "Value"};
    }
    if (const std::string_view name = name_in(kBitOperations, op); !name.empty()) {
        return {"FunctionNodeBitMath", "operation", name, "", {"A", "B", ""}, "Value"};
    }
    if (const Compared found = comparison(op); !found.operation.empty()) {
        if (found.is_real) {
            return {"FunctionNodeCompare", "operation", found.operation, "FLOAT",
                    {"A", "B", ""},        "Result"};
        }
        const auto inputs = compared_integers(version);
        return {"FunctionNodeCompare",      "operation", found.operation, "INT",
                {inputs[0], inputs[1], ""}, "Result"};
    }
    if (const std::string_view name = name_in(kBooleanOperations, op); !name.empty()) {
        return {"FunctionNodeBooleanMath",      "operation", name, "",
                {"Boolean", "Boolean_001", ""}, "Boolean"};
    }
    return {};
}

} // namespace

std::array<std::string_view, 2> compared_integers(BlenderVersion version) noexcept {
    if (version < BlenderVersion{5, 2}) {
        return {"A_INT", "B_INT"};
    }
    return {"A", "B"};
}

NodeEntry node_of(Op op, TreeKind kind, BlenderVersion version) noexcept {
    if (const std::string_view name = name_in(kMathOperations, op); !name.empty()) {
        return {"ShaderNodeMath", "operation", name, "", {"Value", "Value_001", "Value_002"},
                "Value"};
    }
    if (kind == TreeKind::geometry) {
        return geometry_node(op, version);
    }
    if (op == Op::f_less) {
        return {"ShaderNodeMath",           "operation", "LESS_THAN", "",
                {"Value", "Value_001", ""}, "Value"};
    }
    return {};
}

} // namespace weft::lower
