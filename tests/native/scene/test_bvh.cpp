// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/bvh.hpp"
#include "soups.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cstring>

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

/// What a walk through a tree finds.
struct Walk {
    std::vector<std::uint32_t>
        leaf_elements;         ///< triangles or instances, in the order of the leaves
    std::uint32_t deepest = 0; ///< inner nodes on the longest path
    std::size_t largest_leaf = 0;
    bool holds_boxes = true; ///< every box holds those of its children, and the triangles
};

struct Extent {
    std::array<float, 3> lowest;
    std::array<float, 3> highest;

    bool holds(const std::array<float, 3>& point) const {
        for (std::size_t i = 0; i < 3; ++i) {
            if (point[i] < lowest[i] || point[i] > highest[i]) {
                return false;
            }
        }
        return true;
    }
};

Extent child_extent(const BvhNode& node, std::size_t c) {
    return {{node.xy[c][0], node.xy[c][2], node.z[2 * c]},
            {node.xy[c][1], node.xy[c][3], node.z[2 * c + 1]}};
}

void walk_node(const Bvh& bvh, std::span<const BvhNode> nodes, std::uint32_t index,
               std::uint32_t depth, Walk& walk) {
    walk.deepest = std::max(walk.deepest, depth + 1);
    const BvhNode& node = nodes[index];
    for (std::size_t c = 0; c < 2; ++c) {
        const Extent extent = child_extent(node, c);
        if ((node.child[c] & kLeafBit) == 0) {
            const BvhNode& below = nodes[node.child[c]];
            for (std::size_t i = 0; i < 2; ++i) {
                const Extent inner = child_extent(below, i);
                walk.holds_boxes =
                    walk.holds_boxes && extent.holds(inner.lowest) && extent.holds(inner.highest);
            }
            walk_node(bvh, nodes, node.child[c], depth + 1, walk);
            continue;
        }
        const std::uint32_t first = node.child[c] & ~kLeafBit;
        walk.largest_leaf = std::max<std::size_t>(walk.largest_leaf, node.count[c]);
        for (std::uint32_t i = first; i < first + node.count[c]; ++i) {
            walk.leaf_elements.push_back(i);
            if (nodes.data() == bvh.nodes.data()) {
                const BvhTriangle& triangle = bvh.triangles[i];
                walk.holds_boxes = walk.holds_boxes && extent.holds(triangle.vertex0) &&
                                   extent.holds(triangle.vertex1) && extent.holds(triangle.vertex2);
                walk.holds_boxes =
                    walk.holds_boxes && (triangle.is_last != 0) == (i + 1 == first + node.count[c]);
            }
        }
    }
}

Walk walk_mesh(const Bvh& bvh, std::size_t mesh = 0) {
    Walk walk;
    walk_node(bvh, bvh.nodes, bvh.meshes.at(mesh).root, 0, walk);
    return walk;
}

} // namespace

TEST_CASE("every triangle lies in one leaf, inside all boxes above") {
    core::ThreadPool pool(2);
    const auto count = GENERATE(1, 2, 5, 100, 20000);
    const Soup soup = make_soup(static_cast<std::size_t>(count));

    const Bvh bvh = build_bvh(soup.geometry(), pool);

    const Walk walk = walk_mesh(bvh);
    CHECK(walk.holds_boxes);
    CHECK(walk.largest_leaf <= 4);
    CHECK(is_permutation_of_indices(walk.leaf_elements, 0, bvh.triangles.size()));
    std::vector<std::uint32_t> primitives;
    for (const BvhTriangle& triangle : bvh.triangles) {
        primitives.push_back(triangle.primitive);
    }
    CHECK(is_permutation_of_indices(primitives, 0, static_cast<std::size_t>(count)));
}

TEST_CASE("a tree does not depend on the number of threads") {
    const Soup soup = make_soup(30000);
    core::ThreadPool one(1);
    core::ThreadPool four(4);

    const Bvh a = build_bvh(soup.geometry(), one);
    const Bvh b = build_bvh(soup.geometry(), four);

    REQUIRE(a.nodes.size() == b.nodes.size());
    CHECK(std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.size() * sizeof(BvhNode)) == 0);
    CHECK(std::memcmp(a.triangles.data(), b.triangles.data(),
                      a.triangles.size() * sizeof(BvhTriangle)) == 0);
}

TEST_CASE("no input makes a tree deeper than a traversal stack") {
    core::ThreadPool pool(2);
    for (const Soup& soup : {make_nested_soup(), make_equal_soup(), make_soup(20000, 40)}) {
        const Walk walk = walk_mesh(build_bvh(soup.geometry(), pool));

        CHECK(walk.deepest <= kMaxMeshDepth);
        CHECK(walk.holds_boxes);
        CHECK(walk.leaf_elements.size() == soup.triangles.size() / 3);
    }
}

TEST_CASE("coordinates of any finite size have a tree") {
    core::ThreadPool pool(2);
    const auto scale = GENERATE(1e-38F, 1e-20F, 1e20F, 3e38F);
    const Soup soup = make_scaled_soup(scale);

    const Walk walk = walk_mesh(build_bvh(soup.geometry(), pool));

    CHECK(walk.holds_boxes);
    CHECK(walk.deepest <= kMaxMeshDepth);
    CHECK(walk.leaf_elements.size() == 1000);
}

TEST_CASE("meshes share the arrays, empty ones have no instance") {
    core::ThreadPool pool(2);
    const Soup first = make_soup(50);
    const Soup second = make_soup(70);
    const Geometry geometry{.meshes = {first.view(), {}, second.view()},
                            .instances = {{.mesh = 2}, {.mesh = 1}, {.mesh = 0}}};

    const Bvh bvh = build_bvh(geometry, pool);

    CHECK(is_permutation_of_indices(walk_mesh(bvh, 0).leaf_elements, 0, 50));
    CHECK(walk_mesh(bvh, 1).leaf_elements.empty());
    CHECK(is_permutation_of_indices(walk_mesh(bvh, 2).leaf_elements, 50, 70));
    REQUIRE(bvh.instances.size() == 2);
    for (const BvhInstance& instance : bvh.instances) {
        CHECK(instance.root == bvh.meshes[geometry.instances[instance.instance].mesh].root);
    }
}

TEST_CASE("many instances in one place stay within the stack") {
    core::ThreadPool pool(2);
    const Soup soup = make_soup(3);
    Geometry geometry = soup.geometry();
    geometry.instances.resize(3000);
    const Bvh bvh = build_bvh(geometry, pool);

    Walk walk;
    walk_node(bvh, bvh.top_nodes, 0, 0, walk);

    CHECK(walk.deepest <= kMaxTopDepth);
    CHECK(walk.largest_leaf == 1);
    CHECK(is_permutation_of_indices(walk.leaf_elements, 0, 3000));
}

TEST_CASE("a scene without anything has a root") {
    core::ThreadPool pool(1);

    const Bvh bvh = build_bvh({}, pool);

    REQUIRE(bvh.top_nodes.size() == 1);
    CHECK(bvh.top_nodes[0].count == std::array<std::uint32_t, 2>{0, 0});
}

TEST_CASE("new transforms change the top level only") {
    core::ThreadPool pool(2);
    const Soup soup = make_soup(100);
    Bvh bvh = build_bvh(soup.geometry(), pool);
    const std::size_t node_count = bvh.nodes.size();

    const std::vector<Instance> moved{{.object_to_world = {1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 0}}};
    update_instances(bvh, moved, pool);

    CHECK(bvh.nodes.size() == node_count);
    CHECK(bvh.top_nodes[0].xy[0][0] > 9);
    CHECK(bvh.instances.at(0).world_to_object[3] == -10);
}

TEST_CASE("instances that are refused leave the tree as it was") {
    core::ThreadPool pool(1);
    const Soup soup = make_soup(10);
    Bvh bvh = build_bvh(soup.geometry(), pool);

    CHECK_THROWS_AS(update_instances(bvh, std::vector<Instance>{{.mesh = 1}}, pool),
                    core::ArgumentError);
    CHECK(bvh.instances.size() == 1);
}

TEST_CASE("ten million triangles make a tree", "[.large]") {
    core::ThreadPool pool;
    const Soup soup = make_soup(10'000'000);

    const Walk walk = walk_mesh(build_bvh(soup.geometry(), pool));

    CHECK(walk.deepest <= kMaxMeshDepth);
    CHECK(walk.holds_boxes);
    CHECK(walk.leaf_elements.size() == 10'000'000);
}
