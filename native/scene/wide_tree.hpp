// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/thread_pool.hpp"
#include "scene/wide_bvh.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

struct WideTree {
    std::vector<WideNode> nodes; ///< root: 0; the children of a node in a row, by slot
    std::vector<std::uint32_t>
        order; ///< element i of its leaves is element order[i] of the binary tree's
};

/// Merges nodes of a binary tree into nodes of eight children so that the surface area heuristic's cost is the least
/// that any choice of merges has (Ylitie et al. 2017, 3.1).
/// @param binary    a tree by build_tree() whose root is node 0 and whose elements count from 0; leaves have at most
///                  kWideLeaf elements
/// @param leaf_size most elements of a leaf, at most kWideLeaf
[[nodiscard]] WideTree widen_tree(std::span<const BvhNode> binary, std::uint32_t leaf_size,
                                  core::ThreadPool& pool);

} // namespace weft::scene
