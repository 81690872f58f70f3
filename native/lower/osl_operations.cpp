// SPDX-License-Identifier: Apache-2.0
#include "lower/osl_operations.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <locale>
#include <sstream>

namespace weft::lower::osl {

using core::text;
using dag::Op;
using dag::Scalar;

namespace {

struct Entry {
    Op op = Op::constant;
    std::string_view form; ///< empty: of what is no expression
};

// clang-format off
constexpr std::array<Entry, dag::kOperations> kForms{{
    {Op::constant, ""},
    {Op::input, ""},
    {Op::lookup, ""},
    {Op::join, ""},
    {Op::select, "$0 ? $1 : $2"},

    {Op::f_add, "$0 + $1"},
    {Op::f_sub, "$0 - $1"},
    {Op::f_mul, "$0 * $1"},
    {Op::f_div, "$0 / $1"},
    {Op::f_rem, "weft_fmod($0, $1)"},
    {Op::f_mod, "weft_mod($0, $1)"},
    {Op::f_neg, "-$0"},
    {Op::f_abs, "fabs($0)"},
    {Op::f_sign, "sign($0)"},
    {Op::f_min, "min($0, $1)"},
    {Op::f_max, "max($0, $1)"},
    {Op::f_fma, "$0 * $1 + $2"},
    {Op::f_mix, "mix($0, $1, $2)"},
    {Op::floor, "floor($0)"},
    {Op::ceil, "ceil($0)"},
    {Op::trunc, "trunc($0)"},
    {Op::fract, "weft_fract($0)"},
    {Op::round_even, "weft_round_even($0)"},
    {Op::sqrt, "sqrt($0)"},
    {Op::inverse_sqrt, "inversesqrt($0)"},
    {Op::sin, "sin($0)"},
    {Op::cos, "cos($0)"},
    {Op::tan, "tan($0)"},
    {Op::asin, "weft_asin($0)"},
    {Op::acos, "weft_acos($0)"},
    {Op::atan, "weft_atan($0)"},
    {Op::atan2, "weft_atan2($0, $1)"},
    {Op::sinh, "weft_sinh($0)"},
    {Op::cosh, "weft_cosh($0)"},
    {Op::tanh, "weft_tanh($0)"},
    {Op::asinh, "weft_asinh($0)"},
    {Op::acosh, "weft_acosh($0)"},
    {Op::atanh, "weft_atanh($0)"},
    {Op::exp, "weft_exp($0)"},
    {Op::exp2, "weft_exp2($0)"},
    {Op::log, "weft_log($0)"},
    {Op::log2, "weft_log2($0)"},
    {Op::pow, "weft_pow($0, $1)"},
    {Op::to_half, "weft_to_half($0)"},

    {Op::f_less, "$0 < $1"},
    {Op::f_less_equal, "$0 <= $1"},
    {Op::f_equal, "$0 == $1"},
    {Op::f_not_equal, "$0 != $1"},
    {Op::is_nan, "isnan($0)"},
    {Op::is_inf, "isinf($0)"},

    {Op::i_add, "$0 + $1"},
    {Op::i_sub, "$0 - $1"},
    {Op::i_mul, "$0 * $1"},
    {Op::i_neg, "-$0"},
    {Op::i_and, "$0 & $1"},
    {Op::i_or, "$0 | $1"},
    {Op::i_xor, "$0 ^ $1"},
    {Op::i_not, "~$0"},
    {Op::shift_left, "$0 << ($1 & 31)"},
    {Op::shift_right, "weft_shift_right($0, $1)"},
    {Op::shift_right_signed, "$0 >> ($1 & 31)"},
    {Op::s_div, "weft_div($0, $1)"},
    {Op::s_rem, "weft_rem($0, $1)"},
    {Op::s_mod, "weft_int_mod($0, $1)"},
    {Op::u_div, "weft_unsigned_div($0, $1)"},
    {Op::u_mod, "weft_unsigned_mod($0, $1)"},
    {Op::s_min, "min($0, $1)"},
    {Op::s_max, "max($0, $1)"},
    {Op::u_min, "weft_unsigned_min($0, $1)"},
    {Op::u_max, "weft_unsigned_max($0, $1)"},
    {Op::s_abs, "abs($0)"},
    {Op::s_sign, "weft_int_sign($0)"},

    {Op::i_equal, "$0 == $1"},
    {Op::i_not_equal, "$0 != $1"},
    {Op::s_less, "$0 < $1"},
    {Op::s_less_equal, "$0 <= $1"},
    {Op::u_less, "weft_unsigned_less($0, $1)"},
    {Op::u_less_equal, "weft_unsigned_less_equal($0, $1)"},

    {Op::b_and, "$0 & $1"},
    {Op::b_or, "$0 | $1"},
    {Op::b_not, "!$0"},
    {Op::b_equal, "$0 == $1"},

    {Op::real_to_s, "weft_to_int($0)"},
    {Op::real_to_u, "weft_to_unsigned($0)"},
    {Op::s_to_real, "(float)$0"},
    {Op::u_to_real, "weft_unsigned_to_float($0)"},
    {Op::real_bits, "weft_float_bits($0)"},
    {Op::bits_real, "weft_bits_float($0)"},
}};
// clang-format on

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < kForms.size(); i++) {
        if (static_cast<std::size_t>(kForms[i].op) != i) {
            return false;
        }
    }
    return true;
}
static_assert(is_in_order());

bool is_call(std::string_view form) {
    return form.find('(') < form.find('$') && form[0] >= 'a' && form.back() == ')';
}

/// What is simpler for a constant on the right.
std::string_view form_with_constant(Op op, dag::Word right) {
    constexpr dag::Word kBits = 32;
    const bool is_shift = right < kBits;
    const bool is_divisor = right != 0 && right != ~dag::Word{0};
    switch (op) {
    case Op::shift_left: return is_shift ? "$0 << $1" : "";
    case Op::shift_right_signed: return is_shift ? "$0 >> $1" : "";
    case Op::s_div: return is_divisor ? "$0 / $1" : "";
    case Op::s_rem: return is_divisor ? "$0 % $1" : "";
    default: return "";
    }
}

/// As short as reads back the same.
std::string shortest(float value) {
    std::string digits;
    constexpr int kFirst = 6; // fewer, and 100 would be 1e+02
    for (int precision = kFirst; precision <= std::numeric_limits<float>::max_digits10;
         precision++) {
        std::ostringstream out;
        out.imbue(std::locale::classic());
        out.precision(precision);
        out << value;
        digits = std::move(out).str();
        std::istringstream in(digits);
        in.imbue(std::locale::classic());
        float back = 0;
        if (in >> back && back == value) {
            break;
        }
    }
    return digits;
}

} // namespace

Form form_of(const dag::Graph& graph, const dag::Node& node) {
    std::string_view form;
    if (node.count == 2) {
        if (const auto right = graph.value_of(node.arguments[1])) {
            form = form_with_constant(node.op, *right);
        }
    }
    if (form.empty()) {
        form = kForms[static_cast<std::size_t>(node.op)].form;
    }
    return {std::string(form), is_call(form)};
}

std::string literal(const dag::Node& node) {
    if (node.type != Scalar::real) {
        const auto value = std::bit_cast<std::int32_t>(node.payload);
        if (value == std::numeric_limits<std::int32_t>::min()) {
            return "(-2147483647 - 1)";
        }
        return value < 0 ? text('(', value, ')') : std::to_string(value);
    }
    const float value = dag::real_of(node.payload);
    if (std::isnan(value)) {
        return "weft_nan()";
    }
    if (std::isinf(value)) {
        return value > 0 ? "weft_inf()" : "(-weft_inf())";
    }
    std::string digits = shortest(std::abs(value));
    if (digits.find_first_of(".e") == std::string::npos) {
        digits += ".0";
    }
    return std::signbit(value) ? text("(-", digits, ')') : digits;
}

} // namespace weft::lower::osl
