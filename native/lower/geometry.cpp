// SPDX-License-Identifier: Apache-2.0
#include "lower/emitter.hpp"
#include "lower/node_table.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

namespace weft::lower {

using dag::Op;

namespace {

constexpr std::int64_t kSign = INT32_MIN;
constexpr std::array kShifts{Op::shift_left, Op::shift_right, Op::shift_right_signed};

} // namespace

Source GeometryEmitter::constant(const dag::Node& own) {
    switch (own.type) {
    case dag::Scalar::real: return static_cast<double>(dag::real_of(own.payload));
    case dag::Scalar::integer:
        return static_cast<std::int64_t>(static_cast<std::int32_t>(own.payload));
    default: return own.payload != 0;
    }
}

Source GeometryEmitter::from_socket(const Leaf& leaf, Source source) {
    return is_menu(leaf) ? case_of(leaf, std::move(source), "INT") : source;
}

std::string_view GeometryEmitter::socket_type(const Leaf& leaf) const {
    if (leaf.is_real) {
        return "NodeSocketFloat";
    }
    return leaf.kind == reflect::ScalarKind::bool_ ? "NodeSocketBool" : "NodeSocketInt";
}

Source GeometryEmitter::integer(std::string_view operation, Source a, Source b) {
    return node("FunctionNodeIntegerMath", {{"operation", std::string(operation)}},
                {{"Value", std::move(a)}, {"Value_001", std::move(b)}}, "Value");
}

Source GeometryEmitter::bits(std::string_view operation, std::string_view second, Source a,
                             Source b) {
    return node("FunctionNodeBitMath", {{"operation", std::string(operation)}},
                {{"A", std::move(a)}, {std::string(second), std::move(b)}}, "Value");
}

Source GeometryEmitter::compared(std::string_view operation, std::string_view data, Source a,
                                 Source b) {
    using Names = std::array<std::string_view, 2>;
    const Names inputs = data == "FLOAT" ? Names{"A", "B"} : compared_integers(version());
    return node("FunctionNodeCompare",
                {{"data_type", std::string(data)}, {"operation", std::string(operation)}},
                {{std::string(inputs[0]), std::move(a)}, {std::string(inputs[1]), std::move(b)}},
                "Result");
}

Source GeometryEmitter::boolean(std::string_view operation, Source a, Source b) {
    return node("FunctionNodeBooleanMath", {{"operation", std::string(operation)}},
                {{"Boolean", std::move(a)}, {"Boolean_001", std::move(b)}}, "Boolean");
}

Source GeometryEmitter::negated(Source a) {
    return node("FunctionNodeBooleanMath", {{"operation", "NOT"}}, {{"Boolean", std::move(a)}},
                "Boolean");
}

Source GeometryEmitter::chosen(std::string_view type, Source condition, Source yes, Source no) {
    return node(
        "GeometryNodeSwitch", {{"input_type", std::string(type)}},
        {{"Switch", std::move(condition)}, {"False", std::move(no)}, {"True", std::move(yes)}},
        "Output");
}

bool GeometryEmitter::emit_other(dag::NodeId id, std::span<const Source> a, Source& result) {
    const dag::Node& own = graph()[id];
    switch (own.op) {
    case Op::select: {
        const std::string_view type = own.type == dag::Scalar::real      ? "FLOAT"
                                      : own.type == dag::Scalar::integer ? "INT"
                                                                         : "BOOLEAN";
        result = chosen(type, a[0], a[1], a[2]);
        return true;
    }
    // Compare takes what differs by less than 1e-7 for equal: two comparisons do not.
    case Op::f_equal:
    case Op::f_not_equal: {
        const Source same = boolean("AND", compared("LESS_EQUAL", "FLOAT", a[0], a[1]),
                                    compared("GREATER_EQUAL", "FLOAT", a[0], a[1]));
        result = own.op == Op::f_equal ? same : negated(same);
        return true;
    }
    default:
        return emit_unsigned(own, a, result) || emit_shift(own, a, result) ||
               emit_conversion(own, a, result);
    }
}

Source GeometryEmitter::positive_less(Op op, Source a, Source b) {
    return compared(op == Op::u_less ? "LESS_THAN" : "LESS_EQUAL", "INT", std::move(a),
                    std::move(b));
}

/// As signed integers, with the sign bits turned.
Source GeometryEmitter::unsigned_less(Op op, Source a, Source b) {
    return compared(op == Op::u_less ? "LESS_THAN" : "LESS_EQUAL", "INT",
                    bits("XOR", "B", std::move(a), kSign), bits("XOR", "B", std::move(b), kSign));
}

/// By what is positive: half of the dividend has no sign, and its quotient doubled is right or one too small.
Source GeometryEmitter::unsigned_divided(Op op, const Source& a, const Source& b) {
    const Source half = integer("DIVIDE", bits("SHIFT", "Shift", a, std::int64_t{-1}), b);
    const Source quotient = bits("SHIFT", "Shift", half, std::int64_t{1});
    const Source rest = integer("SUBTRACT", a, integer("MULTIPLY", quotient, b));
    const Source is_right = unsigned_less(Op::u_less, rest, b);
    return op == Op::u_div
               ? chosen("INT", is_right, quotient, integer("ADD", quotient, std::int64_t{1}))
               : chosen("INT", is_right, rest, integer("SUBTRACT", rest, b));
}

/// A quotient, or the rest of one.
Source GeometryEmitter::unsigned_quotient(const dag::Node& own, std::span<const Source> a) {
    const dag::Range first = graph().range_of(own.arguments[0]);
    const dag::Range second = graph().range_of(own.arguments[1]);
    const bool is_quotient = own.op == Op::u_div;
    const bool is_power =
        second.low == second.high && second.low > 0 && (second.low & (second.low - 1)) == 0;
    if (is_power) {
        return divided_by_power(is_quotient, a[0], second.low);
    }
    if (first.low >= 0 && second.low >= 0) {
        return integer(is_quotient ? "DIVIDE" : "MODULO", a[0], a[1]);
    }
    Source result = unsigned_divided(own.op, a[0], a[1]);
    if (second.low < 0) {
        // What has the sign bit goes into everything once at most.
        const Source is_less = unsigned_less(Op::u_less, a[0], a[1]);
        const Source by_large = is_quotient
                                    ? chosen("INT", is_less, std::int64_t{0}, std::int64_t{1})
                                    : chosen("INT", is_less, a[0], integer("SUBTRACT", a[0], a[1]));
        const Source is_large = compared("LESS_THAN", "INT", a[1], std::int64_t{0});
        result = chosen("INT", is_large, by_large, result);
    }
    return result;
}

Source GeometryEmitter::divided_by_power(bool is_quotient, const Source& a, std::int64_t power) {
    if (!is_quotient) {
        return bits("AND", "B", a, power - 1);
    }
    const int places = std::countr_zero(static_cast<std::uint64_t>(power));
    return bits("SHIFT", "Shift", a, static_cast<std::int64_t>(-places));
}

Source GeometryEmitter::unsigned_bound(bool is_min, bool are_positive, std::span<const Source> a) {
    if (are_positive) {
        return integer(is_min ? "MINIMUM" : "MAXIMUM", a[0], a[1]);
    }
    const Source less = unsigned_less(Op::u_less, a[0], a[1]);
    return is_min ? chosen("INT", less, a[0], a[1]) : chosen("INT", less, a[1], a[0]);
}

bool GeometryEmitter::emit_unsigned(const dag::Node& own, std::span<const Source> a,
                                    Source& result) {
    if (own.count != 2) {
        return false;
    }
    const dag::Range first = graph().range_of(own.arguments[0]);
    const dag::Range second = graph().range_of(own.arguments[1]);
    const bool are_positive = first.low >= 0 && second.low >= 0;
    switch (own.op) {
    case Op::u_less:
    case Op::u_less_equal:
        result =
            are_positive ? positive_less(own.op, a[0], a[1]) : unsigned_less(own.op, a[0], a[1]);
        return true;
    case Op::u_min:
    case Op::u_max: result = unsigned_bound(own.op == Op::u_min, are_positive, a); return true;
    case Op::u_div:
    case Op::u_mod: result = unsigned_quotient(own, a); return true;
    default: return false;
    }
}

/// By how many places to the left, of what is known at run time only.
Source GeometryEmitter::places_of(const dag::Range& by, bool is_left, const Source& places) {
    const bool is_small = by.low >= 0 && by.high <= 31;
    Source found = is_small ? places : bits("AND", "B", places, std::int64_t{31});
    return is_left ? found
                   : node("FunctionNodeIntegerMath", {{"operation", "NEGATE"}}, {{"Value", found}},
                          "Value");
}

bool GeometryEmitter::emit_shift(const dag::Node& own, std::span<const Source> a, Source& result) {
    if (std::ranges::find(kShifts, own.op) == kShifts.end()) {
        return false;
    }
    const dag::Range by = graph().range_of(own.arguments[1]);
    const bool is_known = by.low == by.high;
    const std::int64_t count = by.low & 31;
    if (own.op == Op::shift_right_signed && is_known) {
        // 2^31 is no integer of 32 bits: what is left is the sign.
        result = count == 31 ? chosen("INT", compared("LESS_THAN", "INT", a[0], std::int64_t{0}),
                                      std::int64_t{-1}, std::int64_t{0})
                             : integer("DIVIDE_FLOOR", a[0], std::int64_t{1} << count);
        return true;
    }
    const bool is_left = own.op == Op::shift_left;
    const Source places =
        is_known ? Source(is_left ? count : -count) : places_of(by, is_left, a[1]);
    if (own.op == Op::shift_right_signed) {
        // Zeros come in: of what is negative the contrary is shifted.
        const Source sign = chosen("INT", compared("LESS_THAN", "INT", a[0], std::int64_t{0}),
                                   std::int64_t{-1}, std::int64_t{0});
        result =
            bits("XOR", "B", bits("SHIFT", "Shift", bits("XOR", "B", a[0], sign), places), sign);
        return true;
    }
    result = bits("SHIFT", "Shift", a[0], places);
    return true;
}

bool GeometryEmitter::emit_conversion(const dag::Node& own, std::span<const Source> a,
                                      Source& result) {
    const auto truncated = [&](Source value) {
        return node("FunctionNodeFloatToInt", {{"rounding_mode", "TRUNCATE"}},
                    {{"Float", std::move(value)}}, "Integer");
    };
    switch (own.op) {
    case Op::s_to_real: result = a[0]; return true; // the link converts
    case Op::u_to_real:
        result = graph().range_of(own.arguments[0]).low >= 0
                     ? a[0]
                     : math("MULTIPLY_ADD", {bits("SHIFT", "Shift", a[0], std::int64_t{-8}), 256.0,
                                             bits("AND", "B", a[0], std::int64_t{255})});
        return true;
    case Op::real_to_s: result = truncated(a[0]); return true;
    case Op::real_to_u: {
        // Two halves, for what lies beyond 2^31.
        constexpr double kHalf = 65536.0;
        const Source high = math("FLOOR", {math("DIVIDE", {a[0], kHalf})});
        const Source low = math("MULTIPLY_ADD", {high, -kHalf, a[0]});
        result = bits("OR", "B", bits("SHIFT", "Shift", truncated(high), std::int64_t{16}),
                      truncated(low));
        return true;
    }
    default: return false;
    }
}

} // namespace weft::lower
