// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/wide_bvh.hpp"
#include "scene/wide_node.hpp"
#include "soups.hpp"
#include "support/catch.hpp"

#include <bit>
#include <cstring>

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::testing;

namespace {

struct Extent {
    std::array<double, 3> lowest;
    std::array<double, 3> highest;

    bool holds(const std::array<float, 3>& point) const {
        for (std::size_t axis = 0; axis < 3; ++axis) {
            if (point[axis] < lowest[axis] || point[axis] > highest[axis]) {
                return false;
            }
        }
        return true;
    }
};

/// As the shader decodes it.
Extent extent_of(const WideNode& node, std::size_t slot) {
    Extent extent{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
        const double step =
            std::bit_cast<float>(static_cast<std::uint32_t>(node.exponent[axis]) << 23U);
        extent.lowest[axis] = node.origin[axis] + step * node.lowest[axis][slot];
        extent.highest[axis] = node.origin[axis] + step * node.highest[axis][slot];
    }
    return extent;
}

struct Walk {
    std::vector<std::uint32_t> elements; ///< of leaves
    std::uint32_t deepest = 0;           ///< nodes on the longest path
    std::size_t node_count = 0;
    bool holds_triangles = true; ///< every box above a triangle holds it
};

void walk_node(std::span<const WideNode> nodes, std::span<const BvhTriangle> triangles,
               std::uint32_t index, std::vector<Extent>& above, Walk& walk) {
    const WideNode& node = nodes[index];
    walk.deepest = std::max(walk.deepest, static_cast<std::uint32_t>(above.size()) + 1);
    ++walk.node_count;
    for (std::size_t slot = 0; slot < kWideChildren; ++slot) {
        above.push_back(extent_of(node, slot));
        if ((node.inner >> slot & 1U) != 0) {
            const auto before = std::popcount(node.inner & ((1U << slot) - 1U));
            CHECK(node.meta[slot] == 32 + 24 + slot);
            walk_node(nodes, triangles, node.first_child + static_cast<std::uint32_t>(before),
                      above, walk);
        } else {
            const std::uint32_t first = node.first_element + (node.meta[slot] & 31U);
            const auto count =
                static_cast<std::uint32_t>(std::popcount(std::uint32_t{node.meta[slot]} >> 5U));
            for (std::uint32_t i = first; i < first + count; ++i) {
                walk.elements.push_back(i);
                for (const Extent& extent : above) {
                    walk.holds_triangles =
                        walk.holds_triangles &&
                        (triangles.empty() || (extent.holds(triangles[i].vertex0) &&
                                               extent.holds(triangles[i].vertex1) &&
                                               extent.holds(triangles[i].vertex2)));
                }
            }
        }
        above.pop_back();
    }
}

Walk walk_mesh(const WideBvh& bvh, std::size_t mesh = 0) {
    Walk walk;
    std::vector<Extent> above;
    walk_node(bvh.nodes, bvh.triangles, bvh.meshes.at(mesh).root, above, walk);
    return walk;
}

Walk walk_top(const WideBvh& bvh) {
    Walk walk;
    std::vector<Extent> above;
    walk_node(bvh.top_nodes, {}, 0, above, walk);
    return walk;
}

template <typename Element>
bool is_same(const std::vector<Element>& a, const std::vector<Element>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Element)) == 0;
}

} // namespace

TEST_CASE("every triangle lies in one wide leaf, inside all boxes above") {
    core::ThreadPool pool(2);
    const auto count = GENERATE(as<std::size_t>{}, 1, 2, 5, 100, 20000);
    const Soup soup = make_soup(count);

    const WideBvh bvh = build_wide_bvh(soup.geometry(), pool);

    const Walk walk = walk_mesh(bvh);
    CHECK(walk.holds_triangles);
    CHECK(walk.node_count == bvh.nodes.size());
    CHECK(is_permutation_of_indices(walk.elements, 0, count));
    std::vector<std::uint32_t> primitives;
    for (const BvhTriangle& triangle : bvh.triangles) {
        primitives.push_back(triangle.primitive);
    }
    CHECK(is_permutation_of_indices(primitives, 0, count));
}

TEST_CASE("a wide tree takes less than a third of the memory of nodes") {
    core::ThreadPool pool(2);
    const Soup soup = make_soup(20000);

    const WideBvh wide = build_wide_bvh(soup.geometry(), pool);
    const Bvh bvh = build_bvh(soup.geometry(), pool);

    CHECK(3 * wide.nodes.size() * sizeof(WideNode) < bvh.nodes.size() * sizeof(BvhNode));
}

TEST_CASE("a wide tree does not depend on the number of threads") {
    const Soup soup = make_soup(30000);
    core::ThreadPool one(1);
    core::ThreadPool four(4);

    const WideBvh a = build_wide_bvh(soup.geometry(), one);
    const WideBvh b = build_wide_bvh(soup.geometry(), four);

    CHECK(is_same(a.nodes, b.nodes));
    CHECK(is_same(a.triangles, b.triangles));
    CHECK(is_same(a.top_nodes, b.top_nodes));
}

TEST_CASE("no input makes a wide tree deeper than a traversal stack") {
    core::ThreadPool pool(2);
    for (const Soup& soup : {make_nested_soup(), make_equal_soup(), make_soup(20000, 40)}) {
        const Walk walk = walk_mesh(build_wide_bvh(soup.geometry(), pool));

        CHECK(walk.deepest <= kMaxMeshDepth);
        CHECK(walk.holds_triangles);
        CHECK(walk.elements.size() == soup.triangles.size() / 3);
    }
}

TEST_CASE("coordinates of any finite size have a wide tree") {
    core::ThreadPool pool(2);
    const auto scale = GENERATE(1e-38F, 1e-20F, 1e20F, 3e38F);
    const Soup soup = make_scaled_soup(scale);

    const Walk walk = walk_mesh(build_wide_bvh(soup.geometry(), pool));

    CHECK(walk.holds_triangles);
    CHECK(walk.elements.size() == 1000);
}

TEST_CASE("wide meshes share the arrays, empty ones have no instance") {
    core::ThreadPool pool(2);
    const Soup first = make_soup(50);
    const Soup second = make_soup(70);
    const Geometry geometry{.meshes = {first.view(), {}, second.view()},
                            .instances = {{.mesh = 2}, {.mesh = 1}, {.mesh = 0}}};

    const WideBvh bvh = build_wide_bvh(geometry, pool);

    CHECK(is_permutation_of_indices(walk_mesh(bvh, 0).elements, 0, 50));
    CHECK(walk_mesh(bvh, 1).elements.empty());
    CHECK(is_permutation_of_indices(walk_mesh(bvh, 2).elements, 50, 70));
    CHECK(is_permutation_of_indices(walk_top(bvh).elements, 0, 2));
    for (const BvhInstance& instance : bvh.instances) {
        CHECK(instance.root == bvh.meshes[geometry.instances[instance.instance].mesh].root);
    }
}

TEST_CASE("a wide tree of many instances in one place stays within the stack") {
    core::ThreadPool pool(2);
    const Soup soup = make_soup(3);
    Geometry geometry = soup.geometry();
    geometry.instances.resize(3000);

    const Walk walk = walk_top(build_wide_bvh(geometry, pool));

    CHECK(walk.deepest <= kMaxTopDepth);
    CHECK(is_permutation_of_indices(walk.elements, 0, 3000));
}

TEST_CASE("new transforms change the top level of a wide tree only") {
    core::ThreadPool pool(2);
    const Soup soup = make_soup(100);
    WideBvh bvh = build_wide_bvh(soup.geometry(), pool);
    const std::vector<WideNode> nodes = bvh.nodes;

    const std::vector<Instance> moved{{.object_to_world = {1, 0, 0, 10, 0, 1, 0, 0, 0, 0, 1, 0}}};
    update_instances(bvh, moved, pool);
    CHECK_THROWS_AS(update_instances(bvh, std::vector<Instance>{{.mesh = 1}}, pool),
                    core::ArgumentError);

    CHECK(is_same(bvh.nodes, nodes));
    CHECK(bvh.top_nodes.at(0).origin[0] > 9);
    CHECK(bvh.instances.at(0).world_to_object[3] == -10);
}

TEST_CASE("a vertex that is not finite has no wide tree and is named") {
    core::ThreadPool pool(1);
    Soup soup = make_soup(4);
    soup.positions[5] = std::numeric_limits<float>::quiet_NaN();

    CHECK_THROWS_WITH(build_wide_bvh(soup.geometry(), pool),
                      ContainsSubstring("mesh 0: the z coordinate of vertex 1 is nan"));
}
