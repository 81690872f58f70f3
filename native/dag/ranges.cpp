// SPDX-License-Identifier: Apache-2.0
#include "dag/ranges.hpp"

#include <algorithm>

namespace weft::dag {

namespace {

constexpr Range kAll{};

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
    default: // the sign is that of the dividend
        return {a.low < 0 ? std::max(a.low, 1 - b.high) : 0,
                a.high > 0 ? std::min(a.high, b.high - 1) : 0};
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
    default: return node.count == 2 ? of_two(node.op, range(0), range(1)) : kAll;
    }
}

} // namespace weft::dag
