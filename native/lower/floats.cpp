// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/text.hpp"
#include "dag/refusal.hpp"
#include "lower/emitter.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace weft::lower {

using core::text;
using dag::Op;
using dag::refuse;

namespace {

constexpr std::int64_t kExact = 1 << 24; ///< floats hold all integers up to it

bool is_small(const dag::Range& range) {
    return range.low >= -kExact && range.high <= kExact;
}

/// 2^k - 1 of a mask of the lowest k bits; -1 of others.
double mask_step(std::int64_t mask) {
    return mask >= 0 && (mask & (mask + 1)) == 0 ? static_cast<double>(mask + 1) : -1;
}

constexpr std::array kMakesValues{Op::i_add, Op::i_sub, Op::i_mul, Op::i_not, Op::shift_left};

bool is_number(const Source& source, double value) {
    const auto* number = std::get_if<double>(&source);
    return number != nullptr && *number == value && !std::signbit(*number);
}

} // namespace

Source FloatEmitter::constant(const dag::Node& own) {
    switch (own.type) {
    case dag::Scalar::real: return static_cast<double>(dag::real_of(own.payload));
    case dag::Scalar::integer: {
        const auto value = static_cast<std::int32_t>(own.payload);
        if (std::abs(static_cast<std::int64_t>(value)) > kExact) {
            refuse(text("the integer ", value,
                        " is beyond 2^24, and trees of shaders and of the compositor "
                        "have floats alone; hash with whiteNoise() of weft.noise, or use OSL"));
        }
        return static_cast<double>(value);
    }
    default: return own.payload != 0 ? 1.0 : 0.0;
    }
}

Source FloatEmitter::from_socket(const Leaf& leaf, Source source) {
    if (leaf.is_real) {
        return source;
    }
    if (is_menu(leaf)) {
        return case_of(leaf, std::move(source), "FLOAT");
    }
    // A socket of floats may hold 2.7.
    return leaf.kind == reflect::ScalarKind::bool_ ? math("GREATER_THAN", {std::move(source), 0.5})
                                                   : math("TRUNC", {std::move(source)});
}

std::string_view FloatEmitter::socket_type(const Leaf&) const {
    return "NodeSocketFloat";
}

void FloatEmitter::require_small(dag::NodeId id) const {
    const dag::Range range = graph().range_of(id);
    if (!is_small(range)) {
        refuse(text("an integer ('", operation(graph()[id].op).name, "') may lie between ",
                    range.low, " and ", range.high,
                    ", and trees of shaders and of the compositor have floats alone, "
                    "which hold integers up to 2^24; bound it with clamp(), hash with "
                    "whiteNoise() of weft.noise, "
                    "or use OSL"));
    }
}

Source FloatEmitter::chosen(std::span<const Source> a) {
    if (is_number(a[1], 1) && is_number(a[2], 0)) {
        return a[0];
    }
    if (is_number(a[1], 0) && is_number(a[2], 1)) {
        return math("SUBTRACT", {1.0, a[0]});
    }
    return node("ShaderNodeMix", {{"data_type", "FLOAT"}},
                {{"Factor_Float", a[0]}, {"A_Float", a[2]}, {"B_Float", a[1]}}, "Result_Float");
}

bool FloatEmitter::emit_other(dag::NodeId id, std::span<const Source> a, Source& result) {
    const dag::Node& own = graph()[id];
    if (own.op == Op::select) {
        result = chosen(a);
        return true;
    }
    if (emit_logic(own, a, result) || emit_bits(own, a, result)) {
        return true;
    }
    switch (own.op) {
    case Op::s_to_real: result = a[0]; return true;
    case Op::u_to_real:
        if (graph().range_of(own.arguments[0]).low < 0) {
            require_small(own.arguments[0]);
            return false;
        }
        result = a[0];
        return true;
    case Op::real_to_s:
    case Op::real_to_u: result = math("TRUNC", {a[0]}); return true;
    default: break;
    }
    // What only picks among values is exact for all that floats hold.
    if (std::ranges::find(kMakesValues, own.op) != kMakesValues.end()) {
        require_small(id);
    }
    return emit_integer(own, a, result);
}

bool FloatEmitter::emit_logic(const dag::Node& own, std::span<const Source> a, Source& result) {
    const auto contrary = [&](Source value) { return math("SUBTRACT", {1.0, std::move(value)}); };
    switch (own.op) {
    case Op::b_and: result = math("MULTIPLY", {a[0], a[1]}); return true;
    case Op::b_or: result = math("MAXIMUM", {a[0], a[1]}); return true;
    case Op::b_not: result = contrary(a[0]); return true;
    case Op::b_equal: result = math("COMPARE", {a[0], a[1], 0.5}); return true;
    case Op::f_less_equal:
    case Op::s_less_equal: result = contrary(math("GREATER_THAN", {a[0], a[1]})); return true;
    // Compare takes what differs by less than 1e-7 for equal: two comparisons do not.
    case Op::f_not_equal:
        result = math("ADD", {math("LESS_THAN", {a[0], a[1]}), math("GREATER_THAN", {a[0], a[1]})});
        return true;
    case Op::f_equal:
        result = contrary(
            math("ADD", {math("LESS_THAN", {a[0], a[1]}), math("GREATER_THAN", {a[0], a[1]})}));
        return true;
    case Op::i_equal: result = math("COMPARE", {a[0], a[1], 0.5}); return true;
    case Op::i_not_equal: result = contrary(math("COMPARE", {a[0], a[1], 0.5})); return true;
    case Op::s_less: result = math("LESS_THAN", {a[0], a[1]}); return true;
    case Op::u_less:
    case Op::u_less_equal:
        if (graph().range_of(own.arguments[0]).low < 0 ||
            graph().range_of(own.arguments[1]).low < 0) {
            return false;
        }
        result = own.op == Op::u_less ? math("LESS_THAN", {a[0], a[1]})
                                      : contrary(math("GREATER_THAN", {a[0], a[1]}));
        return true;
    default: return false;
    }
}

bool FloatEmitter::emit_mask(const dag::Node& own, std::span<const Source> a, Source& result) {
    for (const std::size_t k : {0, 1}) {
        const dag::Range mask = graph().range_of(own.arguments[k]);
        const double step = mask.low == mask.high ? mask_step(mask.low) : -1;
        if (step > 0) {
            result = math("FLOORED_MODULO", {a[1 - k], step});
            return true;
        }
    }
    return false;
}

/// Masks of the lowest bits, and shifts by constants: exact for every integer that a float holds.
bool FloatEmitter::emit_bits(const dag::Node& own, std::span<const Source> a, Source& result) {
    if (own.op == Op::i_and) {
        return emit_mask(own, a, result);
    }
    // To the left is like a product, only where it stays small: emit_integer().
    if (own.op != Op::shift_right && own.op != Op::shift_right_signed) {
        return false;
    }
    const dag::Range by = graph().range_of(own.arguments[1]);
    const bool is_known = by.low == by.high && by.low >= 0 && by.low < 32;
    const bool has_sign = own.op == Op::shift_right && graph().range_of(own.arguments[0]).low < 0;
    if (!is_known || has_sign) {
        return false;
    }
    const double factor = std::ldexp(1.0, static_cast<int>(by.low));
    result = math("FLOOR", {math("DIVIDE", {a[0], factor})});
    return true;
}

bool FloatEmitter::emit_integer(const dag::Node& own, std::span<const Source> a, Source& result) {
    const auto is_positive = [&](std::size_t i) {
        return graph().range_of(own.arguments[i]).low >= 0;
    };
    const auto quotient = [&] { return math("TRUNC", {math("DIVIDE", {a[0], a[1]})}); };
    switch (own.op) {
    case Op::i_add: result = math("ADD", {a[0], a[1]}); return true;
    case Op::i_sub: result = math("SUBTRACT", {a[0], a[1]}); return true;
    case Op::i_mul: result = math("MULTIPLY", {a[0], a[1]}); return true;
    case Op::i_neg: result = math("MULTIPLY", {a[0], -1.0}); return true;
    case Op::s_abs: result = math("ABSOLUTE", {a[0]}); return true;
    case Op::s_sign: result = math("SIGN", {a[0]}); return true;
    case Op::s_min: result = math("MINIMUM", {a[0], a[1]}); return true;
    case Op::s_max: result = math("MAXIMUM", {a[0], a[1]}); return true;
    case Op::i_not: result = math("SUBTRACT", {-1.0, a[0]}); return true;
    case Op::shift_left: {
        const dag::Range by = graph().range_of(own.arguments[1]);
        if (by.low != by.high) {
            return false;
        }
        result = math("MULTIPLY", {a[0], std::ldexp(1.0, static_cast<int>(by.low & 31))});
        return true;
    }
    case Op::s_div:
        require_small(own.arguments[0]);
        result = quotient();
        return true;
    case Op::s_rem: result = math("MODULO", {a[0], a[1]}); return true;
    case Op::s_mod: result = math("FLOORED_MODULO", {a[0], a[1]}); return true;
    case Op::u_div:
        if (!is_positive(0) || !is_positive(1)) {
            return false;
        }
        require_small(own.arguments[0]);
        result = quotient();
        return true;
    case Op::u_mod:
        if (!is_positive(0) || !is_positive(1)) {
            return false;
        }
        result = math("MODULO", {a[0], a[1]});
        return true;
    case Op::u_min:
    case Op::u_max:
        if (!is_positive(0) || !is_positive(1)) {
            return false;
        }
        result = math(own.op == Op::u_min ? "MINIMUM" : "MAXIMUM", {a[0], a[1]});
        return true;
    default: return false;
    }
}

} // namespace weft::lower
