// SPDX-License-Identifier: Apache-2.0
#include "lower/node_table.hpp"

namespace weft::lower {

using dag::Op;

namespace {

/// Math, in all kinds of trees.
std::string_view math_operation(Op op) noexcept {
    switch (op) {
    case Op::f_add: return "ADD";
    case Op::f_sub: return "SUBTRACT";
    case Op::f_mul: return "MULTIPLY";
    case Op::f_div: return "DIVIDE";
    case Op::f_rem: return "MODULO";
    case Op::f_mod: return "FLOORED_MODULO";
    case Op::f_abs: return "ABSOLUTE";
    case Op::f_sign: return "SIGN";
    case Op::f_min: return "MINIMUM";
    case Op::f_max: return "MAXIMUM";
    case Op::f_fma: return "MULTIPLY_ADD";
    case Op::floor: return "FLOOR";
    case Op::ceil: return "CEIL";
    case Op::trunc: return "TRUNC";
    case Op::fract: return "FRACT";
    case Op::sqrt: return "SQRT";
    case Op::inverse_sqrt: return "INVERSE_SQRT";
    case Op::sin: return "SINE";
    case Op::cos: return "COSINE";
    case Op::tan: return "TANGENT";
    case Op::asin: return "ARCSINE";
    case Op::acos: return "ARCCOSINE";
    case Op::atan: return "ARCTANGENT";
    case Op::atan2: return "ARCTAN2";
    case Op::sinh: return "SINH";
    case Op::cosh: return "COSH";
    case Op::tanh: return "TANH";
    case Op::exp: return "EXPONENT";
    case Op::pow: return "POWER";
    default: return "";
    }
}

std::string_view integer_operation(Op op) noexcept {
    switch (op) {
    case Op::i_add: return "ADD";
    case Op::i_sub: return "SUBTRACT";
    case Op::i_mul: return "MULTIPLY";
    case Op::i_neg: return "NEGATE";
    case Op::s_abs: return "ABSOLUTE";
    case Op::s_min: return "MINIMUM";
    case Op::s_max: return "MAXIMUM";
    case Op::s_sign: return "SIGN";
    case Op::s_div: return "DIVIDE";
    case Op::s_rem: return "MODULO";
    case Op::s_mod: return "FLOORED_MODULO";
    default: return "";
    }
}

std::string_view bit_operation(Op op) noexcept {
    switch (op) {
    case Op::i_and: return "AND";
    case Op::i_or: return "OR";
    case Op::i_xor: return "XOR";
    case Op::i_not: return "NOT";
    default: return "";
    }
}

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

std::string_view boolean_operation(Op op) noexcept {
    switch (op) {
    case Op::b_and: return "AND";
    case Op::b_or: return "OR";
    case Op::b_not: return "NOT";
    case Op::b_equal: return "XNOR";
    default: return "";
    }
}

NodeEntry geometry_node(Op op, BlenderVersion version) noexcept {
    if (const std::string_view name = integer_operation(op); !name.empty()) {
        return {"FunctionNodeIntegerMath",           "operation", name, "",
                {"Value", "Value_001", "Value_002"}, "Value"};
    }
    if (const std::string_view name = bit_operation(op); !name.empty()) {
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
    if (const std::string_view name = boolean_operation(op); !name.empty()) {
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
    if (const std::string_view name = math_operation(op); !name.empty()) {
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
