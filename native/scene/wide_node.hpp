// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "scene/wide_bvh.hpp"

#include <array>
#include <cstdint>
#include <span>

namespace weft::scene {

/// Distance in steps of a node's grid by which boxes are larger than what they hold. Traversal computes where a ray
/// meets a plane from rounded products of the ray's distance to the node's origin; what that errs by is below
/// 255 * 2^-22 steps beside an error relative to the distance.
inline constexpr double kGridMargin = 1.0 / 4096;

/// What a node says of a child, before it is compressed.
struct WideChild {
    std::array<float, 3> lowest;
    std::array<float, 3> highest;
    std::uint32_t first; ///< of a leaf: its first element; else a node of the binary tree
    std::uint32_t count; ///< elements of a leaf, at most kWideLeaf; of a node 0
};

/// Children in the slots that they get.
struct WideFamily {
    std::array<WideChild, kWideChildren> children;
    std::uint32_t size = 0;
    std::array<std::uint8_t, kWideChildren> slots{}; ///< of child i
};

/// Chooses slots: the assignment with the least sum of dot(centre of child - centre of node, direction of slot),
/// where slot s is for rays along (+-1, +-1, +-1), minus where bits 2, 1, 0 of s are set (Ylitie et al. 2017, 3.2,
/// by an exact search over subsets of slots).
void assign_slots(WideFamily& family);

/// The node of a family whose slots are assigned. first_child and first_element are 0; elements of leaves count in
/// the order of slots.
[[nodiscard]] WideNode compress(const WideFamily& family);

} // namespace weft::scene
