// SPDX-License-Identifier: Apache-2.0
#include "lower/cost.hpp"
#include "lower/nodes.hpp"
#include "support/catch.hpp"
#include "tree_checks.hpp"
#include "tree_values.hpp"

#include <algorithm>

using namespace weft;
using namespace weft::lower;

namespace {

std::ptrdiff_t count_of(const Tree& tree, std::string_view type) {
    return std::count_if(tree.nodes.begin(), tree.nodes.end(),
                         [&](const TreeNode& node) { return node.type == type; });
}

} // namespace

TEST_CASE("matrices of four rows are one socket in trees of geometry") {
    const Lowered made = lowered("struct Pair { float4x4 first; float s; }\n"
                                 "float4x4 f(float4x4 m, float3x3 r, Pair p)\n"
                                 "{ return mul(m, p.first) * p.s + r[1][2]; }");

    const Tree tree = make_tree(made.call, made.function, {TreeKind::geometry, {}});

    REQUIRE(tree.inputs.size() == 1 + 9 + 2);
    CHECK(tree.inputs[0].name == "m");
    CHECK(tree.inputs[0].type == "NodeSocketMatrix");
    CHECK(tree.inputs[1].name == "r[0][0]");
    CHECK(tree.inputs[10].name == "p.first");
    CHECK(tree.inputs[10].type == "NodeSocketMatrix");
    REQUIRE(tree.outputs.size() == 1);
    CHECK(tree.outputs[0].type == "NodeSocketMatrix");
    CHECK(count_of(tree, "FunctionNodeSeparateMatrix") == 2);
    CHECK(count_of(tree, "FunctionNodeCombineMatrix") == 1);
    check_tree(made, {TreeKind::geometry, {}});
    for (const TreeKind kind : {TreeKind::shader, TreeKind::compositor}) {
        CHECK(make_tree(made.call, made.function, {kind, {5, 2}}).inputs.size() == 16 + 9 + 17);
        check_tree(made, {kind, {}});
    }
}

TEST_CASE("a matrix that only goes through is not taken apart") {
    const Lowered made = lowered("float4x4 f(float4x4 m, out float4x4 turned)\n"
                                 "{ turned = transpose(m); return m; }");

    const Tree tree = make_tree(made.call, made.function, {TreeKind::geometry, {}});

    CHECK(tree.results[0] == Source(Link{0, "0"}));
    CHECK(count_of(tree, "FunctionNodeCombineMatrix") == 1);
    check_tree(made, {TreeKind::geometry, {}});
}

TEST_CASE("arrays of four by four numbers are no matrix") {
    const Lowered made = lowered("float f(float a[4][4]) { return a[1][2]; }");

    CHECK(make_tree(made.call, made.function, {TreeKind::geometry, {}}).inputs.size() == 16);
}

namespace {

constexpr const char* kBundles = R"(
import weft.node;
enum Edge { Hard = 3, Soft = 7 }
struct Inner { float2 at; int n; bool on; }
struct Wall { float size; [Color] float3 color; Inner inner; Inner layers[2]; Edge edge; float4 rest; float4x4 m; }
[Bundle] Wall f([Bundle] Wall wall, float x, [Bundle] inout Inner other)
{
    wall.size *= x;
    wall.inner.n = clamp(wall.inner.n, -50, 50) + clamp(other.n, -50, 50);
    wall.layers[0] = other;
    wall.layers[0].n = 7;
    wall.layers[1].n = 8;
    wall.edge = Edge.Hard;
    other.n = 9;
    return wall;
}
)";

std::vector<std::string> names_of(const std::vector<TreeSocket>& sockets) {
    std::vector<std::string> names;
    std::transform(sockets.begin(), sockets.end(), std::back_inserter(names),
                   [](const TreeSocket& socket) { return socket.name; });
    return names;
}

} // namespace

TEST_CASE("a structure that is a bundle is one socket, with bundles in it") {
    const Lowered made = lowered(kBundles);

    const Tree tree = make_tree(made.call, made.function, {TreeKind::geometry, {5, 2}});

    CHECK(names_of(tree.inputs) == std::vector<std::string>{"wall", "x", "other"});
    CHECK(names_of(tree.outputs) == std::vector<std::string>{"Result", "other"});
    const TreeSocket& wall = tree.inputs[0];
    CHECK(wall.type == "NodeSocketBundle");
    CHECK(names_of(wall.items) == std::vector<std::string>{"size", "color", "inner", "layers[0]",
                                                           "layers[1]", "edge", "rest", "rest.w",
                                                           "m"});
    CHECK(wall.items[1].type == "NodeSocketColor");
    CHECK(wall.items[2].type == "NodeSocketBundle");
    CHECK(names_of(wall.items[3].items) == std::vector<std::string>{"at", "n", "on"});
    CHECK(wall.items[5].type == "NodeSocketInt");
    CHECK(wall.items[5].cases.size() == 2);
    CHECK(wall.items[8].type == "NodeSocketMatrix");
    CHECK(count_of(tree, "NodeSeparateBundle") == 1 + 2 + 1);
    CHECK(count_of(tree, "NodeCombineBundle") == 1 + 3 + 1);
    CHECK(count_of(tree, "NodeJoinBundle") == 0);
    check_tree(made, {TreeKind::geometry, {5, 2}});
    check_tree(made, {TreeKind::shader, {5, 2}});
}

TEST_CASE("where trees have no bundles a structure is a socket a field") {
    const Lowered made = lowered(kBundles);

    for (const NodeOptions options :
         {NodeOptions{TreeKind::geometry, {4, 5}}, NodeOptions{TreeKind::shader, {4, 5}},
          NodeOptions{TreeKind::compositor, {5, 2}}}) {
        const Tree tree = make_tree(made.call, made.function, options);
        CHECK(tree.inputs[0].name == "wall.size");
        CHECK(count_of(tree, "NodeSeparateBundle") == 0);
        check_tree(made, options);
    }
    CHECK(make_sockets(made.call).inputs[1].type == "NodeSocketColor");
}

TEST_CASE("what takes bundles apart and together costs nothing") {
    const Lowered made = lowered("import weft.node; struct B { float x; float y; }\n"
                                 "[Bundle] B f([Bundle] B b) { return b; }");

    const Tree tree = make_tree(made.call, made.function, {TreeKind::shader, {5, 2}});

    CHECK(tree.nodes.size() == 1 + 2);
    CHECK(cost_of(tree) == 0);
}

TEST_CASE("items that are not given are joined to the bundle") {
    Lowered made = lowered("import weft.node; struct B { float x; float3 y; int n; bool on; }\n"
                           "float f([Bundle] B b) { return b.x + b.y.z + b.n + (b.on ? 10 : 0); }");
    set_defaults(made.call, {{2}, {0}, {0}, {0.5f}}, {{4}, {1}});

    const Tree tree = make_tree(made.call, made.function, {TreeKind::geometry, {5, 2}});

    CHECK(count_of(tree, "NodeJoinBundle") == 1);
    check_tree(made, {TreeKind::geometry, {5, 2}});
    const std::string json = print_json(tree);
    CHECK_THAT(json,
               ContainsSubstring(R"({"name": "b", "type": "NodeSocketBundle", "items": [)"
                                 R"({"name": "x", "type": "NodeSocketFloat", "default": 2.0})"));
    CHECK_THAT(json, ContainsSubstring(R"("default": [0.0, 0.0, 0.5])"));
    CHECK_THAT(json, ContainsSubstring(R"("items": ["x", "y", "n", "on"], )"
                                       R"("types": ["FLOAT", "VECTOR", "INT", "BOOLEAN"])"));
}

TEST_CASE("what is no structure cannot be a bundle") {
    const auto refusal = [](const char* text) {
        return dag::refusal_of([&] { static_cast<void>(lowered(text)); });
    };

    CHECK_THAT(refusal("import weft.node;\nfloat f([Bundle] float3 x) { return x.x; }"),
               ContainsSubstring("parameter 'x' is marked [Bundle], which takes a structure, and "
                                 "is a vector<float,3>; take the attribute away"));
    CHECK_THAT(refusal("import weft.node;\n[Bundle] float f(float x) { return x; }"),
               ContainsSubstring("the result is marked [Bundle]"));
}
