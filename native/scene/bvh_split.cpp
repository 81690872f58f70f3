// SPDX-License-Identifier: Apache-2.0
#include "scene/bvh_split.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace weft::scene {

namespace {

constexpr std::size_t kMaxBins = 16;
/// Time to visit a node by the time to test a triangle.
constexpr double kNodeCost = 1.0;

static_assert(sizeof(BvhPrimitive) == sizeof(Box));

/// The box of a primitive. What is in the fourth lanes does not matter.
Box box_of(const BvhPrimitive& primitive) noexcept {
    return {Lanes::load(&primitive.lowest), Lanes::load(&primitive.highest)};
}

/// Halved before adding: the sum of two finite floats may be infinite.
Lanes centre_of(const Box& box) noexcept {
    const Lanes half = Lanes::all(0.5F);
    return half * box.lowest + half * box.highest;
}

/// Which bin a centre falls into, by axis.
class Binning {
public:
    Binning(const Box& centres, std::size_t count)
        : m_lowest(centres.lowest), m_last(Lanes::all(static_cast<float>(count - 1))) {
        const std::array<float, 4> extent = (centres.highest - centres.lowest).array();
        std::array<float, 4> scales{};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const float scale = static_cast<float>(count) / extent[axis];
            m_is_used[axis] = extent[axis] > 0 && scale <= std::numeric_limits<float>::max();
            scales[axis] = m_is_used[axis] ? scale : 0;
        }
        m_scale = Lanes::load(scales.data());
    }
    bool is_used(std::size_t axis) const noexcept { return m_is_used[axis]; }
    /// Bins by axis; in range also where differences overflow to infinity or NaN.
    std::array<std::uint32_t, 3> bins(Lanes centre) const noexcept {
        const Lanes place = (centre - m_lowest) * m_scale;
        // A NaN in the first argument gives the second.
        const std::array<float, 4> bin = max(min(place, m_last), Lanes::all(0)).array();
        return {static_cast<std::uint32_t>(static_cast<std::int32_t>(bin[0])),
                static_cast<std::uint32_t>(static_cast<std::int32_t>(bin[1])),
                static_cast<std::uint32_t>(static_cast<std::int32_t>(bin[2]))};
    }

private:
    Lanes m_lowest;
    Lanes m_scale{};
    Lanes m_last;
    std::array<bool, 3> m_is_used{};
};

struct Bin {
    Box box;
    std::size_t count;
};

/// Bins of the three axes, side by side; only as many as are used are ever touched.
struct Bins {
    std::size_t count; ///< of an axis
    std::array<std::array<Bin, 3>, kMaxBins> by_place;
};

struct Cut {
    std::size_t axis = 0;
    std::size_t bin = 0;   ///< the first of the second part
    std::size_t count = 0; ///< primitives of the first part
    double cost = std::numeric_limits<double>::infinity();
};

std::size_t bin_count(std::size_t primitive_count) {
    return std::min(kMaxBins, 4 + primitive_count / 16);
}

void fill_bins(std::span<const BvhPrimitive> primitives, const Binning& binning, Bins& bins) {
    for (std::size_t i = 0; i < bins.count; ++i) {
        bins.by_place[i].fill({.box = Box(), .count = 0});
    }
    for (const BvhPrimitive& primitive : primitives) {
        const Box box = box_of(primitive);
        const auto places = binning.bins(centre_of(box));
        for (std::size_t axis = 0; axis < 3; ++axis) {
            Bin& bin = bins.by_place[places[axis]][axis];
            bin.box.include(box);
            ++bin.count;
        }
    }
}

/// Sweeps the bins of one axis from both ends. Costs are areas times numbers.
void sweep(const Bins& bins, std::size_t axis, std::size_t total, Cut& best) {
    std::array<double, kMaxBins> cost_after;
    Box box;
    std::size_t number = 0;
    for (std::size_t i = bins.count - 1; i > 0; --i) {
        const Bin& bin = bins.by_place[i][axis];
        box.include(bin.box);
        number += bin.count;
        cost_after[i] = number == 0 ? 0 : box.half_area() * static_cast<double>(number);
    }
    box = {};
    number = 0;
    for (std::size_t i = 1; i < bins.count; ++i) {
        const Bin& bin = bins.by_place[i - 1][axis];
        box.include(bin.box);
        number += bin.count;
        if (bin.count == 0 || number == total) {
            continue;
        }
        const double cost = box.half_area() * static_cast<double>(number) + cost_after[i];
        if (cost < best.cost) {
            best = {.axis = axis, .bin = i, .count = number, .cost = cost};
        }
    }
}

/// The smallest d with count <= 2^d.
std::uint32_t depth_by_halving(std::size_t count) {
    return count < 2 ? 0 : static_cast<std::uint32_t>(std::bit_width(count - 1));
}

bool fits(const Range& range, std::size_t first_count, const TreeLimits& limits) {
    const std::size_t larger = std::max(first_count, range.size() - first_count);
    return range.depth + 1 + depth_by_halving(larger) <= limits.depth;
}

std::pair<Range, Range> children_at(const Range& range, std::size_t middle) {
    return {{.begin = range.begin, .end = middle, .depth = range.depth + 1, .bounds = {}},
            {.begin = middle, .end = range.end, .depth = range.depth + 1, .bounds = {}}};
}

/// In whole registers: what was stored in pieces takes long to be read at once.
void swap_whole(BvhPrimitive& a, BvhPrimitive& b) noexcept {
    const Box from_a = box_of(a);
    const Box from_b = box_of(b);
    std::memcpy(static_cast<void*>(&a), &from_b, sizeof(a));
    std::memcpy(static_cast<void*>(&b), &from_a, sizeof(b));
}

std::pair<Range, Range> cut_by_bins(const Range& range, std::span<BvhPrimitive> primitives,
                                    const Binning& binning, const Cut& cut) {
    auto children = children_at(range, range.begin + cut.count);
    const auto is_first = [&](const BvhPrimitive& primitive) {
        return binning.bins(centre_of(box_of(primitive)))[cut.axis] < cut.bin;
    };
    std::size_t low = range.begin;
    std::size_t high = range.end;
    while (low < high) {
        if (is_first(primitives[low])) {
            children.first.bounds.include(primitives[low++]);
        } else {
            swap_whole(primitives[low], primitives[--high]);
            children.second.bounds.include(primitives[high]);
        }
    }
    return children;
}

/// Halves by number along the longest axis of the centres.
std::pair<Range, Range> cut_in_half(const Range& range, std::span<BvhPrimitive> primitives) {
    const Box& centres = range.bounds.centres;
    const std::array<float, 4> extent = (centres.highest - centres.lowest).array();
    const auto axis = static_cast<std::size_t>(
        std::max_element(extent.begin(), extent.begin() + 3) - extent.begin());
    auto children = children_at(range, range.begin + range.size() / 2);
    const auto key = [axis](const BvhPrimitive& primitive) {
        return std::pair(centre_of(box_of(primitive)).array()[axis], primitive.id);
    };
    // Sorted, not only divided: the order that std::nth_element leaves differs between libraries.
    std::ranges::sort(primitives.subspan(range.begin, range.size()), {}, key);
    for (Range* child : {&children.first, &children.second}) {
        for (std::size_t i = child->begin; i < child->end; ++i) {
            child->bounds.include(primitives[i]);
        }
    }
    return children;
}

} // namespace

void Bounds::include(const BvhPrimitive& primitive) noexcept {
    const Box added = box_of(primitive);
    const Lanes centre = centre_of(added);
    box.include(added);
    centres.include(centre, centre);
}

std::optional<std::pair<Range, Range>>
split_range(const Range& range, std::span<BvhPrimitive> primitives, const TreeLimits& limits) {
    if (range.size() < 2) {
        return std::nullopt;
    }
    Bins bins;
    bins.count = bin_count(range.size());
    const Binning binning(range.bounds.centres, bins.count);
    fill_bins(primitives.subspan(range.begin, range.size()), binning, bins);
    Cut best;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        if (binning.is_used(axis)) {
            sweep(bins, axis, range.size(), best);
        }
    }
    const double area = range.bounds.box.half_area();
    const double size = static_cast<double>(range.size());
    if (range.size() <= limits.leaf_size && area * size <= kNodeCost * area + best.cost) {
        return std::nullopt;
    }
    // Without an area the heuristic has no opinion.
    if (best.count == 0 || !(area > 0) || !fits(range, best.count, limits)) {
        return cut_in_half(range, primitives);
    }
    return cut_by_bins(range, primitives, binning, best);
}

} // namespace weft::scene
