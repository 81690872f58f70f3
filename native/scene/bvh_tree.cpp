// SPDX-License-Identifier: Apache-2.0
// The upper part of a tree is cut level by level, the ranges of a level at once; what is left are subtrees that one
// thread makes from end to end. Which ranges those are depends on their sizes alone, so that the tree is the same
// with any number of threads.
#include "scene/bvh_tree.hpp"

#include <algorithm>
#include <cmath>

namespace weft::scene {

namespace {

constexpr std::size_t kMinSubtree = 4096;
constexpr std::size_t kSubtrees = 128;

/// What a node says of a child.
struct Child {
    Box box;
    std::uint32_t child = kLeafBit;
    std::uint32_t count = 0;
};

/// The next float outwards, or further: traversal compares with rounded distances, and a box without thickness
/// would be missed by a ray in its plane.
float outwards(float bound, float sign) {
    constexpr float kUnit = 1.2e-7F;
    constexpr float kMinMargin = 1e-30F;
    return bound + sign * std::max(std::abs(bound) * kUnit, kMinMargin);
}

BvhNode make_node(const Child& first, const Child& second) {
    BvhNode node{};
    const std::array<const Child*, 2> children{&first, &second};
    for (std::size_t c = 0; c < 2; ++c) {
        const Child& child = *children[c];
        node.child[c] = child.child;
        node.count[c] = child.count;
        const std::array<float, 4> lowest = child.box.lowest.array();
        const std::array<float, 4> highest = child.box.highest.array();
        const bool is_empty = lowest[0] > highest[0];
        for (std::size_t axis = 0; axis < 3; ++axis) {
            float* const at = axis < 2 ? &node.xy[c][axis * 2] : &node.z[c * 2];
            at[0] = is_empty ? 0 : outwards(lowest[axis], -1);
            at[1] = is_empty ? 0 : outwards(highest[axis], 1);
        }
    }
    return node;
}

/// Nodes of one subtree; indices count from its first node.
struct Subtree {
    std::vector<BvhNode> nodes;
    Child root;
};

/// A range of the upper part.
struct Upper {
    Range range;
    std::array<std::size_t, 2> children{}; ///< 0: none, it becomes a subtree
    std::uint32_t node = 0;                ///< its index from the first node of the tree
};

class TreeBuilder {
public:
    TreeBuilder(std::span<BvhPrimitive> primitives, std::uint32_t first, const TreeLimits& limits,
                core::ThreadPool& pool)
        : m_primitives(primitives), m_first(first), m_limits(limits), m_pool(pool) {}

    std::uint32_t build(const Bounds& bounds, std::vector<BvhNode>& nodes);

private:
    void cut_upper(const Bounds& bounds);
    Child make_child(const Range& range, std::vector<BvhNode>& nodes);
    void number_nodes(std::uint32_t first_node);
    void write(std::size_t index, std::vector<BvhNode>& nodes);

    std::span<BvhPrimitive> m_primitives;
    std::uint32_t m_first;
    TreeLimits m_limits;
    core::ThreadPool& m_pool;
    std::vector<Upper> m_upper;
    std::vector<Subtree> m_subtrees; ///< as m_upper, empty for those with children
};

void TreeBuilder::cut_upper(const Bounds& bounds) {
    m_upper.push_back({.range = {.begin = 0, .end = m_primitives.size(), .bounds = bounds}});
    const std::size_t enough = std::max(kMinSubtree, m_primitives.size() / kSubtrees);
    std::size_t begin = 0;
    while (begin < m_upper.size()) {
        const std::size_t end = m_upper.size();
        std::vector<std::optional<std::pair<Range, Range>>> cuts(end - begin);
        m_pool.run(cuts.size(), [&](std::size_t i) {
            const Range& range = m_upper[begin + i].range;
            if (range.size() > enough) {
                cuts[i] = split_range(range, m_primitives, m_limits);
            }
        });
        for (std::size_t i = 0; i < cuts.size(); ++i) {
            if (cuts[i]) {
                m_upper[begin + i].children = {m_upper.size(), m_upper.size() + 1};
                m_upper.push_back({.range = cuts[i]->first});
                m_upper.push_back({.range = cuts[i]->second});
            }
        }
        begin = end;
    }
}

Child TreeBuilder::make_child(const Range& range, std::vector<BvhNode>& nodes) {
    Child child{.box = range.bounds.box};
    const auto cut = split_range(range, m_primitives, m_limits);
    if (!cut) {
        child.child = kLeafBit | (m_first + static_cast<std::uint32_t>(range.begin));
        child.count = static_cast<std::uint32_t>(range.size());
        return child;
    }
    child.child = static_cast<std::uint32_t>(nodes.size());
    nodes.emplace_back();
    const Child first = make_child(cut->first, nodes);
    const Child second = make_child(cut->second, nodes);
    nodes[child.child] = make_node(first, second);
    return child;
}

/// The upper nodes come first, then the subtrees one after the other. Turns m_upper[i].node and the roots of the
/// subtrees into indices of the whole array.
void TreeBuilder::number_nodes(std::uint32_t first_node) {
    std::uint32_t next = first_node;
    for (Upper& upper : m_upper) {
        if (upper.children[0] != 0) {
            upper.node = next++;
        }
    }
    for (std::size_t i = 0; i < m_upper.size(); ++i) {
        if (m_upper[i].children[0] == 0) {
            m_upper[i].node = next;
            next += static_cast<std::uint32_t>(m_subtrees[i].nodes.size());
        }
    }
}

void TreeBuilder::write(std::size_t index, std::vector<BvhNode>& nodes) {
    const Upper& upper = m_upper[index];
    const auto child_of = [&](std::size_t i) {
        Child child = m_subtrees[i].root;
        const bool is_leaf = m_upper[i].children[0] == 0 && (child.child & kLeafBit) != 0;
        child.box = m_upper[i].range.bounds.box;
        child.child = is_leaf ? child.child : m_upper[i].node;
        child.count = is_leaf ? child.count : 0;
        return child;
    };
    if (upper.children[0] != 0) {
        nodes[upper.node] = make_node(child_of(upper.children[0]), child_of(upper.children[1]));
        return;
    }
    std::vector<BvhNode> own = std::exchange(m_subtrees[index].nodes, {});
    for (BvhNode& node : own) {
        for (std::uint32_t& child : node.child) {
            child += (child & kLeafBit) != 0 ? 0 : upper.node;
        }
    }
    std::ranges::copy(own, nodes.begin() + static_cast<std::ptrdiff_t>(upper.node));
}

std::uint32_t TreeBuilder::build(const Bounds& bounds, std::vector<BvhNode>& nodes) {
    cut_upper(bounds);
    m_subtrees.resize(m_upper.size());
    m_pool.run(m_upper.size(), [&](std::size_t i) {
        if (m_upper[i].children[0] == 0) {
            m_subtrees[i].root = make_child(m_upper[i].range, m_subtrees[i].nodes);
        }
    });
    if (Subtree& only = m_subtrees[0]; m_upper.size() == 1 && only.nodes.empty()) {
        only.nodes.push_back(make_node(only.root, {}));
    }
    const auto root = static_cast<std::uint32_t>(nodes.size());
    number_nodes(root);
    std::size_t count = root;
    for (std::size_t i = 0; i < m_upper.size(); ++i) {
        count += m_upper[i].children[0] != 0 ? 1 : m_subtrees[i].nodes.size();
    }
    nodes.resize(count);
    m_pool.run(m_upper.size(), [&](std::size_t i) { write(i, nodes); });
    return root;
}

} // namespace

std::uint32_t build_tree(std::span<BvhPrimitive> primitives, std::uint32_t first,
                         const Bounds& bounds, const TreeLimits& limits, core::ThreadPool& pool,
                         std::vector<BvhNode>& nodes) {
    return TreeBuilder(primitives, first, limits, pool).build(bounds, nodes);
}

} // namespace weft::scene
