// SPDX-License-Identifier: Apache-2.0
#include "compile/parameter_gradients.hpp"
#include "support/catch.hpp"

#include <algorithm>

using namespace weft::compile;

TEST_CASE("numbers that are parameters of a differentiable function pass through a call") {
    CHECK(
        keep_parameter_gradients(
            "[Differentiable]\nfloat3 f(float t, float3 b)\n{ return t * b; }") ==
        "[Differentiable]\nfloat3 f(float t, float3 b)\n{ t = weft_parameter(t); return t * b; }");
    CHECK(
        keep_parameter_gradients("[PreferRecompute, BackwardDifferentiable] [X(1, \"{\")] public "
                                 "static double2 f(in double t = 1.0, half u) { return t; }") ==
        "[PreferRecompute, BackwardDifferentiable] [X(1, \"{\")] public static double2 f(in double "
        "t = 1.0, half u) { t = weft_parameter(t); u = weft_parameter(u); return t; }");
}

TEST_CASE("a parameter that cannot be assigned to is hidden by a local name") {
    for (const std::string head :
         {"[Differentiable] float3 f(const float t, const float3 b) {",
          "[Differentiable] func f(t : float = 1, b : float3) -> float3 {"}) {
        CHECK(keep_parameter_gradients(head + " return t * b; }") ==
              head + " let t = weft_parameter(t); return t * b; }");
    }
}

TEST_CASE("names of number types are known from the source") {
    for (const std::string head :
         {"typedef float Real; [Differentiable] float3 f(Real t, float3 b) {",
          "typealias Real = double; [Differentiable] double3 f(Real t, double3 b) {",
          "[Differentiable] vector<Real, N> f<Real : __BuiltinFloatingPointType, let N : int>(Real "
          "t, vector<Real, N> b) {",
          "[Differentiable] vector<Real, 3> f<Real>(Real t, vector<Real, 3> b) where Real : IFloat "
          "{"}) {
        CHECK(keep_parameter_gradients(head + " return t * b; }") ==
              head + " t = weft_parameter(t); return t * b; }");
    }
}

TEST_CASE("what has no such gradient to lose stays as it is") {
    for (const std::string source :
         {"float3 f(float t, float3 b) { return t * b; }",
          "// [Differentiable] float3 f(float t, float3 b) { return t * b; }\n",
          "[Differentiable] float3 f(float t, float3 b);",
          "[Differentiable] float3 f(no_diff float t, float3 b) { return t * b; }",
          "[Differentiable] void f(inout float t, out float u, float3 b) { t *= b.x; u = t; }",
          "[Differentiable] float3 f(int t, uint2 u, float v[2], float3 b) { return t * b; }",
          "[Differentiable] float3 f<T : __BuiltinIntegerType>(T t, float3 b) { return b; }",
          "[Differentiable] float f(float x, int n) { return n > 1.5 ? x * sin(x) : 0.5f; }",
          "struct S { [Differentiable] property float3 x { get { return 0; } } }",
          "[Differentiable] float3 f(float t", "[Differentiable", ""}) {
        CHECK(keep_parameter_gradients(source) == source);
    }
}

TEST_CASE("functions that may hold a vector are not taken for ones of numbers") {
    for (const std::string body :
         {"return dot(t * up(), b());", "float3 x = t; return t;", "return (t * up).x;",
          "return (t * up)[0];", "vector<float, 2> x = t; return t;"}) {
        CHECK(keep_parameter_gradients("[Differentiable] float f(float t) { " + body + " }") ==
              "[Differentiable] float f(float t) { t = weft_parameter(t); " + body + " }");
    }
}

TEST_CASE("lines stay where they are in several functions") {
    const std::string source =
        "[Differentiable]\nfloat3 f(float t,\n  float3 b)\n{\n  return t * b;\n}\n"
        "extension float : IOther\n{\n  [Differentiable] float3 g(float u) {\n"
        "  return u; }\n}\nint after;\n";

    const std::string kept = keep_parameter_gradients(source);

    CHECK(std::count(kept.begin(), kept.end(), '\n') ==
          std::count(source.begin(), source.end(), '\n'));
    CHECK(kept.find("t = weft_parameter(t);") != std::string::npos);
    CHECK(kept.find("u = weft_parameter(u);") != std::string::npos);
    CHECK(kept.substr(kept.rfind("int after")) == "int after;\n");
}
