// SPDX-License-Identifier: Apache-2.0
// Trees that the device makes, beside those of the host.
#include "../scene/soups.hpp"
#include "fixture.hpp"
#include "render/bvh_tracer.hpp"
#include "scene/bvh.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace weft;
using namespace weft::render;
using namespace weft::render::testing;
using scene::BvhNode;
using scene::BvhTriangle;
using scene::kLeafBit;
using Soup3 = scene::testing::Soup;

namespace {

const TracerDesc kDevice{.kind = TracerKind::bvh, .builder = TreeBuilder::device};
const TracerDesc kHost{.kind = TracerKind::bvh, .builder = TreeBuilder::host};

/// The arrays of a tracer of one mesh, on the host.
struct Tree {
    std::vector<BvhNode> nodes;
    std::vector<BvhTriangle> triangles;
    std::uint32_t root = 0;
};

template <typename Element>
std::vector<Element> read(const tensor::Tensor& words) {
    const auto bytes = static_cast<std::size_t>(words.element_count()) * sizeof(std::uint32_t);
    std::vector<Element> out(bytes / sizeof(Element));
    words.device().download(words.buffer(), words.offset_bytes(),
                            std::as_writable_bytes(std::span(out)));
    return out;
}

Tree read_tree(const Tracer& tracer) {
    const BvhTracer::View& view = dynamic_cast<const BvhTracer&>(tracer).view();
    Tree tree{.nodes = read<BvhNode>(*view.nodes), .triangles = read<BvhTriangle>(*view.triangles)};
    tree.root = read<scene::BvhInstance>(*view.instances).front().root;
    return tree;
}

/// What a walk through a tree finds.
struct Walk {
    double cost = 0;           ///< area of nodes, and of leaves by triangle
    std::uint32_t deepest = 0; ///< inner nodes on the longest path
    std::size_t nodes = 0;
    bool is_sound = true; ///< boxes hold what is below them, leaves are small and marked
    std::vector<std::uint32_t> primitives;
};

using Corners = std::array<std::array<double, 3>, 2>;

Corners corners_of(const BvhNode& node, std::size_t c) {
    return {{{node.xy[c][0], node.xy[c][2], node.z[2 * c]},
             {node.xy[c][1], node.xy[c][3], node.z[2 * c + 1]}}};
}

bool holds(const Corners& box, const std::array<float, 3>& point) {
    for (std::size_t i = 0; i < 3; ++i) {
        if (point[i] < box[0][i] || point[i] > box[1][i]) {
            return false;
        }
    }
    return true;
}

double half_area(const Corners& box) {
    const auto edge = [&](std::size_t i) { return box[1][i] - box[0][i]; };
    return edge(0) * edge(1) + (edge(0) + edge(1)) * edge(2);
}

Corners joined(Corners a, const Corners& b) {
    for (std::size_t i = 0; i < 3; ++i) {
        a[0][i] = std::min(a[0][i], b[0][i]);
        a[1][i] = std::max(a[1][i], b[1][i]);
    }
    return a;
}

void walk_leaf(const Tree& tree, const Corners& box, std::uint32_t first, std::uint32_t count,
               Walk& walk) {
    walk.cost += half_area(box) * count;
    walk.is_sound = walk.is_sound && count <= 4;
    for (std::uint32_t i = first; i < first + count; ++i) {
        const BvhTriangle& triangle = tree.triangles.at(i);
        walk.is_sound = walk.is_sound && holds(box, triangle.vertex0) &&
                        holds(box, triangle.vertex1) && holds(box, triangle.vertex2) &&
                        (triangle.is_last != 0) == (i + 1 == first + count);
        walk.primitives.push_back(triangle.primitive);
    }
}

/// @returns the box of both children.
Corners walk_node(const Tree& tree, std::uint32_t index, std::uint32_t depth, Walk& walk) {
    walk.deepest = std::max(walk.deepest, depth + 1);
    ++walk.nodes;
    const BvhNode& node = tree.nodes.at(index);
    for (std::size_t c = 0; c < 2; ++c) {
        const Corners box = corners_of(node, c);
        if ((node.child[c] & kLeafBit) != 0) {
            walk_leaf(tree, box, node.child[c] & ~kLeafBit, node.count[c], walk);
            continue;
        }
        const Corners below = walk_node(tree, node.child[c], depth + 1, walk);
        walk.is_sound = walk.is_sound && joined(box, below) == box;
    }
    const Corners all = node.count[1] == 0 && (node.child[1] & kLeafBit) != 0
                            ? corners_of(node, 0)
                            : joined(corners_of(node, 0), corners_of(node, 1));
    walk.cost += half_area(all);
    return all;
}

Walk walk_tree(const Tree& tree) {
    Walk walk;
    const double area = half_area(walk_node(tree, tree.root, 0, walk));
    walk.cost = area > 0 ? walk.cost / area : 0;
    std::ranges::sort(walk.primitives);
    return walk;
}

void require_sound(const Walk& walk, std::size_t triangle_count) {
    CHECK(walk.is_sound);
    CHECK(walk.deepest <= scene::kMaxMeshDepth);
    REQUIRE(walk.primitives.size() == triangle_count);
    for (std::uint32_t i = 0; i < triangle_count; ++i) {
        REQUIRE(walk.primitives[i] == i);
    }
}

template <typename Element>
bool same_bytes(const std::vector<Element>& a, const std::vector<Element>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Element)) == 0;
}

scene::Geometry one_instance(const scene::MeshView& mesh) {
    return {.meshes = {mesh}, .instances = {{}}};
}

/// Rays that two tracers of the same scene answer otherwise than with the same bits; where they report another triangle with
/// the same t, that is a tie.
struct Comparison {
    std::size_t differences = 0;
    std::size_t ties = 0;
    std::size_t hits = 0;
};

Comparison compare(Tracer& a, Tracer& b, std::span<const TestRay> rays) {
    const std::vector<TestHit> ours = closest(a, rays);
    const std::vector<TestHit> theirs = closest(b, rays);
    Comparison out;
    for (std::size_t i = 0; i < rays.size(); ++i) {
        const bool is_same =
            ours[i].primitive == theirs[i].primitive && ours[i].instance == theirs[i].instance;
        const bool is_equal = ours[i].t == theirs[i].t &&
                              (!is_same || (ours[i].u == theirs[i].u && ours[i].v == theirs[i].v));
        out.differences += is_equal ? 0 : 1;
        out.ties += is_equal && !is_same ? 1 : 0;
        out.hits += ours[i].instance == kNoInstance ? 0 : 1;
    }
    CHECK(visible(a, rays) == visible(b, rays));
    return out;
}

/// A terrain of 2 size^2 triangles.
Mesh make_terrain(std::uint32_t size) {
    Mesh mesh;
    for (std::uint32_t y = 0; y <= size; ++y) {
        for (std::uint32_t x = 0; x <= size; ++x) {
            const float u = static_cast<float>(x) / static_cast<float>(size);
            const float v = static_cast<float>(y) / static_cast<float>(size);
            mesh.add_vertex(2 * u - 1, 2 * v - 1,
                            0.2F * std::sin(9 * u) * std::cos(7 * v) +
                                0.02F * std::sin(90 * u * v));
        }
    }
    for (std::uint32_t y = 0; y < size; ++y) {
        for (std::uint32_t x = 0; x < size; ++x) {
            const std::uint32_t at = y * (size + 1) + x;
            mesh.triangles.insert(mesh.triangles.end(), {at, at + 1, at + size + 1, at + 1,
                                                         at + size + 2, at + size + 1});
        }
    }
    return mesh;
}

} // namespace

TEST_CASE("the device's tree holds each triangle once, in leaves inside all boxes above") {
    const auto count = GENERATE(2, 3, 4, 5, 100, 1025, 20000);
    Fixture fixture;
    const Soup3 soup = scene::testing::make_soup(static_cast<std::size_t>(count));

    const auto tracer = create_tracer(fixture.context, one_instance(soup.view()), kDevice);

    require_sound(walk_tree(read_tree(*tracer)), static_cast<std::size_t>(count));
}

TEST_CASE("no mesh makes the device's tree too deep") {
    Fixture fixture;
    for (const Soup3& soup : {scene::testing::make_nested_soup(), scene::testing::make_equal_soup(),
                              scene::testing::make_soup(20000, 40)}) {
        const auto tracer = create_tracer(fixture.context, one_instance(soup.view()), kDevice);

        require_sound(walk_tree(read_tree(*tracer)), soup.triangles.size() / 3);
    }
}

TEST_CASE("sizes that grow from one triangle to the next do not make a round of each") {
    Fixture fixture;
    Soup3 soup;
    for (int i = 1; i < 3000; ++i) {
        const auto at = static_cast<float>(i) * static_cast<float>(i);
        const auto size = static_cast<float>(i);
        soup.add({at, 0, 0, at + size, 0, 0, at, size, 0});
    }

    const auto tracer = create_tracer(fixture.context, one_instance(soup.view()), kDevice);

    require_sound(walk_tree(read_tree(*tracer)), 2999);
}

TEST_CASE("coordinates of any finite size have a tree of the device") {
    const auto scale = GENERATE(1e-38F, 1e-20F, 1e20F, 3e38F);
    Fixture fixture;
    const Soup3 soup = scene::testing::make_scaled_soup(scale);

    const auto tracer = create_tracer(fixture.context, one_instance(soup.view()), kDevice);

    require_sound(walk_tree(read_tree(*tracer)), soup.triangles.size() / 3);
}

TEST_CASE("the device makes the same tree each time") {
    Fixture fixture;
    const Mesh sphere = make_sphere(20000, 0.05F);

    const Tree first = read_tree(*create_tracer(fixture.context, one_instance(sphere), kDevice));
    const Tree second = read_tree(*create_tracer(fixture.context, one_instance(sphere), kDevice));

    CHECK(same_bytes(first.nodes, second.nodes));
    CHECK(same_bytes(first.triangles, second.triangles));
}

TEST_CASE("the device's tree costs rays at most a fifth more than the host's, and finds the same") {
    Fixture fixture;
    constexpr std::size_t kCoplanar = 5; // all triangles that a ray meets have one t
    const std::vector<TestRay> rays = make_rays(5000, 1, 3);
    const std::vector<Mesh> meshes{make_terrain(100),
                                   make_sphere(20000, 0.05F),
                                   make_soup(Soup::plain, 5000, 1, 5),
                                   make_soup(Soup::slivers, 5000, 1, 6),
                                   make_soup(Soup::degenerate, 3000, 1, 7),
                                   make_soup(Soup::coplanar, 3000, 1, 8)};
    for (std::size_t i = 0; i < meshes.size(); ++i) {
        INFO("mesh " << i);
        const scene::Geometry geometry = one_instance(meshes[i]);
        const auto device = create_tracer(fixture.context, geometry, kDevice);
        const auto host = create_tracer(fixture.context, geometry, kHost);

        const Walk own = walk_tree(read_tree(*device));
        const Walk other = walk_tree(read_tree(*host));
        const Comparison found = compare(*device, *host, rays);

        require_sound(own, meshes[i].triangle_count());
        INFO("cost " << own.cost << ", the host's " << other.cost << "; nodes " << own.nodes << ", "
                     << other.nodes << "; ties " << found.ties);
        CHECK(own.cost <= 1.2 * other.cost);
        CHECK(found.differences == 0);
        CHECK(found.hits > 100);
        CHECK((found.ties <= found.hits / 10 || i == kCoplanar));
    }
}

TEST_CASE("equal triangles on the device are a tie of all") {
    Fixture fixture;
    Soup3 soup;
    for (int i = 0; i < 500; ++i) {
        soup.add({-1, -1, 0, 1, -1, 0, 0, 1, 0});
    }
    const std::vector<TestRay> rays{{.origin = {0, 0, 2}, .direction = {0, 0, -1}},
                                    {.origin = {5, 0, 2}, .direction = {0, 0, -1}}};

    const auto tracer = create_tracer(fixture.context, one_instance(soup.view()), kDevice);
    const std::vector<TestHit> hits = closest(*tracer, rays);

    CHECK(hits[0].t == 2);
    CHECK(hits[1].instance == kNoInstance);
}

namespace {

/// A mesh whose vertices are moved by a wave.
Mesh bent(Mesh mesh, float height) {
    for (std::size_t i = 0; i < mesh.positions.size(); i += 3) {
        mesh.positions[i + 2] += height * std::sin(3 * mesh.positions[i]);
    }
    return mesh;
}

MeshSource source_of(const Mesh& mesh, std::uint32_t kept = MeshSource::kNew) {
    return {.kept = kept, .mesh = mesh};
}

} // namespace

TEST_CASE("a tree that is refitted to the vertices it has stays as it is, bit by bit") {
    Fixture fixture;
    const Mesh sphere = make_sphere(5000, 0.05F);
    const std::vector<scene::Instance> instances{{}};
    const auto tracer = create_tracer(fixture.context, one_instance(sphere), kDevice);
    const Tree before = read_tree(*tracer);

    tracer->update(std::vector{source_of(sphere, 0)}, instances);
    const Tree moved = read_tree(*tracer);
    tracer->update(std::vector{source_of(sphere, 0)}, instances);
    const Tree after = read_tree(*tracer); // lies where the first one was

    CHECK(moved.root != before.root);
    REQUIRE(after.root == before.root);
    const Walk walk = walk_tree(after);
    require_sound(walk, sphere.triangle_count());
    CHECK(std::memcmp(after.nodes.data(), before.nodes.data(), walk.nodes * sizeof(BvhNode)) == 0);
    CHECK(std::memcmp(after.triangles.data(), before.triangles.data(),
                      sphere.triangle_count() * sizeof(BvhTriangle)) == 0);
}

TEST_CASE("vertices that have moved are found where they are, and a worn tree is made anew") {
    Fixture fixture;
    const Mesh flat = make_terrain(60);
    Mesh scrambled = flat; // long triangles all over the place
    std::mt19937 random(1);
    for (float& position : scrambled.positions) {
        position = static_cast<float>(random() >> 8U) / 8388608.0F - 1;
    }
    const std::vector<TestRay> rays = make_rays(3000, 1, 4);
    const std::vector<scene::Instance> instances{{}};
    for (const Mesh& moved : {bent(flat, 0.1F), bent(flat, 50), scrambled}) {
        const auto tracer = create_tracer(fixture.context, one_instance(flat), kDevice);
        const auto fresh = create_tracer(fixture.context, one_instance(moved), kDevice);

        tracer->update(std::vector{source_of(moved, 0)}, instances);

        CHECK(compare(*tracer, *fresh, rays).differences == 0);
        const Walk walk = walk_tree(read_tree(*tracer));
        require_sound(walk, moved.triangle_count());
        CHECK(walk.cost <= 2 * walk_tree(read_tree(*fresh)).cost);
    }
    const auto tracer = create_tracer(fixture.context, one_instance(flat), kDevice);
    const double before = walk_tree(read_tree(*tracer)).cost;
    const Mesh nearly = bent(flat, 0.001F);
    tracer->update(std::vector{source_of(nearly, 0)}, instances);
    CHECK(walk_tree(read_tree(*tracer)).cost == Approx(before).epsilon(0.02));
}

TEST_CASE("other meshes leave the trees of those that are kept alone") {
    Fixture fixture;
    const Mesh cube = make_cube();
    const Mesh sphere = make_sphere(3000, 0.05F);
    const Mesh soup = make_soup(Soup::plain, 500, 1, 9);
    const std::vector<TestRay> rays = make_rays(3000, 3, 5);
    const std::vector<scene::Instance> before{
        {0, make_transform({0.5F, 0.5F, 0.5F}, 0, {-2, 0, 0})}, {1, scene::kIdentity}};
    const std::vector<scene::Instance> after{{1, make_transform({0.5F, 0.5F, 0.5F}, 0, {2, 0, 0})},
                                             {0, scene::kIdentity},
                                             {2, make_transform({1, 1, 1}, 1, {0, 2, 0})}};
    const Mesh moved = bent(cube, 0.2F);
    const std::vector<MeshSource> meshes{
        {.kept = 1, .mesh = {}}, source_of(soup), source_of(moved, 0)};
    for (const TracerDesc& desc : fixture.tracers()) {
        INFO("tracer " << to_string(desc.kind) << ", trees of " << to_string(desc.builder));
        const auto tracer =
            create_tracer(fixture.context, {.meshes = {cube, sphere}, .instances = before}, desc);
        const auto fresh = create_tracer(
            fixture.context, {.meshes = {sphere, soup, moved}, .instances = after}, desc);

        tracer->update(meshes, after);
        CHECK(compare(*tracer, *fresh, rays).differences == 0);
        CHECK(closest(*tracer, rays).size() == rays.size());

        const std::vector<TestHit> hits = closest(*tracer, rays);
        Mesh broken = soup;
        broken.positions[7] = std::numeric_limits<float>::quiet_NaN();
        const std::vector<std::vector<MeshSource>> wrong{
            {{.kept = 0, .mesh = {}}, source_of(broken), {.kept = 2, .mesh = {}}},
            {{.kept = 0, .mesh = {}}, {.kept = 0, .mesh = {}}, {.kept = 2, .mesh = {}}},
            {{.kept = 0, .mesh = {}}, {.kept = 7, .mesh = {}}, {.kept = 2, .mesh = {}}},
            {{.kept = 0, .mesh = {}}, source_of(cube, 1), {.kept = 2, .mesh = {}}}};
        for (const std::vector<MeshSource>& bad : wrong) {
            CHECK_THROWS_AS(tracer->update(bad, after), core::ArgumentError);
        }
        const std::vector<TestHit> same = closest(*tracer, rays);
        CHECK(std::memcmp(hits.data(), same.data(), hits.size() * sizeof(TestHit)) == 0);
    }
}

TEST_CASE("updates reuse the memory of trees that are gone") {
    Fixture fixture;
    const Mesh sphere = make_sphere(3000, 0.05F);
    const std::vector<scene::Instance> instances{{}};
    const auto tracer = create_tracer(fixture.context, one_instance(sphere), kDevice);
    tracer->update(std::vector{source_of(sphere)}, instances);
    const std::uint64_t held = tracer->memory().held;

    for (int i = 0; i < 5; ++i) {
        tracer->update(std::vector{source_of(sphere)}, instances);
    }

    CHECK(tracer->memory().held == held);
    CHECK(tracer->memory().build > 0);
}

TEST_CASE("a builder that is not there is refused by name") {
    CHECK(require_tree_builder("device", "") == TreeBuilder::device);
    CHECK_THROWS_WITH(require_tree_builder("gpu", "WEFT_TREE_BUILDER"),
                      ContainsSubstring("WEFT_TREE_BUILDER") && ContainsSubstring("'gpu'"));
}
