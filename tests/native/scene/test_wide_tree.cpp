// SPDX-License-Identifier: Apache-2.0
// The merge of nodes against a search through all merges.
#include "scene/bvh_primitives.hpp"
#include "scene/bvh_tree.hpp"
#include "scene/wide_tree.hpp"
#include "soups.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

constexpr double kElementCost = 0.3;

/// A binary tree with its primitives in the order of the leaves.
struct Binary {
    std::vector<BvhPrimitive> primitives;
    std::vector<BvhNode> nodes;
};

Binary make_binary(std::size_t count, std::uint32_t leaf_size, core::ThreadPool& pool) {
    const Soup soup = make_soup(count);
    Primitives triangles = list_triangles(soup.view(), pool);
    Binary binary{.primitives = triangles.list, .nodes = {}};
    static_cast<void>(build_tree(binary.primitives, 0, triangles.bounds,
                                 {.leaf_size = leaf_size, .depth = 40}, pool, binary.nodes));
    return binary;
}

double area_of(const Binary& binary, std::span<const std::uint32_t> elements) {
    Box box;
    for (const std::uint32_t i : elements) {
        box.include(Lanes::load(&binary.primitives[i].lowest),
                    Lanes::load(&binary.primitives[i].highest));
    }
    return box.half_area();
}

/// A subtree of the binary tree as a list of its elements, and its children.
struct Subtree {
    std::vector<std::uint32_t> elements;
    std::vector<Subtree> children;
    double area = 0;
};

Subtree subtree_of(const Binary& binary, std::uint32_t reference, std::uint32_t count) {
    Subtree out;
    if ((reference & kLeafBit) != 0) {
        for (std::uint32_t i = 0; i < count; ++i) {
            out.elements.push_back((reference & ~kLeafBit) + i);
        }
    } else {
        const BvhNode& node = binary.nodes[reference];
        for (std::size_t c = 0; c < 2; ++c) {
            out.children.push_back(subtree_of(binary, node.child[c], node.count[c]));
            const auto& below = out.children.back().elements;
            out.elements.insert(out.elements.end(), below.begin(), below.end());
        }
    }
    out.area = area_of(binary, out.elements);
    return out;
}

double least_cost(const Subtree& tree, bool may_be_leaf);

/// The least cost over all ways to divide the trees of a list further, until they are the children of one node.
double least_cost(std::vector<const Subtree*> trees, std::size_t begin) {
    if (begin == trees.size()) {
        double sum = 0;
        for (const Subtree* const tree : trees) {
            sum += least_cost(*tree, true);
        }
        return sum;
    }
    double best = least_cost(trees, begin + 1);
    if (!trees[begin]->children.empty() && trees.size() < kWideChildren) {
        std::vector<const Subtree*> divided = trees;
        divided[begin] = &trees[begin]->children[0];
        divided.push_back(&trees[begin]->children[1]);
        best = std::min(best, least_cost(std::move(divided), begin));
    }
    return best;
}

double least_cost(const Subtree& tree, bool may_be_leaf) {
    double best = std::numeric_limits<double>::infinity();
    if (may_be_leaf && tree.elements.size() <= kWideLeaf) {
        best = tree.area * static_cast<double>(tree.elements.size()) * kElementCost;
    }
    if (!tree.children.empty()) {
        best = std::min(best, tree.area + least_cost({&tree.children[0], &tree.children[1]}, 0));
    }
    return best;
}

/// Adds the elements below a node, and what it costs.
double cost_of(const Binary& binary, const WideTree& tree, std::uint32_t index,
               std::vector<std::uint32_t>& elements) {
    const WideNode& node = tree.nodes[index];
    const std::size_t first = elements.size();
    double sum = 0;
    std::uint32_t child = node.first_child;
    for (const std::uint8_t meta : node.meta) {
        if (meta >= 32 + 24 && meta < 64) {
            sum += cost_of(binary, tree, child++, elements);
            continue;
        }
        std::vector<std::uint32_t> leaf;
        for (std::uint32_t i = 0; (meta >> (5 + i) & 1U) != 0 && i < kWideLeaf; ++i) {
            leaf.push_back(tree.order[node.first_element + (meta & 31U) + i]);
        }
        sum += leaf.empty()
                   ? 0
                   : area_of(binary, leaf) * static_cast<double>(leaf.size()) * kElementCost;
        elements.insert(elements.end(), leaf.begin(), leaf.end());
    }
    return sum + area_of(binary, std::span(elements).subspan(first));
}

} // namespace

TEST_CASE("no merge of nodes costs less") {
    core::ThreadPool pool(1);
    const auto count = GENERATE(as<std::size_t>{}, 2, 3, 5, 9, 14);
    const auto leaf_size = GENERATE(as<std::uint32_t>{}, 1, 3);
    const Binary binary = make_binary(count, leaf_size, pool);
    const Subtree root = subtree_of(binary, 0, 0);

    const WideTree tree = widen_tree(binary.nodes, kWideLeaf, pool);

    std::vector<std::uint32_t> elements;
    const double cost = cost_of(binary, tree, 0, elements);
    CHECK(is_permutation_of_indices(elements, 0, count));
    CHECK(cost == Approx(least_cost(root, false)).epsilon(1e-4));
}

TEST_CASE("leaves are as small as they are asked to be") {
    core::ThreadPool pool(1);
    const Binary binary = make_binary(200, 1, pool);

    for (const WideNode& node : widen_tree(binary.nodes, 1, pool).nodes) {
        for (const std::uint8_t meta : node.meta) {
            CHECK(meta < 64);
        }
    }
}
