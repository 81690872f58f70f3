// SPDX-License-Identifier: Apache-2.0
#include "render/tree_top.hpp"

#include "scene/bvh_primitives.hpp"
#include "scene/bvh_tree.hpp"

#include <algorithm>
#include <numeric>

namespace weft::render {

namespace {

scene::Bounds bounds_of(std::span<const scene::BvhPrimitive> clusters, core::ThreadPool& pool) {
    std::vector<scene::Bounds> parts(scene::chunk_count(clusters.size()));
    core::run_ranges(&pool, clusters.size(), scene::kChunk,
                     [&](std::size_t begin, std::size_t end, std::size_t chunk) {
                         for (std::size_t i = begin; i < end; ++i) {
                             parts[chunk].include(clusters[i]);
                         }
                     });
    scene::Bounds bounds;
    for (const scene::Bounds& part : parts) {
        bounds.include(part);
    }
    return bounds;
}

bool is_leaf(std::uint32_t child) {
    return (child & scene::kLeafBit) != 0;
}

/// 0 for nodes above leaves alone. A node comes before its children.
std::vector<std::uint32_t> heights_of(std::span<const scene::BvhNode> nodes) {
    std::vector<std::uint32_t> heights(nodes.size(), 0);
    for (std::size_t i = nodes.size(); i-- > 0;) {
        for (const std::uint32_t child : nodes[i].child) {
            heights[i] = std::max(heights[i], is_leaf(child) ? 0 : heights[child] + 1);
        }
    }
    return heights;
}

} // namespace

TreeTop cut_clusters(std::span<scene::BvhPrimitive> clusters, std::uint32_t first,
                     std::uint32_t depth, core::ThreadPool& pool) {
    std::vector<scene::BvhNode> nodes;
    nodes.reserve(clusters.size());
    (void)scene::build_tree(clusters, 0, bounds_of(clusters, pool),
                            {.leaf_size = 1, .depth = depth}, pool, nodes);
    const std::vector<std::uint32_t> heights = heights_of(nodes);
    TreeTop top;
    top.rounds.resize(heights.front() + 2, 0);
    for (const std::uint32_t height : heights) {
        ++top.rounds[height + 1];
    }
    std::partial_sum(top.rounds.begin(), top.rounds.end(), top.rounds.begin());
    std::vector<std::uint32_t> next(top.rounds.begin(), top.rounds.end() - 1);
    std::vector<std::uint32_t> places(nodes.size());
    for (std::size_t i = nodes.size(); i-- > 0;) {
        places[i] = next[heights[i]]++;
    }
    top.rounds.erase(top.rounds.begin());
    top.pairs.resize(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        for (std::size_t c = 0; c < 2; ++c) {
            const std::uint32_t child = nodes[i].child[c];
            top.pairs[places[i]][c] =
                is_leaf(child) ? clusters[child & ~scene::kLeafBit].unused : first + places[child];
        }
    }
    return top;
}

} // namespace weft::render
