// SPDX-License-Identifier: Apache-2.0
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
