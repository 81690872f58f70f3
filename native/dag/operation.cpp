// SPDX-License-Identifier: Apache-2.0
#include "dag/operation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <type_traits>

namespace weft::dag {

namespace {

using Integer = std::int32_t;

template <typename T>
T from_word(Word word) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
        return word != 0;
    } else {
        return std::bit_cast<T>(word);
    }
}

template <typename T>
Word to_word(T value) noexcept {
    if constexpr (std::is_same_v<T, bool>) {
        return value ? 1 : 0;
    } else {
        return std::bit_cast<Word>(value);
    }
}

using Evaluate = decltype(Operation::evaluate);

template <typename A, typename F>
constexpr Evaluate unary(F) {
    return [](const Arguments& a, Word* out, std::size_t count) {
        for (std::size_t i = 0; i < count; i++) {
            out[i] = to_word(F{}(from_word<A>(a[0][i])));
        }
    };
}

template <typename A, typename F>
constexpr Evaluate binary(F) {
    return [](const Arguments& a, Word* out, std::size_t count) {
        for (std::size_t i = 0; i < count; i++) {
            out[i] = to_word(F{}(from_word<A>(a[0][i]), from_word<A>(a[1][i])));
        }
    };
}

template <typename A, typename F>
constexpr Evaluate ternary(F) {
    return [](const Arguments& a, Word* out, std::size_t count) {
        for (std::size_t i = 0; i < count; i++) {
            out[i] =
                to_word(F{}(from_word<A>(a[0][i]), from_word<A>(a[1][i]), from_word<A>(a[2][i])));
        }
    };
}

void evaluate_select(const Arguments& a, Word* out, std::size_t count) {
    for (std::size_t i = 0; i < count; i++) {
        out[i] = a[0][i] != 0 ? a[1][i] : a[2][i];
    }
}

float round_half_even(float x) noexcept {
    const float low = std::floor(x);
    const float rest = x - low;
    if (rest == 0.5f) {
        return std::fmod(low, 2.f) == 0.f ? low : low + 1.f;
    }
    return std::copysign(rest < 0.5f ? low : low + 1.f, x);
}

/// The nearest number of 16 bits, ties to even, as a real.
float rounded_to_half(float x) noexcept {
    if (!std::isfinite(x) || x == 0.f) {
        return x;
    }
    constexpr float kMaxHalf = 65504.f;
    constexpr int kFraction = 11;
    constexpr int kLowest = -13; // exponent of the smallest normal number, as frexp counts
    int exponent = 0;
    std::frexp(x, &exponent);
    const int step = std::max(exponent, kLowest) - kFraction;
    const float rounded = std::ldexp(round_half_even(std::ldexp(x, -step)), step);
    return std::abs(rounded) > kMaxHalf ? std::copysign(std::numeric_limits<float>::infinity(), x)
                                        : rounded;
}

Word wrapped_quotient(Integer a, Integer b) noexcept {
    if (b == 0) {
        return 0;
    }
    return b == -1 ? 0u - static_cast<Word>(a) : static_cast<Word>(a / b);
}

Integer remainder(Integer a, Integer b) noexcept {
    return b == 0 || b == -1 ? 0 : a % b;
}

Integer modulo(Integer a, Integer b) noexcept {
    const Integer rest = remainder(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

template <typename T>
T from_real(float x) noexcept {
    if (std::isnan(x)) {
        return 0;
    }
    const double low = std::numeric_limits<T>::lowest();
    const double high = std::numeric_limits<T>::max();
    return static_cast<T>(std::clamp(std::trunc(static_cast<double>(x)), low, high));
}

constexpr Scalar kReal = Scalar::real;
constexpr Scalar kInteger = Scalar::integer;
constexpr Scalar kBoolean = Scalar::boolean;
constexpr Word kShift = 31;

// clang-format off
constexpr std::array<Operation, kOperations> kTable{{
    {Op::constant, "constant", 0, kReal, kReal, false, nullptr},
    {Op::input, "input", 0, kReal, kReal, false, nullptr},
    {Op::lookup, "lookup", 3, kReal, kReal, false, nullptr},
    {Op::join, "join", 3, kReal, kReal, false, nullptr},
    {Op::select, "select", 3, kReal, kReal, false, evaluate_select},

    {Op::f_add, "f_add", 2, kReal, kReal, true, binary<float>([](float a, float b) { return a + b; })},
    {Op::f_sub, "f_sub", 2, kReal, kReal, false, binary<float>([](float a, float b) { return a - b; })},
    {Op::f_mul, "f_mul", 2, kReal, kReal, true, binary<float>([](float a, float b) { return a * b; })},
    {Op::f_div, "f_div", 2, kReal, kReal, false, binary<float>([](float a, float b) { return a / b; })},
    {Op::f_rem, "f_rem", 2, kReal, kReal, false, binary<float>([](float a, float b) { return std::fmod(a, b); })},
    {Op::f_mod, "f_mod", 2, kReal, kReal, false, binary<float>([](float a, float b) { return a - b * std::floor(a / b); })},
    {Op::f_neg, "f_neg", 1, kReal, kReal, false, unary<float>([](float a) { return -a; })},
    {Op::f_abs, "f_abs", 1, kReal, kReal, false, unary<float>([](float a) { return std::abs(a); })},
    {Op::f_sign, "f_sign", 1, kReal, kReal, false, unary<float>([](float a) { return a > 0.f ? 1.f : (a < 0.f ? -1.f : 0.f); })},
    {Op::f_min, "f_min", 2, kReal, kReal, true, binary<float>([](float a, float b) { return std::fmin(a, b); })},
    {Op::f_max, "f_max", 2, kReal, kReal, true, binary<float>([](float a, float b) { return std::fmax(a, b); })},
    {Op::f_fma, "f_fma", 3, kReal, kReal, false, ternary<float>([](float a, float b, float c) { return a * b + c; })},
    {Op::f_mix, "f_mix", 3, kReal, kReal, false, ternary<float>([](float a, float b, float t) { return a * (1.f - t) + b * t; })},
    {Op::floor, "floor", 1, kReal, kReal, false, unary<float>([](float a) { return std::floor(a); })},
    {Op::ceil, "ceil", 1, kReal, kReal, false, unary<float>([](float a) { return std::ceil(a); })},
    {Op::trunc, "trunc", 1, kReal, kReal, false, unary<float>([](float a) { return std::trunc(a); })},
    {Op::fract, "fract", 1, kReal, kReal, false, unary<float>([](float a) { return a - std::floor(a); })},
    {Op::round_even, "round_even", 1, kReal, kReal, false, unary<float>([](float a) { return round_half_even(a); })},
    {Op::sqrt, "sqrt", 1, kReal, kReal, false, unary<float>([](float a) { return std::sqrt(a); })},
    {Op::inverse_sqrt, "inverse_sqrt", 1, kReal, kReal, false, unary<float>([](float a) { return 1.f / std::sqrt(a); })},
    {Op::sin, "sin", 1, kReal, kReal, false, unary<float>([](float a) { return std::sin(a); })},
    {Op::cos, "cos", 1, kReal, kReal, false, unary<float>([](float a) { return std::cos(a); })},
    {Op::tan, "tan", 1, kReal, kReal, false, unary<float>([](float a) { return std::tan(a); })},
    {Op::asin, "asin", 1, kReal, kReal, false, unary<float>([](float a) { return std::asin(a); })},
    {Op::acos, "acos", 1, kReal, kReal, false, unary<float>([](float a) { return std::acos(a); })},
    {Op::atan, "atan", 1, kReal, kReal, false, unary<float>([](float a) { return std::atan(a); })},
    {Op::atan2, "atan2", 2, kReal, kReal, false, binary<float>([](float a, float b) { return std::atan2(a, b); })},
    {Op::sinh, "sinh", 1, kReal, kReal, false, unary<float>([](float a) { return std::sinh(a); })},
    {Op::cosh, "cosh", 1, kReal, kReal, false, unary<float>([](float a) { return std::cosh(a); })},
    {Op::tanh, "tanh", 1, kReal, kReal, false, unary<float>([](float a) { return std::tanh(a); })},
    {Op::asinh, "asinh", 1, kReal, kReal, false, unary<float>([](float a) { return std::asinh(a); })},
    {Op::acosh, "acosh", 1, kReal, kReal, false, unary<float>([](float a) { return std::acosh(a); })},
    {Op::atanh, "atanh", 1, kReal, kReal, false, unary<float>([](float a) { return std::atanh(a); })},
    {Op::exp, "exp", 1, kReal, kReal, false, unary<float>([](float a) { return std::exp(a); })},
    {Op::exp2, "exp2", 1, kReal, kReal, false, unary<float>([](float a) { return std::exp2(a); })},
    {Op::log, "log", 1, kReal, kReal, false, unary<float>([](float a) { return std::log(a); })},
    {Op::log2, "log2", 1, kReal, kReal, false, unary<float>([](float a) { return std::log2(a); })},
    {Op::pow, "pow", 2, kReal, kReal, false, binary<float>([](float a, float b) { return std::pow(a, b); })},
    {Op::to_half, "to_half", 1, kReal, kReal, false, unary<float>([](float a) { return rounded_to_half(a); })},

    {Op::f_less, "f_less", 2, kReal, kBoolean, false, binary<float>([](float a, float b) { return a < b; })},
    {Op::f_less_equal, "f_less_equal", 2, kReal, kBoolean, false, binary<float>([](float a, float b) { return a <= b; })},
    {Op::f_equal, "f_equal", 2, kReal, kBoolean, true, binary<float>([](float a, float b) { return a == b; })},
    {Op::f_not_equal, "f_not_equal", 2, kReal, kBoolean, true, binary<float>([](float a, float b) { return a != b; })},
    {Op::is_nan, "is_nan", 1, kReal, kBoolean, false, unary<float>([](float a) { return std::isnan(a); })},
    {Op::is_inf, "is_inf", 1, kReal, kBoolean, false, unary<float>([](float a) { return std::isinf(a); })},

    {Op::i_add, "i_add", 2, kInteger, kInteger, true, binary<Word>([](Word a, Word b) { return a + b; })},
    {Op::i_sub, "i_sub", 2, kInteger, kInteger, false, binary<Word>([](Word a, Word b) { return a - b; })},
    {Op::i_mul, "i_mul", 2, kInteger, kInteger, true, binary<Word>([](Word a, Word b) { return a * b; })},
    {Op::i_neg, "i_neg", 1, kInteger, kInteger, false, unary<Word>([](Word a) { return 0u - a; })},
    {Op::i_and, "i_and", 2, kInteger, kInteger, true, binary<Word>([](Word a, Word b) { return a & b; })},
    {Op::i_or, "i_or", 2, kInteger, kInteger, true, binary<Word>([](Word a, Word b) { return a | b; })},
    {Op::i_xor, "i_xor", 2, kInteger, kInteger, true, binary<Word>([](Word a, Word b) { return a ^ b; })},
    {Op::i_not, "i_not", 1, kInteger, kInteger, false, unary<Word>([](Word a) { return ~a; })},
    {Op::shift_left, "shift_left", 2, kInteger, kInteger, false, binary<Word>([](Word a, Word b) { return a << (b & kShift); })},
    {Op::shift_right, "shift_right", 2, kInteger, kInteger, false, binary<Word>([](Word a, Word b) { return a >> (b & kShift); })},
    {Op::shift_right_signed, "shift_right_signed", 2, kInteger, kInteger, false, binary<Integer>([](Integer a, Integer b) { return a >> (static_cast<Word>(b) & kShift); })},
    {Op::s_div, "s_div", 2, kInteger, kInteger, false, binary<Integer>([](Integer a, Integer b) { return wrapped_quotient(a, b); })},
    {Op::s_rem, "s_rem", 2, kInteger, kInteger, false, binary<Integer>([](Integer a, Integer b) { return remainder(a, b); })},
    {Op::s_mod, "s_mod", 2, kInteger, kInteger, false, binary<Integer>([](Integer a, Integer b) { return modulo(a, b); })},
    {Op::u_div, "u_div", 2, kInteger, kInteger, false, binary<Word>([](Word a, Word b) { return b == 0 ? 0u : a / b; })},
    {Op::u_mod, "u_mod", 2, kInteger, kInteger, false, binary<Word>([](Word a, Word b) { return b == 0 ? 0u : a % b; })},
    {Op::s_min, "s_min", 2, kInteger, kInteger, true, binary<Integer>([](Integer a, Integer b) { return std::min(a, b); })},
    {Op::s_max, "s_max", 2, kInteger, kInteger, true, binary<Integer>([](Integer a, Integer b) { return std::max(a, b); })},
    {Op::u_min, "u_min", 2, kInteger, kInteger, true, binary<Word>([](Word a, Word b) { return std::min(a, b); })},
    {Op::u_max, "u_max", 2, kInteger, kInteger, true, binary<Word>([](Word a, Word b) { return std::max(a, b); })},
    {Op::s_abs, "s_abs", 1, kInteger, kInteger, false, unary<Integer>([](Integer a) { return a < 0 ? 0u - static_cast<Word>(a) : static_cast<Word>(a); })},
    {Op::s_sign, "s_sign", 1, kInteger, kInteger, false, unary<Integer>([](Integer a) { return a > 0 ? 1 : (a < 0 ? -1 : 0); })},

    {Op::i_equal, "i_equal", 2, kInteger, kBoolean, true, binary<Word>([](Word a, Word b) { return a == b; })},
    {Op::i_not_equal, "i_not_equal", 2, kInteger, kBoolean, true, binary<Word>([](Word a, Word b) { return a != b; })},
    {Op::s_less, "s_less", 2, kInteger, kBoolean, false, binary<Integer>([](Integer a, Integer b) { return a < b; })},
    {Op::s_less_equal, "s_less_equal", 2, kInteger, kBoolean, false, binary<Integer>([](Integer a, Integer b) { return a <= b; })},
    {Op::u_less, "u_less", 2, kInteger, kBoolean, false, binary<Word>([](Word a, Word b) { return a < b; })},
    {Op::u_less_equal, "u_less_equal", 2, kInteger, kBoolean, false, binary<Word>([](Word a, Word b) { return a <= b; })},

    {Op::b_and, "b_and", 2, kBoolean, kBoolean, true, binary<bool>([](bool a, bool b) { return a && b; })},
    {Op::b_or, "b_or", 2, kBoolean, kBoolean, true, binary<bool>([](bool a, bool b) { return a || b; })},
    {Op::b_not, "b_not", 1, kBoolean, kBoolean, false, unary<bool>([](bool a) { return !a; })},
    {Op::b_equal, "b_equal", 2, kBoolean, kBoolean, true, binary<bool>([](bool a, bool b) { return a == b; })},

    {Op::real_to_s, "real_to_s", 1, kReal, kInteger, false, unary<float>([](float a) { return from_real<Integer>(a); })},
    {Op::real_to_u, "real_to_u", 1, kReal, kInteger, false, unary<float>([](float a) { return from_real<Word>(a); })},
    {Op::s_to_real, "s_to_real", 1, kInteger, kReal, false, unary<Integer>([](Integer a) { return static_cast<float>(a); })},
    {Op::u_to_real, "u_to_real", 1, kInteger, kReal, false, unary<Word>([](Word a) { return static_cast<float>(a); })},
    {Op::real_bits, "real_bits", 1, kReal, kInteger, false, unary<Word>([](Word a) { return a; })},
    {Op::bits_real, "bits_real", 1, kInteger, kReal, false, unary<Word>([](Word a) { return a; })},
}};
// clang-format on

constexpr bool is_in_order() {
    for (std::size_t i = 0; i < kOperations; i++) {
        if (static_cast<std::size_t>(kTable[i].op) != i) {
            return false;
        }
    }
    return true;
}
static_assert(is_in_order());

} // namespace

const Operation& operation(Op op) noexcept {
    return kTable[static_cast<std::size_t>(op)];
}

Word word_of(float value) noexcept {
    return std::bit_cast<Word>(value);
}

float real_of(Word word) noexcept {
    return std::bit_cast<float>(word);
}

} // namespace weft::dag
