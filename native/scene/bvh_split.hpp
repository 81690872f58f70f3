// SPDX-License-Identifier: Apache-2.0
// Where to cut a set of boxes in two: the surface area heuristic over bins of centres (Wald 2007).
#pragma once

#include "scene/lanes.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <utility>

namespace weft::scene {

/// Something to be put into a tree: its box, and a number that the tree keeps.
struct BvhPrimitive {
    std::array<float, 3> lowest;
    std::uint32_t id;
    std::array<float, 3> highest;
    std::uint32_t unused;
};

/// Axis-aligned box; empty at first. The fourth lane holds nothing.
struct Box {
    Lanes lowest = Lanes::all(std::numeric_limits<float>::infinity());
    Lanes highest = Lanes::all(-std::numeric_limits<float>::infinity());

    void include(Lanes low, Lanes high) noexcept {
        lowest = min(lowest, low);
        highest = max(highest, high);
    }
    void include(const Box& other) noexcept { include(other.lowest, other.highest); }
    /// Half of the surface; infinite if the box is empty or an edge is longer than floats reach. In double, where
    /// products of floats neither overflow nor vanish.
    double half_area() const noexcept {
        const std::array<float, 4> edge = (highest - lowest).array();
        const double x = edge[0];
        const double y = edge[1];
        const double z = edge[2];
        return x * y + (x + y) * z;
    }
};

/// Boxes of some primitives, and of their centres.
struct Bounds {
    Box box;
    Box centres;

    void include(const BvhPrimitive& primitive) noexcept;
    void include(const Bounds& other) noexcept {
        box.include(other.box);
        centres.include(other.centres);
    }
};

/// A run of primitives, to become one subtree.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::uint32_t depth = 0; ///< inner nodes above it
    Bounds bounds;

    std::size_t size() const noexcept { return end - begin; }
};

struct TreeLimits {
    std::uint32_t leaf_size = 1; ///< most primitives of a leaf
    std::uint32_t depth =
        0; ///< most inner nodes of a path; at least the logarithm of the number of primitives
};

/// Cuts `range` in two that are not empty, and reorders its primitives so; nullopt if it is better kept as a leaf.
///
/// A cut by the heuristic is taken if the larger part, halved again and again, still stays within `limits.depth`;
/// else, and where all centres coincide, the range is halved by number. So the limit holds whatever the input.
/// The outcome depends on the primitives and their order alone.
[[nodiscard]] std::optional<std::pair<Range, Range>>
split_range(const Range& range, std::span<BvhPrimitive> primitives, const TreeLimits& limits);

} // namespace weft::scene
