// SPDX-License-Identifier: Apache-2.0
// Acceleration structure of two levels with eight children a node, their boxes in bytes (Ylitie, Karras and Laine
// 2017): a ray reads a third of the memory that bvh.hpp's needs. shaders/weft/render/wide_bvh.slang reads the arrays
// below; change both together. Start reading here, then wide_tree.hpp (which nodes there are), wide_node.hpp (what is
// in one).
#pragma once

#include "core/thread_pool.hpp"
#include "scene/bvh.hpp"
#include "scene/geometry.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

inline constexpr std::size_t kWideChildren = 8;
/// Most triangles of a leaf.
inline constexpr std::uint32_t kWideLeaf = 3;

/// A node: five 16-byte loads. Child s occupies slot s, so that a ray whose direction is negative along x, y, z where
/// bits 2, 1, 0 of a number o are set meets the children about in the order of s ^ o.
///
/// The box of child s is origin + step * (lowest, highest) along each axis; step is the float whose exponent has the
/// bits exponent[axis]. It is larger than what it holds by at least kGridMargin steps.
///
/// meta of a slot: 0 for an empty one; 32 + 24 + s for a node, which is node first_child + how many bits of
/// `inner` are set below bit s; for a leaf its first element, counted from first_element, in the low five bits, and
/// as many ones above them as it has elements.
struct WideNode {
    std::array<float, 3> origin;
    std::array<std::uint8_t, 3> exponent;
    std::uint8_t inner; ///< bit s: slot s is a node
    std::uint32_t first_child;
    std::uint32_t first_element; ///< index into WideBvh::triangles, or instances
    std::array<std::uint8_t, kWideChildren> meta;
    std::array<std::array<std::uint8_t, kWideChildren>, 3> lowest;  ///< by axis, then slot
    std::array<std::array<std::uint8_t, kWideChildren>, 3> highest; ///< by axis, then slot
};
static_assert(sizeof(WideNode) == 80);

/// As Bvh, but triangles and instances have the order of these leaves, and is_last is 0.
///
/// A path has at most kMaxMeshDepth nodes of a mesh and kMaxTopDepth of the top level. A traversal remembers one
/// group of children for each of them but the last, and one of instances: at most kTraversalStack.
struct WideBvh {
    std::vector<WideNode> nodes;
    std::vector<BvhTriangle> triangles;
    std::vector<BvhMesh> meshes;
    std::vector<WideNode> top_nodes;
    std::vector<BvhInstance> instances;
};

/// As build_bvh().
[[nodiscard]] WideBvh build_wide_bvh(const Geometry& geometry, core::ThreadPool& pool);

/// As move_nodes() of bvh.hpp.
void move_nodes(std::span<WideNode> nodes, std::uint32_t first_node, std::uint32_t first_element);

/// As update_instances() of bvh.hpp.
void update_instances(WideBvh& bvh, std::span<const Instance> instances, core::ThreadPool& pool);

} // namespace weft::scene
