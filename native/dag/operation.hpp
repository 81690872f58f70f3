// SPDX-License-Identifier: Apache-2.0
// What a node of a DAG does: names, types and values of every operation, in one table (operation.cpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace weft::dag {

/// Of a value. Integers have 32 bits and wrap; whether they have a sign is up to the operation. All are kept as 32-bit
/// words: reals by their bits, truth as 0 or 1.
enum class Scalar : std::uint8_t { real, integer, boolean };

enum class Op : std::uint8_t {
    constant,
    input,  ///< number `payload` of the function's reals or integers
    lookup, ///< component `payload % 4` of texture number `payload / 4` at the arguments
    join,   ///< up to three values as one argument of a lookup, which has no value by itself
    select, ///< argument 1 if argument 0, else argument 2; the other may be anything, NaN included

    f_add,
    f_sub,
    f_mul,
    f_div,
    f_rem, ///< sign of the dividend
    f_mod, ///< sign of the divisor
    f_neg,
    f_abs,
    f_sign,
    f_min,
    f_max,
    f_fma,
    f_mix, ///< x (1 - a) + y a
    floor,
    ceil,
    trunc,
    fract,
    round_even,
    sqrt,
    inverse_sqrt,
    sin,
    cos,
    tan,
    asin,
    acos,
    atan,
    atan2,
    sinh,
    cosh,
    tanh,
    asinh,
    acosh,
    atanh,
    exp,
    exp2,
    log,
    log2,
    pow,
    to_half, ///< rounded to 16 bits

    f_less,
    f_less_equal,
    f_equal,
    f_not_equal, ///< true with NaN
    is_nan,
    is_inf,

    i_add,
    i_sub,
    i_mul,
    i_neg,
    i_and,
    i_or,
    i_xor,
    i_not,
    shift_left,
    shift_right, ///< zeros come in
    shift_right_signed,
    s_div, ///< towards zero; by 0: 0
    s_rem, ///< sign of the dividend
    s_mod, ///< sign of the divisor
    u_div,
    u_mod,
    s_min,
    s_max,
    u_min,
    u_max,
    s_abs,
    s_sign,

    i_equal,
    i_not_equal,
    s_less,
    s_less_equal,
    u_less,
    u_less_equal,

    b_and,
    b_or,
    b_not,
    b_equal,

    real_to_s, ///< towards zero; beyond 32 bits the nearest, NaN: 0
    real_to_u,
    s_to_real,
    u_to_real,
    real_bits,
    bits_real,
};

inline constexpr std::size_t kOperations = static_cast<std::size_t>(Op::bits_real) + 1;

using Word = std::uint32_t;
/// Up to three arrays of `count` words.
using Arguments = std::array<const Word*, 3>;

struct Operation {
    Op op = Op::constant;
    std::string_view name;
    std::uint8_t arguments = 0;
    Scalar argument = Scalar::real; ///< of each; of `select` the first is a boolean
    Scalar result = Scalar::real;   ///< of `constant`, `input` and `select` up to the node
    bool is_commutative = false;
    /// Values of `count` elements; null: of `constant`, `input`, `lookup` and `join`.
    void (*evaluate)(const Arguments& arguments, Word* result, std::size_t count) = nullptr;
};

[[nodiscard]] const Operation& operation(Op op) noexcept;

/// The word of a real, and back.
[[nodiscard]] Word word_of(float value) noexcept;
[[nodiscard]] float real_of(Word word) noexcept;

} // namespace weft::dag
