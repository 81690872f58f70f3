// SPDX-License-Identifier: Apache-2.0
#include "scene/wide_node.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace weft::scene {

namespace {

constexpr std::size_t kSubsets = std::size_t{1} << kWideChildren;
constexpr int kMinExponent = 1; // of a float that is not denormal
constexpr int kMaxExponent = 254;
constexpr int kBias = 127;
constexpr double kMaxFloat = std::numeric_limits<float>::max();

using Costs = std::array<std::array<double, kWideChildren>, kWideChildren>;

/// Twice the centre, against that of the whole.
std::array<double, 3> offset_of(const WideChild& child, const std::array<double, 3>& middle) {
    std::array<double, 3> offset;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        offset[axis] = double{child.lowest[axis]} + child.highest[axis] - middle[axis];
    }
    return offset;
}

/// Corners of the box around all children; of one at the origin if there are none.
WideChild box_around(const WideFamily& family) {
    WideChild box = family.size == 0 ? WideChild{} : family.children[0];
    for (std::size_t i = 1; i < family.size; ++i) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            box.lowest[axis] = std::min(box.lowest[axis], family.children[i].lowest[axis]);
            box.highest[axis] = std::max(box.highest[axis], family.children[i].highest[axis]);
        }
    }
    return box;
}

/// By child, then slot.
Costs cost_by_slot(const WideFamily& family) {
    const std::array<double, 3> middle = offset_of(box_around(family), {});
    Costs costs;
    for (std::size_t i = 0; i < family.size; ++i) {
        const std::array<double, 3> offset = offset_of(family.children[i], middle);
        for (std::size_t slot = 0; slot < kWideChildren; ++slot) {
            costs[i][slot] = ((slot & 4U) != 0 ? -offset[0] : offset[0]) +
                             ((slot & 2U) != 0 ? -offset[1] : offset[1]) +
                             ((slot & 1U) != 0 ? -offset[2] : offset[2]);
        }
    }
    return costs;
}

/// The grid of one axis of a node.
struct Grid {
    float origin;
    int exponent;

    double step() const { return std::ldexp(1.0, exponent - kBias); }
    double steps_to(float at) const { return (double{at} - origin) / step(); }
    std::uint8_t below(float at) const {
        return static_cast<std::uint8_t>(
            std::clamp(std::floor(steps_to(at) - kGridMargin), 0.0, 255.0));
    }
    std::uint8_t above(float at) const {
        return static_cast<std::uint8_t>(
            std::clamp(std::ceil(steps_to(at) + kGridMargin), 0.0, 255.0));
    }
};

/// The largest float that is not above `value`.
float round_down(double value) {
    const auto rounded = static_cast<float>(std::clamp(value, -kMaxFloat, kMaxFloat));
    return double{rounded} <= value
               ? rounded
               : std::nextafter(rounded, -std::numeric_limits<float>::infinity());
}

/// The finest grid that reaches from `lowest` to `highest` with margins.
Grid grid_between(float lowest, float highest) {
    const double extent = double{highest} - lowest;
    Grid grid{.origin = lowest,
              .exponent = extent > 0 ? std::ilogb(extent / 256) + kBias : kMinExponent};
    grid.exponent = std::clamp(grid.exponent, kMinExponent, kMaxExponent);
    while (true) {
        grid.origin = std::max(round_down(lowest - 2 * kGridMargin * grid.step()),
                               std::numeric_limits<float>::lowest());
        const bool reaches =
            grid.steps_to(lowest) >= kGridMargin && grid.steps_to(highest) + kGridMargin <= 255;
        if (reaches || grid.exponent == kMaxExponent) {
            return grid;
        }
        ++grid.exponent;
    }
}

} // namespace

void assign_slots(WideFamily& family) {
    const Costs costs = cost_by_slot(family);
    // Of a subset of slots: the least cost of the first children in them, and the slot of the last of these.
    std::array<double, kSubsets> least;
    std::array<std::uint8_t, kSubsets> last{};
    least[0] = 0;
    std::size_t best = 0;
    for (std::size_t subset = 1; subset < kSubsets; ++subset) {
        const auto used = static_cast<std::uint32_t>(std::popcount(subset));
        if (used > family.size) {
            continue;
        }
        least[subset] = std::numeric_limits<double>::infinity();
        for (std::size_t rest = subset; rest != 0; rest &= rest - 1) {
            const auto slot = static_cast<std::size_t>(std::countr_zero(rest));
            const double cost = least[subset ^ (std::size_t{1} << slot)] + costs[used - 1][slot];
            if (cost < least[subset]) {
                least[subset] = cost;
                last[subset] = static_cast<std::uint8_t>(slot);
            }
        }
        const bool is_complete = used == family.size;
        best = is_complete && (best == 0 || least[subset] < least[best]) ? subset : best;
    }
    for (std::size_t i = family.size; i-- > 0;) {
        family.slots[i] = last[best];
        best ^= std::size_t{1} << last[best];
    }
}

WideNode compress(const WideFamily& family) {
    WideNode node{};
    std::array<const WideChild*, kWideChildren> by_slot{};
    for (std::size_t i = 0; i < family.size; ++i) {
        by_slot[family.slots[i]] = &family.children[i];
    }
    std::uint32_t element = 0;
    for (std::size_t slot = 0; slot < kWideChildren; ++slot) {
        const WideChild* const child = by_slot[slot];
        if (child != nullptr && child->count == 0) {
            node.inner = static_cast<std::uint8_t>(node.inner | 1U << slot);
            node.meta[slot] = static_cast<std::uint8_t>(32U + 24U + slot);
        } else if (child != nullptr) {
            node.meta[slot] = static_cast<std::uint8_t>(((1U << child->count) - 1) << 5U | element);
            element += child->count;
        }
    }
    const WideChild whole = box_around(family);
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const Grid grid = grid_between(whole.lowest[axis], whole.highest[axis]);
        node.origin[axis] = grid.origin;
        node.exponent[axis] = static_cast<std::uint8_t>(grid.exponent);
        for (std::size_t i = 0; i < family.size; ++i) {
            const WideChild& child = family.children[i];
            node.lowest[axis][family.slots[i]] = grid.below(child.lowest[axis]);
            node.highest[axis][family.slots[i]] = grid.above(child.highest[axis]);
        }
    }
    return node;
}

} // namespace weft::scene
