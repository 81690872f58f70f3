// SPDX-License-Identifier: Apache-2.0
#include "dag/ranges.hpp"

#include <algorithm>
#include <cmath>

namespace weft::dag {

namespace {

constexpr Range kAll{};
constexpr int kDepth = 8; ///< of expressions of reals that are looked through

bool fits(const Range& range) {
    return range.low >= kAll.low && range.high <= kAll.high;
}

/// The range itself, or all if a value in it would wrap.
Range checked(const Range& range) {
    return fits(range) ? range : kAll;
}

Range product(const Range& a, const Range& b) {
    const auto ends = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
    return checked({std::min(ends), std::max(ends)});
}

/// With the sign of the dividend, by what is positive.
Range signed_remainder(const Range& a, const Range& b) {
    return {a.low < 0 ? std::max(a.low, 1 - b.high) : 0,
            a.high > 0 ? std::min(a.high, b.high - 1) : 0};
}

/// Quotients and remainders by what is positive.
Range divided(const Range& a, const Range& b, Op op) {
    if (b.low <= 0) {
        return kAll;
    }
    const bool is_unsigned = op == Op::u_div || op == Op::u_mod;
    if (is_unsigned && a.low < 0) {
        return op == Op::u_mod ? Range{0, b.high - 1} : kAll;
    }
    switch (op) {
    case Op::s_div:
    case Op::u_div: {
        const auto ends = {a.low / b.low, a.low / b.high, a.high / b.low, a.high / b.high};
        return {std::min(ends), std::max(ends)};
    }
    case Op::s_mod: return {0, b.high - 1};
    default: return signed_remainder(a, b);
    }
}

Range shifted(const Range& a, const Range& b, Op op) {
    if (b.low != b.high || b.low < 0 || b.low > 31) {
        return kAll;
    }
    const std::int64_t factor = std::int64_t{1} << b.low;
    switch (op) {
    case Op::shift_left: return product(a, {factor, factor});
    case Op::shift_right_signed: return {a.low >> b.low, a.high >> b.low};
    default:
        if (a.low >= 0) {
            return {a.low >> b.low, a.high >> b.low};
        }
        return b.low == 0 ? kAll : Range{0, (std::int64_t{UINT32_MAX} >> b.low)};
    }
}

/// A bit mask that is not negative bounds what passes it.
Range masked(const Range& a, const Range& b) {
    if (a.low >= 0 && b.low >= 0) {
        return {0, std::min(a.high, b.high)};
    }
    if (a.low >= 0 || b.low >= 0) {
        return {0, a.low >= 0 ? a.high : b.high};
    }
    return kAll;
}

Range of_two(Op op, const Range& a, const Range& b) {
    switch (op) {
    case Op::i_add: return checked({a.low + b.low, a.high + b.high});
    case Op::i_sub: return checked({a.low - b.high, a.high - b.low});
    case Op::i_mul: return product(a, b);
    case Op::i_and: return masked(a, b);
    case Op::shift_left:
    case Op::shift_right:
    case Op::shift_right_signed: return shifted(a, b, op);
    case Op::s_div:
    case Op::u_div:
    case Op::s_rem:
    case Op::s_mod:
    case Op::u_mod: return divided(a, b, op);
    case Op::s_min: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::s_max: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::u_min:
        if (a.low >= 0 && b.low >= 0) {
            return {std::min(a.low, b.low), std::min(a.high, b.high)};
        }
        // One that is not negative is the smaller of the two, or bounds it.
        if (a.low >= 0 || b.low >= 0) {
            return {0, a.low >= 0 ? a.high : b.high};
        }
        return kAll;
    case Op::u_max:
        return a.low >= 0 && b.low >= 0 ? Range{std::max(a.low, b.low), std::max(a.high, b.high)}
                                        : kAll;
    default: return kAll;
    }
}

/// Interval of a real.
struct RealRange {
    double low = -HUGE_VAL;
    double high = HUGE_VAL;
};

RealRange sum(const RealRange& a, const RealRange& b) {
    return {a.low + b.low, a.high + b.high};
}

RealRange negative(const RealRange& a) {
    return {-a.high, -a.low};
}

RealRange product(const RealRange& a, const RealRange& b) {
    const auto of = [](double x, double y) { return x == 0 || y == 0 ? 0 : x * y; };
    const auto ends = {of(a.low, b.low), of(a.low, b.high), of(a.high, b.low), of(a.high, b.high)};
    return {std::min(ends), std::max(ends)};
}

RealRange absolute(const RealRange& a) {
    const double most = std::max(-a.low, a.high);
    return {a.low > 0 ? a.low : (a.high < 0 ? -a.high : 0), most};
}

RealRange real_range(const Graph& graph, NodeId id, int depth);

RealRange range_of_two_reals(Op op, const RealRange& a, const RealRange& b) {
    switch (op) {
    case Op::f_add: return sum(a, b);
    case Op::f_sub: return sum(a, negative(b));
    case Op::f_mul: return product(a, b);
    case Op::f_min: return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Op::f_max: return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Op::f_mod: // the sign is that of the divisor
        return b.low > 0 ? RealRange{0, b.high} : RealRange{};
    default: return {};
    }
}

RealRange range_of_one_real(Op op, const RealRange& a) {
    switch (op) {
    case Op::f_neg: return negative(a);
    case Op::f_abs: return absolute(a);
    case Op::f_sign:
    case Op::sin:
    case Op::cos:
    case Op::tanh: return {-1, 1};
    case Op::fract: return {0, 1};
    case Op::floor:
    case Op::ceil:
    case Op::trunc:
    case Op::round_even: return {std::floor(a.low), std::ceil(a.high)};
    default: return {};
    }
}

/// Intervals end where a float of 24 bits would, so that rounding cannot leave them: they are made a little wider.
RealRange widened(const RealRange& a) {
    constexpr double kRounding = 1e-6;
    return {a.low - std::abs(a.low) * kRounding, a.high + std::abs(a.high) * kRounding};
}

RealRange range_of_constant(double value) {
    return std::isnan(value) ? RealRange{} : RealRange{value, value};
}

RealRange range_of_integer(const Range& from, bool is_unsigned) {
    const bool wraps = is_unsigned && from.low < 0;
    return wraps ? RealRange{0, 4294967296.0}
                 : RealRange{static_cast<double>(from.low), static_cast<double>(from.high)};
}

RealRange around(const RealRange& a, const RealRange& b) {
    return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

bool is_computed_real(const Node& node) {
    return node.type == Scalar::real && node.op != Op::input && node.op != Op::lookup;
}

RealRange widened_if_known(const RealRange& found) {
    return std::isnan(found.low) || std::isnan(found.high) ? RealRange{} : widened(found);
}

RealRange real_range(const Graph& graph, NodeId id, int depth) {
    const Node& node = graph[id];
    if (node.op == Op::constant) {
        return range_of_constant(real_of(node.payload));
    }
    if (node.op == Op::s_to_real || node.op == Op::u_to_real) {
        return range_of_integer(graph.range_of(node.arguments[0]), node.op == Op::u_to_real);
    }
    if (!is_computed_real(node) || depth == 0) {
        return {};
    }
    const auto of = [&](std::size_t k) { return real_range(graph, node.arguments[k], depth - 1); };
    if (node.op == Op::select) {
        return around(of(1), of(2));
    }
    const bool is_of_reals = operation(node.op).argument == Scalar::real;
    if (!is_of_reals || node.count > 2) {
        return {};
    }
    const RealRange found = node.count == 2 ? range_of_two_reals(node.op, of(0), of(1))
                                            : range_of_one_real(node.op, of(0));
    return widened_if_known(found);
}

/// Integers of bounded reals; NaN becomes 0.
Range converted(const RealRange& from) {
    constexpr double kMaxInteger = INT32_MAX;
    const bool is_bounded = from.low >= -kMaxInteger && from.high <= kMaxInteger;
    return is_bounded ? Range{std::min<std::int64_t>(std::llround(std::trunc(from.low)), 0),
                              std::max<std::int64_t>(std::llround(std::trunc(from.high)), 0)}
                      : kAll;
}

} // namespace

Range range_of_node(const Graph& graph, const Node& node) {
    if (node.type != Scalar::integer) {
        return kAll;
    }
    const auto range = [&](std::size_t i) { return graph.range_of(node.arguments[i]); };
    switch (node.op) {
    case Op::constant: {
        const auto value = static_cast<std::int64_t>(static_cast<std::int32_t>(node.payload));
        return {value, value};
    }
    case Op::select:
        return {std::min(range(1).low, range(2).low), std::max(range(1).high, range(2).high)};
    case Op::i_neg: return checked({-range(0).high, -range(0).low});
    case Op::i_not: return {-1 - range(0).high, -1 - range(0).low};
    case Op::s_abs: {
        const Range a = range(0);
        const std::int64_t low = a.low > 0 ? a.low : (a.high < 0 ? -a.high : 0);
        return checked({low, std::max(-a.low, a.high)});
    }
    case Op::s_sign: return {-1, 1};
    case Op::real_to_s: return converted(real_range(graph, node.arguments[0], kDepth));
    case Op::real_to_u: {
        const RealRange from = real_range(graph, node.arguments[0], kDepth);
        return from.low >= 0 ? converted(from) : kAll;
    }
    default: return node.count == 2 ? of_two(node.op, range(0), range(1)) : kAll;
    }
}

} // namespace weft::dag
