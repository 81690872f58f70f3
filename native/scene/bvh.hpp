// SPDX-License-Identifier: Apache-2.0
// Acceleration structure of two levels: a bounding volume hierarchy of each mesh, and one over the instances.
// The arrays below are what shaders/weft/render/bvh.slang reads; change both together. Start reading here, then
// bvh_tree.hpp (how a tree is made), bvh_split.hpp (where a node is cut).
//
// Depth: a path from the root of a mesh to a leaf has at most kMaxMeshDepth inner nodes, one over the instances at
// most kMaxTopDepth. A traversal that descends into one child and remembers the other so needs at most
// kTraversalStack places for both levels together.
#pragma once

#include "core/thread_pool.hpp"
#include "scene/geometry.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

inline constexpr std::uint32_t kMaxMeshDepth = 40;
inline constexpr std::uint32_t kMaxTopDepth = 23;
inline constexpr std::uint32_t kTraversalStack = 64;
static_assert(kMaxMeshDepth + kMaxTopDepth < kTraversalStack);

/// Set in BvhNode::child of a leaf.
inline constexpr std::uint32_t kLeafBit = std::uint32_t{1} << 31U;

/// A node with the boxes of both children (Aila and Laine 2009): four 16-byte loads. Boxes are larger than what
/// they hold by at least one unit in the last place.
struct BvhNode {
    std::array<float, 4> xy[2]; ///< of child c: lowest x, highest x, lowest y, highest y
    std::array<float, 4> z;     ///< lowest, highest z of child 0, then of child 1
    /// Index of the child's node; or kLeafBit | first triangle (meshes), first instance (top level)
    std::array<std::uint32_t, 2> child;
    std::array<std::uint32_t, 2>
        count; ///< triangles or instances of a leaf, which may be 0; of a node 0
};
static_assert(sizeof(BvhNode) == 64);

/// A triangle in the order of the leaves, ready for Woop et al. 2013: three 16-byte loads.
struct BvhTriangle {
    std::array<float, 3> vertex0;
    std::uint32_t primitive; ///< index of the triangle in its mesh
    std::array<float, 3> vertex1;
    std::uint32_t is_last; ///< 1 for the last triangle of its leaf, else 0
    std::array<float, 3> vertex2;
    std::uint32_t unused;
};
static_assert(sizeof(BvhTriangle) == 48);

/// An instance in the order of the leaves of the top level: four 16-byte loads.
struct BvhInstance {
    Transform world_to_object;
    std::uint32_t root;     ///< node of its mesh
    std::uint32_t instance; ///< index into Geometry::instances
    std::array<std::uint32_t, 2> unused;
};
static_assert(sizeof(BvhInstance) == 64);

/// What the top level needs of a mesh.
struct BvhMesh {
    std::uint32_t root = 0; ///< index into Bvh::nodes
    bool is_empty = true;
    std::array<float, 3> lowest{}; ///< corners of its box, object space
    std::array<float, 3> highest{};
};

struct Bvh {
    std::vector<BvhNode> nodes;         ///< of all meshes, one after the other
    std::vector<BvhTriangle> triangles; ///< of all meshes
    std::vector<BvhMesh> meshes;        ///< as Geometry::meshes
    std::vector<BvhNode> top_nodes;     ///< root: 0; never empty
    std::vector<BvhInstance> instances; ///< those of meshes that are not empty
};

/// Builds both levels with the threads of `pool`. The result does not depend on their number.
/// @throws ArgumentError as require_valid().
[[nodiscard]] Bvh build_bvh(const Geometry& geometry, core::ThreadPool& pool);

/// Adds to the indices of nodes and triangles in nodes of meshes: what these lie behind in larger arrays.
void move_nodes(std::span<BvhNode> nodes, std::uint32_t first_node, std::uint32_t first_triangle);

/// Builds the top level anew: other transforms, other instances, the same meshes. About 0.2 microseconds an instance.
/// @throws ArgumentError as require_valid(); `bvh` is then as it was.
void update_instances(Bvh& bvh, std::span<const Instance> instances, core::ThreadPool& pool);

} // namespace weft::scene
