// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/thread_pool.hpp"
#include "scene/bvh_split.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::render {

/// Inner nodes above clusters of triangles, in rounds: a node comes after its children.
struct TreeTop {
    std::vector<std::array<std::uint32_t, 2>> pairs; ///< numbers of the children of each node
    std::vector<std::uint32_t> rounds;               ///< nodes that are made by the end of each
};

/// Cuts clusters by the surface area heuristic, see scene::build_tree(); the same with any number of threads.
/// @param clusters two or more, their boxes; `unused` holds their numbers. They are reordered.
/// @param first number of the first node that is made.
/// @param depth most inner nodes of a path; at least the logarithm of the number of clusters.
[[nodiscard]] TreeTop cut_clusters(std::span<scene::BvhPrimitive> clusters, std::uint32_t first,
                                   std::uint32_t depth, core::ThreadPool& pool);

} // namespace weft::render
