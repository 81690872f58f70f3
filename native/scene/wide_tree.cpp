// SPDX-License-Identifier: Apache-2.0
// First bottom up, what each subtree costs at least as a forest of 1 to 7 trees; then level by level from the root,
// what the choices were. Nodes of a level are made at once; where they go is decided by one thread between levels, so
// the outcome does not depend on the number of threads.
#include "scene/wide_tree.hpp"

#include "scene/wide_node.hpp"

#include <algorithm>
#include <limits>

namespace weft::scene {

namespace {

/// Time to visit a node and to test a triangle, in a common unit.
constexpr float kNodeCost = 1.0F;
constexpr float kElementCost = 0.3F;
constexpr std::size_t kMaxRoots = kWideChildren - 1;

/// A child of a binary node.
struct BinaryChild {
    const BvhNode* node;
    std::size_t place;

    std::uint32_t reference() const { return node->child[place]; }
    bool is_leaf() const { return (reference() & kLeafBit) != 0; }
    std::uint32_t count() const { return node->count[place]; }
    std::uint32_t index() const { return reference() & ~kLeafBit; }
    /// Corner along an axis; side 0: lowest, 1: highest.
    float bound(std::size_t axis, std::size_t side) const {
        constexpr float kMaxFloat = std::numeric_limits<float>::max();
        const float at = axis < 2 ? node->xy[place][axis * 2 + side] : node->z[place * 2 + side];
        return std::clamp(at, -kMaxFloat, kMaxFloat);
    }
};

/// Of a subtree, at least, as a forest of at most i + 1 trees.
using Costs = std::array<float, kMaxRoots>;

/// What is known of the subtree below a binary node.
struct Subtree {
    Costs cost;
    std::uint32_t first; ///< its first element
    /// Of at most i + 2 trees, how many are those of the first child; 0 if one tree fewer is as good.
    std::array<std::uint8_t, kMaxRoots> split;
    std::uint8_t count; ///< its elements, or more than any leaf has
    bool is_leaf;       ///< what a single tree is
};

double half_area(const BvhNode& node) {
    std::array<double, 3> edge{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        double lowest = std::numeric_limits<double>::infinity();
        double highest = -lowest;
        for (std::size_t place = 0; place < 2; ++place) {
            const BinaryChild child{&node, place};
            if (!child.is_leaf() || child.count() != 0) {
                lowest = std::min(lowest, double{child.bound(axis, 0)});
                highest = std::max(highest, double{child.bound(axis, 1)});
            }
        }
        edge[axis] = std::max(highest - lowest, 0.0);
    }
    return edge[0] * edge[1] + (edge[0] + edge[1]) * edge[2];
}

double half_area(const BinaryChild& child) {
    const auto edge = [&](std::size_t axis) {
        return double{child.bound(axis, 1)} - child.bound(axis, 0);
    };
    return edge(0) * edge(1) + (edge(0) + edge(1)) * edge(2);
}

class Widening {
public:
    Widening(std::span<const BvhNode> binary, std::uint32_t leaf_size, core::ThreadPool& pool)
        : m_binary(binary), m_leaf_size(leaf_size), m_pool(pool),
          m_unit(1 / std::max(half_area(binary[0]), std::numeric_limits<double>::min())) {}

    WideTree widen();

private:
    Costs costs_of(const BinaryChild& child) const;
    std::uint32_t first_of(const BinaryChild& child) const;
    std::uint32_t count_of(const BinaryChild& child) const;
    Subtree plan(const BvhNode& node) const;
    std::size_t fewest_roots(const BinaryChild& child, std::size_t roots) const;
    void gather(const BinaryChild& child, std::size_t roots, WideFamily& family) const;
    void divide(std::uint32_t node, std::size_t roots, WideFamily& family) const;
    void make_nodes(std::span<const std::uint32_t> binary_nodes, std::span<WideFamily> families,
                    std::span<WideNode> nodes) const;

    std::span<const BvhNode> m_binary;
    std::uint32_t m_leaf_size;
    core::ThreadPool& m_pool;
    double m_unit; ///< costs are relative to the root's area: floats hold them, whatever the scale
    std::vector<Subtree> m_plans;
};

Costs Widening::costs_of(const BinaryChild& child) const {
    if (!child.is_leaf()) {
        return m_plans[child.index()].cost;
    }
    Costs costs;
    costs.fill(static_cast<float>(half_area(child) * m_unit) * static_cast<float>(child.count()) *
               kElementCost);
    return costs;
}

std::uint32_t Widening::first_of(const BinaryChild& child) const {
    return child.is_leaf() ? child.index() : m_plans[child.index()].first;
}

std::uint32_t Widening::count_of(const BinaryChild& child) const {
    return child.is_leaf() ? child.count() : m_plans[child.index()].count;
}

Subtree Widening::plan(const BvhNode& node) const {
    const BinaryChild a{&node, 0};
    const BinaryChild b{&node, 1};
    Subtree out{};
    out.first = first_of(a);
    out.count = static_cast<std::uint8_t>(
        std::min<std::uint32_t>(count_of(a) + count_of(b), kWideLeaf + 1));
    const Costs cost_a = costs_of(a);
    const Costs cost_b = costs_of(b);
    std::array<float, kWideChildren + 1> forest{};
    for (std::size_t roots = 2; roots <= kWideChildren; ++roots) {
        forest[roots] = std::numeric_limits<float>::infinity();
        for (std::size_t k = 1; k < roots; ++k) {
            const float cost = cost_a[k - 1] + cost_b[roots - k - 1];
            if (cost < forest[roots]) {
                forest[roots] = cost;
                out.split[roots - 2] = static_cast<std::uint8_t>(k);
            }
        }
    }
    const auto area = static_cast<float>(half_area(node) * m_unit);
    const float as_node = forest[kWideChildren] + area * kNodeCost;
    const float as_leaf = area * static_cast<float>(out.count) * kElementCost;
    out.is_leaf = out.count <= m_leaf_size && as_leaf <= as_node;
    out.cost[0] = out.is_leaf ? as_leaf : as_node;
    for (std::size_t roots = 2; roots <= kMaxRoots; ++roots) {
        const bool is_better = forest[roots] < out.cost[roots - 2];
        out.cost[roots - 1] = is_better ? forest[roots] : out.cost[roots - 2];
        out.split[roots - 2] = is_better ? out.split[roots - 2] : std::uint8_t{0};
    }
    return out;
}

/// Gives the children of node `index` their places: nodes in the next level, elements in the order.
void number_children(const WideFamily& family, std::size_t index, std::size_t next_level,
                     WideTree& tree, std::vector<std::uint32_t>& level) {
    std::array<const WideChild*, kWideChildren> by_slot{};
    for (std::size_t i = 0; i < family.size; ++i) {
        by_slot[family.slots[i]] = &family.children[i];
    }
    WideNode& node = tree.nodes[index];
    node.first_child = static_cast<std::uint32_t>(next_level + level.size());
    node.first_element = static_cast<std::uint32_t>(tree.order.size());
    for (const WideChild* const child : by_slot) {
        if (child != nullptr && child->count == 0) {
            level.push_back(child->first);
        }
        for (std::uint32_t i = 0; child != nullptr && i < child->count; ++i) {
            tree.order.push_back(child->first + i);
        }
    }
}

/// How many trees the best forest of at most `roots` has.
std::size_t Widening::fewest_roots(const BinaryChild& child, std::size_t roots) const {
    while (!child.is_leaf() && roots > 1 && m_plans[child.index()].split[roots - 2] == 0) {
        --roots;
    }
    return roots;
}

/// Adds the trees of the best forest of at most `roots` trees for a child.
void Widening::gather(const BinaryChild& child, std::size_t roots, WideFamily& family) const {
    const bool is_leaf = child.is_leaf() || m_plans[child.index()].is_leaf;
    roots = fewest_roots(child, roots);
    if (!child.is_leaf() && roots > 1) {
        divide(child.index(), roots, family);
        return;
    }
    if (child.is_leaf() && child.count() == 0) {
        return;
    }
    WideChild& added = family.children[family.size++];
    for (std::size_t axis = 0; axis < 3; ++axis) {
        added.lowest[axis] = child.bound(axis, 0);
        added.highest[axis] = child.bound(axis, 1);
    }
    added.first = is_leaf ? first_of(child) : child.index();
    added.count = is_leaf ? count_of(child) : 0;
}

void Widening::divide(std::uint32_t node, std::size_t roots, WideFamily& family) const {
    const std::size_t k = m_plans[node].split[roots - 2];
    gather({&m_binary[node], 0}, k, family);
    gather({&m_binary[node], 1}, roots - k, family);
}

void Widening::make_nodes(std::span<const std::uint32_t> binary_nodes,
                          std::span<WideFamily> families, std::span<WideNode> nodes) const {
    constexpr std::size_t kAtOnce = 256;
    m_pool.run((nodes.size() + kAtOnce - 1) / kAtOnce, [&](std::size_t part) {
        const std::size_t end = std::min(nodes.size(), (part + 1) * kAtOnce);
        for (std::size_t i = part * kAtOnce; i < end; ++i) {
            divide(binary_nodes[i], kWideChildren, families[i]);
            assign_slots(families[i]);
            nodes[i] = compress(families[i]);
        }
    });
}

WideTree Widening::widen() {
    m_plans.resize(m_binary.size());
    for (std::size_t i = m_binary.size(); i-- > 0;) { // children come after their parents
        m_plans[i] = plan(m_binary[i]);
    }
    WideTree tree;
    std::vector<std::uint32_t> level{0}; // binary nodes
    while (!level.empty()) {
        const std::size_t begin = tree.nodes.size();
        tree.nodes.resize(begin + level.size());
        std::vector<WideFamily> families(level.size());
        make_nodes(level, families, std::span(tree.nodes).subspan(begin));
        level.clear();
        for (std::size_t i = 0; i < families.size(); ++i) {
            number_children(families[i], begin + i, tree.nodes.size(), tree, level);
        }
    }
    return tree;
}

} // namespace

WideTree widen_tree(std::span<const BvhNode> binary, std::uint32_t leaf_size,
                    core::ThreadPool& pool) {
    return Widening(binary, leaf_size, pool).widen();
}

} // namespace weft::scene
