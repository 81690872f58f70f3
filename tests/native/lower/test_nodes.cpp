// SPDX-License-Identifier: Apache-2.0
#include "lower/cost.hpp"
#include "lower/nodes.hpp"
#include "support/catch.hpp"
#include "tree_checks.hpp"
#include "tree_values.hpp"

#include <algorithm>
#include <cmath>

using namespace weft;
using namespace weft::lower;
using dag::refusal_of;

namespace {

/// Every function takes reals between -4 and 4, or integers between -100 and 100.
constexpr const char* kCorpus = R"(
float3 shaded(float3 n, float3 l, float3 color, float roughness)
{
    float3 h = normalize(n + l);
    float d = max(dot(normalize(n), h), 0);
    return color * pow(d, 2 / (0.01f + roughness * roughness)) + abs(cross(n, l)) * 0.1f;
}
float4 brick(float2 uv, float w, float h, float3 a, float3 b)
{
    w = 0.3f + abs(w); h = 0.2f + abs(h);
    float row = floor(uv.y / h);
    float off = (int(row) & 1) != 0 ? 0.5f : 0.f;
    float x = uv.x / w + off;
    float fx = (x - floor(x)) * w, fy = uv.y - row * h;
    float d = min(min(fx, w - fx), min(fy, h - fy));
    float t = smoothstep(0.f, 0.05f, d);
    return float4(lerp(float3(0.7f), lerp(a, b, frac(row * 0.37f)), t), t);
}
float box(float3 p, float3 b) { float3 q = abs(p) - abs(b); return length(max(q, float3(0))) + min(max(q.x, max(q.y, q.z)), 0.f); }
float2 mandelbrot(float2 c)
{
    float2 z = float2(0); int n = 0; float last = 0;
    for (n = 0; n < 12; n++)
    {
        z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        last = dot(z, z);
        if (last > 4) break;
    }
    return float2(n, min(last, 1000.f));
}
float3 palette(float t, float3 a, float3 b) { return clamp(a + b * cos(6.28318f * (t + float3(0, 0.33f, 0.67f))), 0.f, 1.f); }
float stepped(float x, float y) { if (x <= y) return x == floor(x) ? 1 : 2; return y >= 0 ? sign(x) : -3; }
float counted(int n) { float s = 0; for (int i = 0; i < clamp(n, 1, 6); i++) s += 1.f / (1 + i); return s; }
int folded(int a, int b) { a = clamp(a, -50, 50); b = clamp(b, 1, 20); return a / b * 100 + a % b + (a >> 2) + ((a & 15) << 3) + max(a, b) - min(a, b); }
bool inside(float2 p, bool flip) { return (dot(p, p) < 4) != flip; }
half halved(float x, float y) { half a = half(x), b = half(y * 1e-6f); return a * half(x * 1e-4f) + b; }
float functions(float x)
{
    float y = 0.1f * x;
    return sin(x) + cos(x) + tan(y) + asin(y) + acos(y) + atan(x) + atan2(x, 2) + sinh(y) + cosh(y) + tanh(x) + exp(y) + exp2(y)
        + log(5 + x) + log2(5 + x) + sqrt(abs(x)) + rsqrt(1 + abs(x)) + fmod(x, 0.7f) + trunc(x) + ceil(x) + frac(x) + lerp(x, 2, 0.3f);
}
)";

/// What shader trees have no integers for.
constexpr const char* kBits = R"(
uint3 pcg3d(uint3 v)
{
    v = v * 1664525u + 1013904223u;
    v.x += v.y * v.z; v.y += v.z * v.x; v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z; v.y += v.z * v.x; v.z += v.x * v.y;
    return v;
}
float hashed(int x) { return float(uint(x) * 2654435769u); }
int shifted(int a, int b) { return (a << (b & 7)) + (a >> 31) + (a >> 3) + int(uint(a) >> (b & 15)) + ~a; }
int ordered(int a, int b) { return (uint(a) < uint(b) ? 1 : 0) + int(min(uint(a), uint(b))) + int(uint(a) % 16u) + (a <= b ? 64 : 0); }
uint converted(float x) { return uint(abs(x) * 1e9f); }
)";

} // namespace

TEST_CASE("trees of shaders and of geometry compute what the function does") {
    const compile::LoadedModuleRef module = dag::load_text(kCorpus);
    for (const reflect::Function& function : module->reflection.functions) {
        CAPTURE(function.name);
        const Lowered made = lowered(module, function);
        check_tree(made, {TreeKind::shader, {}});
        check_tree(made, {TreeKind::geometry, {}});
        check_tree(made, {TreeKind::compositor, {}});
    }
}

TEST_CASE("trees of geometry compute with all bits of integers, and those of shaders refuse them") {
    const compile::LoadedModuleRef module = dag::load_text(kBits);
    for (const reflect::Function& function : module->reflection.functions) {
        CAPTURE(function.name);
        const Lowered made = lowered(module, function);
        check_tree(made, {TreeKind::geometry, {}});
        if (function.name != "converted") {
            const std::string refusal = refusal_of([&] {
                static_cast<void>(make_tree(made.call, made.function, {TreeKind::shader, {}}));
            });
            CHECK_THAT(refusal, ContainsSubstring("lower: "));
        }
    }
}

TEST_CASE("halves are rounded in trees as they are in graphs, ties and small numbers included") {
    const Lowered made = lowered("float rounded(float x) { return float(half(x)); }");
    const Tree tree = make_tree(made.call, made.function);
    constexpr std::uint32_t kNormal = 0x400;
    std::vector<float> values;
    for (std::uint32_t number = 0; number < 0x7bff; number += number < 2 * kNormal ? 1 : 5) {
        const int exponent = static_cast<int>(number / kNormal);
        const auto fraction = static_cast<float>(number % kNormal + (exponent > 0 ? kNormal : 0));
        const float step = std::ldexp(1.f, std::max(exponent, 1) - 25);
        for (const float part : {0.f, 0.25f, 0.5f, 0.50005f, 0.75f}) {
            values.push_back((fraction + part) * step);
            values.push_back(-values.back());
        }
    }
    const dag::Values expected = dag::interpret(made.function, {{values}, {}}, values.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < values.size(); i++) {
        wrong += values_of(tree, {values[i]})[0] == expected.reals[0][i] ? 0 : 1;
    }
    CHECK(wrong == 0);
    CHECK(values_of(tree, {1e30})[0] == 65504);
}

TEST_CASE("vectors have one socket, and nodes that take them apart and together") {
    const Tree tree = make_tree(
        lowered("float3 twice(float3 v, float2 uv, float s) { return v * s + uv.x; }").call,
        lowered("float3 twice(float3 v, float2 uv, float s) { return v * s + uv.x; }").function);

    REQUIRE(tree.inputs.size() == 3);
    CHECK(tree.inputs[0].name == "v");
    CHECK(tree.inputs[0].type == "NodeSocketVector");
    CHECK(tree.inputs[2].type == "NodeSocketFloat");
    REQUIRE(tree.outputs.size() == 1);
    CHECK(tree.outputs[0].name == "Result");
    CHECK(tree.nodes[0].type == "NodeGroupInput");
    CHECK(tree.nodes.back().type == "ShaderNodeCombineXYZ");
}

TEST_CASE("operations that only one other uses become one node with it") {
    const auto types = [](const char* text) {
        const Lowered made = lowered(text);
        std::string all;
        for (const TreeNode& node : make_tree(made.call, made.function).nodes) {
            all += node.properties.empty() ? "" : node.properties.back().second + ' ';
        }
        return all;
    };

    CHECK(types("float f(float a, float b, float c) { return a * b + c; }") == "MULTIPLY_ADD ");
    CHECK(types("float f(float a, float b) { return a * b - 3; }") == "MULTIPLY_ADD ");
    CHECK(types("float f(float a, float b) { return b - a * 3; }") == "MULTIPLY_ADD ");
    CHECK(types("float f(float a) { return clamp(a, 0.5f, 2.f); }") == "MINMAX ");
    CHECK(types("float f(float a, float b) { return a <= b ? a : 2; }") == "GREATER_THAN FLOAT ");
    // Used twice, a product is computed once.
    CHECK(types("float f(float a, float b) { float p = a * b; return sin(p) * (p + 1); }") ==
          "MULTIPLY SINE ADD MULTIPLY ");
    CHECK(types("float f(float a, float b, float c) { return c - a * b; }") ==
          "MULTIPLY SUBTRACT ");
}

TEST_CASE("enumerations are menus where trees have them, else numbers") {
    const Lowered made =
        lowered("enum Edge { Hard = 3, Soft = 7 }\n"
                "int chosen(Edge edge = Edge.Soft) { return edge == Edge.Hard ? 6 : int(edge); }");
    for (const NodeOptions options :
         {NodeOptions{TreeKind::geometry, {4, 5}}, NodeOptions{TreeKind::shader, {5, 2}},
          NodeOptions{TreeKind::compositor, {5, 2}}}) {
        const Tree tree = make_tree(made.call, made.function, options);
        CHECK(tree.inputs[0].type == "NodeSocketMenu");
        CHECK(tree.inputs[0].hints.default_value == 7);
        CHECK(tree.nodes[1].items == std::vector<std::string>{"Hard", "Soft"});
        CHECK(values_of(tree, {0})[0] == 6);
        CHECK(values_of(tree, {1})[0] == 7);
    }
    for (const TreeKind kind : {TreeKind::shader, TreeKind::compositor}) {
        const Tree tree = make_tree(made.call, made.function, {kind, {4, 5}});
        CHECK(tree.inputs[0].type == "NodeSocketFloat");
        CHECK(values_of(tree, {7})[0] == 7);
    }
    const std::string json =
        print_json(make_tree(made.call, made.function, {TreeKind::geometry, {4, 5}}));
    CHECK_THAT(json, ContainsSubstring(R"("default": 7.0, "cases": {"Hard": 3, "Soft": 7}})"));
    CHECK_THAT(json, ContainsSubstring(R"("Item_0": 3, "Item_1": 7}, "items": ["Hard", "Soft"]})"));
}

/// Loops with many rounds: with a break, with numbers that differ from round to round, with values of the round before the
/// last one, one behind another, in each other.
constexpr const char* kLong = R"(
float2 escaped(float2 c)
{
    float2 z = float2(0); int n = 0; float last = 0;
    for (n = 0; n < 30; n++)
    {
        z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        last = dot(z, z);
        if (last > 4) break;
    }
    return float2(n, min(last, 1000.f));
}
float weighted(float x) { float s = 0, a = 1; for (int i = 0; i < 20; i++) { s += a * frac(x * (i + 1)); a *= 0.8f; } return s; }
float two(float x) { float a = x, b = 1; for (int i = 0; i < 40; i++) { float c = a * 0.5f + b; a = b; b = frac(c); } return a + 10 * b; }
int halves(int n) { n = clamp(abs(n), 1, 90); int steps = 0; for (; steps < 100 && n != 1; steps++) n = (n & 1) != 0 ? 3 * n + 1 : n / 2; return steps; }
float after(float x) { float s = x; for (int i = 0; i < 20; i++) s = frac(s * 3 + i); float t = s; for (int i = 0; i < 30; i++) { t = abs(t * 2 - s) + x; t = frac(t); } return s + t; }
float within(float x) { float s = 0; for (int i = 0; i < 12; i++) { for (int j = 0; j < 4; j++) s += frac(x * i + j * 0.3f); s = frac(s); } return s; }
)";

TEST_CASE("long loops are repeat zones in geometry trees") {
    const compile::LoadedModuleRef module = dag::load_text(kLong);
    for (const reflect::Function& function : module->reflection.functions) {
        CAPTURE(function.name);
        const Lowered made = lowered(module, function);

        const Tree tree = make_tree(made.call, made.function, {TreeKind::geometry, {}});

        REQUIRE(!tree.zones.empty());
        CHECK(tree.zones.size() == (function.name == "after" ? 2 : 1));
        CHECK(tree.nodes.size() < 80);
        check_tree(made, {TreeKind::geometry, {}});
    }
}

TEST_CASE("short loops, and trees of shaders, have no zone") {
    const auto tree_of = [](const char* rounds, TreeKind kind) {
        const Lowered made = lowered((std::string("float f(float x) { for (int i = 0; i < ") +
                                      rounds + "; i++) x = frac(x * x + 0.3f) * x; return x; }")
                                         .c_str());
        return make_tree(made.call, made.function, {kind, {}});
    };

    const Tree little = tree_of("6", TreeKind::geometry);
    CHECK(little.zones.empty());
    CHECK(little.nodes.size() == 1 + 6 * 3);
    CHECK(tree_of("40", TreeKind::geometry).zones.size() == 1);
    CHECK(tree_of("40", TreeKind::shader).zones.empty());
}

TEST_CASE("what a zone computes is estimated as often as it runs") {
    const auto cost = [](const char* rounds) {
        const Lowered made = lowered((std::string("float f(float x) { for (int i = 0; i < ") +
                                      rounds + "; i++) x = sin(cos(x) + x) * 3; return x; }")
                                         .c_str());
        return cost_of(make_tree(made.call, made.function, {TreeKind::geometry, {}}));
    };

    CHECK(cost("40") == Approx(8 * cost("5")));
}

TEST_CASE("a tree is printed as JSON") {
    const Lowered made = lowered("float half_of(float x) { return x * 0.5f; }");

    CHECK(print_json(make_tree(made.call, made.function)) == R"({
  "tree": "ShaderNodeTree",
  "blender": [4, 5],
  "cost": 3.4,
  "cost_unit": "ns a shade",
  "inputs": [
    {"name": "x", "type": "NodeSocketFloat"}
  ],
  "outputs": [
    {"name": "Result", "type": "NodeSocketFloat"}
  ],
  "images": [],
  "nodes": [
    {"type": "NodeGroupInput", "properties": {}, "inputs": {}},
    {"type": "ShaderNodeMath", "properties": {"operation": "MULTIPLY"}, "inputs": {"Value": {"node": 0, "socket": "0"}, "Value_001": 0.5}}
  ],
  "results": [{"node": 1, "socket": "Value"}],
  "zones": []
}
)");
}

TEST_CASE("an image is a node of a shader tree and a socket of a geometry tree") {
    const Lowered made = lowered(R"(
float twice(Texture2D<float4> wood, SamplerState sampler, float2 uv)
{
    float2 there = uv + 0.1f * wood.Sample(sampler, uv).a;
    return wood.SampleLevel(sampler, there, 0).r + wood.Sample(sampler, uv).a;
})");
    const auto image_nodes = [](const Tree& tree) {
        return std::count_if(tree.nodes.begin(), tree.nodes.end(), [](const TreeNode& node) {
            return node.type.ends_with("TexImage") || node.type.ends_with("ImageTexture");
        });
    };

    const Tree shader = make_tree(made.call, made.function);
    REQUIRE(shader.images.size() == 1);
    CHECK(shader.images[0].name == "wood");
    CHECK(shader.inputs.size() == 1);
    CHECK(image_nodes(shader) == 2);

    const Tree geometry = make_tree(made.call, made.function, {TreeKind::geometry, {}});
    CHECK(geometry.images.empty());
    REQUIRE(geometry.inputs.size() == 2);
    CHECK(geometry.inputs[1].type == "NodeSocketImage");
    CHECK(image_nodes(geometry) == 2);
}

TEST_CASE("what a tree cannot compute is refused in one sentence") {
    const auto refusal = [](const char* text, TreeKind kind) {
        const Lowered made = lowered(text);
        return refusal_of(
            [&] { static_cast<void>(make_tree(made.call, made.function, {kind, {}})); });
    };

    CHECK_THAT(refusal("int bits(float x) { return asint(x); }", TreeKind::geometry),
               ContainsSubstring("real_bits"));
    CHECK_THAT(refusal("int squared(int x) { return x * x; }", TreeKind::shader),
               ContainsSubstring("2^24"));
    const char* wide = R"(
float all(float x)
{
    float v[250];
    for (int i = 0; i < 250; i++)
        v[i] = sin(x * (i + 1));
    float s = 0;
    for (int k = 0; k < 250; k++)
        s += v[k] * v[249 - k] * v[(k * 7) % 250];
    return s;
}
)";
    CHECK_THAT(refusal(wide, TreeKind::shader), ContainsSubstring("values are needed at once"));
    CHECK(make_tree(lowered(wide).call, lowered(wide).function, {TreeKind::geometry, {}})
              .nodes.size() > 700);
}
