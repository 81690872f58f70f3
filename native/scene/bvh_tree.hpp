// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/thread_pool.hpp"
#include "scene/bvh.hpp"
#include "scene/bvh_split.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

/// Makes a tree over `primitives` and appends its nodes to `nodes`. Reorders the primitives: a leaf that begins with
/// kLeafBit | i and counts n holds primitives i - first ... i - first + n - 1.
/// @param first  number of primitive 0 in the leaves
/// @param bounds of all primitives
/// @returns the index of the root, a node even if there are no primitives.
[[nodiscard]] std::uint32_t build_tree(std::span<BvhPrimitive> primitives, std::uint32_t first,
                                       const Bounds& bounds, const TreeLimits& limits,
                                       core::ThreadPool& pool, std::vector<BvhNode>& nodes);

} // namespace weft::scene
