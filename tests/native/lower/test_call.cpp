// SPDX-License-Identifier: Apache-2.0
#include "dag_support.hpp"
#include "lower/call.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace weft;
using namespace weft::lower;
using dag::refusal_of;
using reflect::ScalarKind;

namespace {

constexpr const char* kText = R"(
enum Mode { Hard = 3, Soft = 7 }
struct Cell { float2 place; int id; bool is_free; }
interface IShape { float area(); }
struct Disk : IShape
{
    float radius;
    float area() { return 3 * radius * radius; }
    static float unit(float x) { return x + 1; }
    float grown(float by) { return radius + by; }
}
float shaped<T : IShape>(T shape) { return shape.area(); }
float scaled(float x, int octaves)
{
    float sum = 0;
    for (int i = 0; i < octaves; i++)
        sum += x;
    return sum;
}
Cell moved(Cell cell, uint by, Mode mode)
{
    cell.place += float2(1, 2);
    cell.id += int(by) + int(mode);
    cell.is_free = !cell.is_free;
    return cell;
}
half weighted(half3 v, float2x3 m, float w[2]) { return half(v.z * m[1][2] + w[1]); }
void split(float x, out float whole, inout int count) { whole = floor(x); count += int(whole); }
float wide(double x) { return float(x); }
float summed(StructuredBuffer<float> x) { return x[0]; }
void nothing(float x) {}
)";

const reflect::Function& function_named(const compile::LoadedModule& module,
                                        std::string_view name) {
    for (const reflect::Function& function : module.reflection.functions) {
        if (function.name == name) {
            return function;
        }
    }
    for (const reflect::Structure& structure : module.reflection.structs) {
        for (const reflect::Function& method : structure.methods) {
            if (method.name == name) {
                return method;
            }
        }
    }
    throw std::runtime_error("no such function");
}

struct Lowered {
    Call call;
    dag::Function function;
};

Lowered lower_function(std::string_view name, const BuildValues& values = {}) {
    const compile::LoadedModuleRef module = dag::load_text(kText);
    Lowered lowered{describe_call(function_named(*module, name), module->import_name, values), {}};
    lowered.function =
        dag::build(dag::read_spirv(dag::compile_source(module, lowered.call.source, kEntryPoint)));
    return lowered;
}

std::string refusal(std::string_view name, const BuildValues& values = {}) {
    return refusal_of([&] { static_cast<void>(lower_function(name, values)); });
}

} // namespace

TEST_CASE("structures, enumerations, integers and booleans are scalars in order of declaration") {
    const Lowered lowered = lower_function("moved");

    REQUIRE(lowered.call.inputs.size() == 3);
    const std::vector<Leaf>& leaves = lowered.call.inputs[0].leaves;
    REQUIRE(leaves.size() == 4);
    CHECK(leaves[0].path == ".place.x");
    CHECK(leaves[2].path == ".id");
    CHECK(leaves[2].kind == ScalarKind::int32);
    CHECK(leaves[3].kind == ScalarKind::bool_);
    CHECK_FALSE(leaves[3].is_real);
    CHECK(lowered.call.inputs[1].leaves[0].number == 2);

    const dag::Values got =
        dag::interpret(lowered.function, {{{5}, {6}}, {{10}, {1}, {20}, {7}}}, 1);

    CHECK(got.reals == std::vector<std::vector<float>>{{6}, {8}});
    CHECK(got.integers == std::vector<std::vector<dag::Word>>{{37}, {0}});
}

TEST_CASE("halves, matrices and arrays are scalars as well") {
    const Lowered lowered = lower_function("weighted");

    REQUIRE(lowered.call.inputs.size() == 3);
    CHECK(lowered.call.inputs[1].leaves[5].path == "[1][2]");
    CHECK(lowered.call.inputs[2].leaves[1].path == "[1]");
    dag::Values inputs;
    for (int i = 0; i < 11; i++) {
        inputs.reals.push_back({static_cast<float>(i)});
    }

    CHECK(dag::interpret(lowered.function, inputs, 1).reals[0][0] == 2 * 8 + 10);
}

TEST_CASE("what a function writes comes after what it returns") {
    const Lowered lowered = lower_function("split");

    REQUIRE(lowered.call.inputs.size() == 2);
    REQUIRE(lowered.call.results.size() == 2);
    CHECK(lowered.call.results[0].name == "whole");

    const dag::Values got = dag::interpret(lowered.function, {{{2.5f}}, {{40}}}, 1);

    CHECK(got.reals[0][0] == 2);
    CHECK(got.integers[0][0] == 42);
}

TEST_CASE("a build value bounds the loops that it drives") {
    const Lowered lowered = lower_function("scaled", {{"octaves", "3"}});

    CHECK(lowered.function.integers == 0);
    CHECK(dag::interpret(lowered.function, {{{2}}, {}}, 1).reals[0][0] == 6);
    CHECK_THAT(refusal("scaled"), ContainsSubstring("rounds"));
    CHECK_THAT(refusal("scaled", {{"octave", "3"}}), ContainsSubstring("Did you mean 'octaves'?"));
    CHECK_THAT(refusal("split", {{"count", "3"}}), ContainsSubstring("written"));
}

TEST_CASE("static methods are lowered, and methods say what to do") {
    CHECK(dag::interpret(lower_function("unit").function, {{{2}}, {}}, 1).reals[0][0] == 3);
    CHECK_THAT(refusal("grown"), ContainsSubstring("takes the structure"));
}

TEST_CASE("each parameter that cannot be a socket has its sentence") {
    CHECK_THAT(refusal("wide"), ContainsSubstring("parameter 'x', a double, has no node"));
    CHECK_THAT(refusal("summed"), ContainsSubstring("is memory"));
    CHECK_THAT(refusal("nothing"), ContainsSubstring("no result"));
    CHECK_THAT(refusal("shaped"), ContainsSubstring("generic"));
    CHECK_THAT(refusal("wide"), ContainsSubstring("lower: wide (sample:"));
}
