// SPDX-License-Identifier: Apache-2.0
// A binary tree over lights, by which shaders/weft/render/light_tree.slang draws one in proportion to about what it
// brings to a point (Conty Estevez and Kulla 2018, "Importance Sampling of Many Lights with Adaptive Tree Splitting").
#pragma once

#include "core/api.hpp"
#include "scene/layouts.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace weft::scene {

/// Where a light is, in which directions it shines, and how much. Directions: those within `theta_e` of one that is within
/// `theta_o` of `axis`; for a surface these are the spread of its normals and a right angle.
struct LightBounds {
    std::array<float, 3> lowest{};      ///< corners of its box, metres
    std::array<float, 3> highest{};     ///< none below that of `lowest`
    std::array<float, 3> axis{0, 0, 1}; ///< unit
    float theta_o = 0;                  ///< 0 to pi
    float theta_e = 0;                  ///< 0 to pi / 2
    float power = 0;                    ///< at least 0, in any unit; 0: it is not in the tree
};
static_assert(sizeof(LightBounds) == 12 * sizeof(float));

/// Set in LightNode::child of a leaf.
inline constexpr std::uint32_t kLightLeafBit = std::uint32_t{1} << 31U;
/// Most inner nodes on a path: a trail has a bit for each, and a leading one.
inline constexpr std::uint32_t kMaxLightDepth = 31;

/// What a subtree may bring to a point: four 16-byte loads.
struct LightNode {
    std::array<float, 3> lowest{};  ///< corner of the box of all lights below, metres
    float cos_theta_o = 1;          ///< cosine of theta_o as of LightBounds, over all lights below
    std::array<float, 3> highest{}; ///< the other corner
    float cos_theta_e = 1;          ///< cosine of theta_e
    std::array<float, 3> axis{};    ///< unit
    float power = 0;                ///< sum over all lights below
    std::uint32_t child = 0; ///< index of the first of two children; or kLightLeafBit | light
    float sin_theta_o = 0;   ///< at least 0
    std::array<std::uint32_t, 2> unused{}; ///< 0
};
static_assert(sizeof(LightNode) == layouts::LightNodeWord::kEnd * sizeof(float));
static_assert(offsetof(LightNode, child) == layouts::LightNodeWord::kChild * sizeof(float));
static_assert(offsetof(LightNode, power) == layouts::LightNodeWord::kPower * sizeof(float));

/// Nodes and ways to the lights. A plain value.
struct LightTree {
    std::vector<LightNode> nodes; ///< root: 0; empty if no light is in the tree
    /// Way to each light: below the leading one, a bit for each inner node from the root on, the highest first; set: to
    /// the second child. 0: the light is not in the tree.
    std::vector<std::uint32_t> trails;
};

/// Builds a tree by the surface area orientation heuristic. Equal input gives an equal tree.
/// @throws ArgumentError if a number is not finite or out of range, or a box is inverted.
[[nodiscard]] WEFT_API LightTree build_light_tree(std::span<const LightBounds> lights);

} // namespace weft::scene
