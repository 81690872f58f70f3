// SPDX-License-Identifier: Apache-2.0
#include "compile/reverse_mode.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <regex>

using namespace weft::compile;

namespace {

/// `weft_read(x, #)` for `weft_read(x, 17)`: which number tells two reads apart does not matter.
std::string without_places(const std::string& text) {
    return std::regex_replace(text, std::regex(", [0-9]{2,}\\)"), ", #)");
}

/// The body of a differentiable function, repaired.
std::string repaired(const std::string& body,
                     const std::string& parameters = "float[8] x, int i, int j") {
    const std::string head = "[Differentiable] float f(" + parameters + ") {";
    const std::string result = repair_reverse_mode(head + body + "}").text;
    REQUIRE(result.starts_with(head));
    return without_places(result.substr(head.size(), result.size() - head.size() - 1));
}

} // namespace

TEST_CASE("loops in loops get one bound that holds what is kept") {
    CHECK(repaired("for (int r = 0; r < 2; ++r) for (int c = 0; c < 8; ++c) s *= 2;") ==
          "[MaxIters(8)] for (int r = 0; r < 2; ++r) for (int c = 0; c < 8; ++c) s *= 2;");
    CHECK(repaired("for (int r = 0; r < 9; ++r) for (int c = 0; c < 8; ++c) s *= 2;") ==
          "for (int r = 0; r < 9; ++r) [MaxIters(9)] for (int c = 0; c < 8; ++c) s *= 2;");
    CHECK(
        repaired("[MaxIters(2)] for (;;) [MaxIters(3)] for (;;) [MaxIters(4)] for (;;) s *= 2;") ==
        "[MaxIters(4)] for (;;) [MaxIters(4)] for (;;) [MaxIters(4)] for (;;) s *= 2;");
}

TEST_CASE("bounds of a nest are read from every head that Slang reads") {
    for (const std::string head :
         {"for (int c = 0; c < 5; ++c)", "for (uint c = 1u; 5u >= c; c++)",
          "for (int c = 10; c > 0; c -= 2)", "for (c = 0; 10 > c; c += 2)",
          "for (int c = 4; c >= 0; --c)", "for (int c = -2; c < 3; c += 1)"}) {
        CHECK(repaired("[MaxIters(2)] for (;;) { " + head + " s *= 2; }") ==
              "[MaxIters(5)] for (;;) { " + head + " s *= 2; }");
    }
}

TEST_CASE("bounds that are expressions are compared by Slang") {
    CHECK(repaired("[MaxIters(N)] for (;;) { for (int c = 0; c < 4; ++c) s *= 2; }") ==
          "[MaxIters(((4) > (N) ? (4) : (N)))] for (;;) { [MaxIters(((4) > (N) ? (4) : (N)))] for "
          "(int c = 0; c < 4; ++c) s *= 2; }");
    CHECK(repaired("[MaxIters(N)] for (;;) { for (int c = A; c <= B; c += 2) s *= 2; }")
              .find("((B) - (A) + (2) - 0) / (2)") != std::string::npos);
}

TEST_CASE("loops that reverse mode gets right stay as they are") {
    for (const std::string body :
         {"for (int c = 0; c < 5; ++c) s *= 2;", "while (s < 3) s *= 2;",
          "for (int r = 0; r < 4; ++r) for (int c = 0; c < 4; ++c) s *= 2;",
          "[ForceUnroll] for (int r = 0; r < 4; ++r) for (int c = 0; c < 7; ++c) s *= 2;",
          "for (int r = 0; r < 4; ++r) [ForceUnroll] for (int c = 0; c < 7; ++c) s *= 2;",
          "for (int r = 0; r < 4; ++r) s *= 2; for (int c = 0; c < 7; ++c) s *= 2;",
          "// for (int r = 0; r < 4; ++r) for (int c = 0; c < 7; ++c) s *= 2;\n"}) {
        CHECK(repaired(body) == body);
    }
}

TEST_CASE("while and do in a nest become for") {
    CHECK(repaired("[MaxIters(3)] while (a < 3) { [MaxIters(3)] while (b < 3) s *= 2; }") ==
          "[MaxIters(5)] for (; a < 3;) { [MaxIters(5)] for (; b < 3;) s *= 2; }");
    const std::string result =
        repaired("[MaxIters(3)] for (;;) { [MaxIters(4)] do { s *= 2; } while (s < 3); }");
    CHECK(result.find("[MaxIters(6)] for (bool weft_first_") != std::string::npos);
    CHECK(result.find(" || (s < 3); weft_first_") != std::string::npos);
    CHECK(result.find("while") == std::string::npos);
}

TEST_CASE("a nest whose rounds cannot be seen is named") {
    const ReverseModeText result =
        repair_reverse_mode("\n[Differentiable] float f(float s) {\n for (int r = 0; r < 4; ++r)\n "
                            "while (s < 3) s *= 2; }");
    REQUIRE(result.problems.size() == 2);
    CHECK(result.problems[0].function == "f");
    CHECK(result.problems[1].line == 4);
    CHECK(result.problems[1].reason.find("[MaxIters(n)]") != std::string::npos);
}

TEST_CASE("what is read by an index goes through a call") {
    CHECK(repaired("return 2.f * x[i] + 3.f * x[j];") ==
          "return 2.f * weft_read(x, #)[i] + 3.f * weft_read(x, #)[j];");
    CHECK(repaired("return x[i] + x[1];") == "return weft_read(x, #)[i] + x[1];");
    CHECK(repaired("return p.a.b[i].c + this.q[j][i];") ==
          "return weft_read(p.a.b, #)[i].c + weft_read(this.q, #)[j][i];");
    CHECK(repaired("return m[0][i] + m[j][0];") ==
          "return weft_read(m[0], #)[i] + weft_read(m, #)[j][0];");
    CHECK(repaired("return g(x)[i] + (x + y)[j] + normalize(v).xyz[i];") ==
          "return weft_read(g(x), #)[i] + weft_read((x + y), #)[j] + weft_read(normalize(v).xyz, "
          "#)[i];");
    CHECK(repaired("return max(x[i], x[j]) + float3(x[i], 0, 0)[j];") ==
          "return max(weft_read(x, #)[i], weft_read(x, #)[j]) + weft_read(float3(weft_read(x, "
          "#)[i], 0, 0), #)[j];");
    CHECK(repaired("return (float)x[i] + x[j];") ==
          "return (float)weft_read(x, #)[i] + weft_read(x, #)[j];");
    CHECK(repaired("s = x[i]; { for (int k = 0; k < 2; k++) s += x[k]; }") ==
          "s = weft_read(x, #)[i]; { for (int k = 0; k < 2; k++) s += weft_read(x, #)[k]; }");
}

TEST_CASE("what is written by an index stays") {
    CHECK(repaired("h[i] = h[j]; h[j] += h[i]; h[i]++; h[i].x *= x[j];") ==
          "h[i] = weft_read(h, #)[j]; h[j] += weft_read(h, #)[i]; h[i]++; h[i].x *= weft_read(x, "
          "#)[j];");
    CHECK(repaired("sincos(x[i], h[i], h[j]);") == "sincos(weft_read(x, #)[i], h[i], h[j]);");
    const std::string set =
        "void set(float a, inout float b) {} [Differentiable] float f(float[8] x, int i) { ";
    CHECK(
        without_places(repair_reverse_mode(set + "set(x[i] + x[2], x[i]); return x[i]; }").text) ==
        set + "set(weft_read(x, #)[i] + weft_read(x, #)[2], x[i]); return weft_read(x, #)[i]; }");
}

TEST_CASE("declarations, attributes and what has no gradient are no reads") {
    for (const std::string body :
         {"float[N] a; float b[N], c[M]; vector<float, 3> d[N];",
          "float[N] e = {}; let g = float[N](0);",
          "[unroll] for (int k = 0; k < 2; k++) [branch] if (k > i) [flatten] if (k > j) s += 1;",
          "int[4] k; int4 n; return float(k[i] + n[j]);", "return x[1] + x[2];", "return x[i];",
          "switch (i) { case 1: [branch] if (j > 0) s = 1; }"}) {
        CHECK(repaired(body) == body);
    }
    CHECK(repaired("return b[i] + b[j] + p[i] + t[i, j];",
                   "StructuredBuffer<float> b, float* p, IDiffTensor<float, 2> t, int i, int j") ==
          "return b[i] + b[j] + p[i] + t[i, j];");
    const std::string table =
        "static const float table[4] = {1, 2, 3, 4}; [Differentiable] float f(int i, int j) ";
    CHECK(repair_reverse_mode(table + "{ return table[i] + table[j]; }").text ==
          table + "{ return table[i] + table[j]; }");
}

TEST_CASE("functions are found however they are written") {
    const std::string body = "{ return x[i] + x[j]; }";
    const std::string right = "{ return weft_read(x, #)[i] + weft_read(x, #)[j]; }";
    for (const std::string head :
         {"[Differentiable] float f<let N : int = 4>(float[N] x, int i, int j = 2) ",
          "[BackwardDifferentiable, PreferRecompute]\npublic float f(float[4] x, int i, int j)\n",
          "struct S { float[4] x; [Differentiable] float f(int i, int j) ",
          "[Differentiable] func f<T : IFloat>(x : T[4], i : int, j : int) -> T where T : IFloat ",
          "struct S { float[4] x; property float v { [Differentiable] get "}) {
        CHECK(without_places(repair_reverse_mode(head + body).text) == head + right);
    }
    for (const std::string head :
         {"float f(float[4] x, int i, int j) ",
          "[BackwardDerivative(g)] [Differentiable] float f(float[4] x, int i, int j) ",
          "[ForwardDifferentiable] float f(float[4] x, int i, int j) "}) {
        CHECK(repair_reverse_mode(head + body).text == head + body);
    }
}

TEST_CASE("no line moves") {
    const std::string source =
        "#define N 4\n[Differentiable]\nfloat f(float[8] x)\n{\n  float s = 0;\n"
        "  for (int i = 0; i < N; i++)\n    while (s < 3)\n      for (int j = 0; j < 9; j++)\n"
        "        s += x[i] * x[\n j];\n  return s;\n}\n";
    const std::string result = repair_reverse_mode(source).text;
    CHECK(std::ranges::count(result, '\n') == std::ranges::count(source, '\n'));
}

TEST_CASE("what a call wrote is copied behind it in a function with loops") {
    const std::string loop = " for (;;) s += h;";
    const std::string copy = " h = weft_read(h, #);";
    CHECK(repaired("float h; sincos(s, h, s2);" + loop) ==
          "float h; sincos(s, h, s2);" + copy + loop);
    CHECK(repaired("float h; float2 c = { set(h), 1 };" + loop) ==
          "float h; float2 c = { set(h), 1 };" + loop);
    CHECK(repaired("float h; float c = frexp(s, h);" + loop) ==
          "float h; float c = frexp(s, h);" + copy + loop);
    CHECK(repaired("float h; if (i > 0) sincos(s, h, s2); else s = 1;" + loop) ==
          "float h; if (i > 0) { sincos(s, h, s2);" + copy + " } else s = 1;" + loop);
    const std::string both = " g = weft_read(g, #);" + copy;
    CHECK(repaired("float h, g; for (;;) { sincos(s, h, g); if (i > 0) s += h; }") ==
          "float h, g; for (;;) { sincos(s, h, g);" + both + " if (i > 0) s += h; }");
    CHECK(repaired("float h, g; for (;;) sincos(h, h, g);") ==
          "float h, g; for (;;) { sincos(h, h, g);" + both + " }");
}

TEST_CASE("what no call wrote, or nothing reads, is not copied") {
    for (const std::string body :
         {"float h; sincos(s, h, h); s += h;", "float h = sin(s); for (;;) s += h;",
          "float h; for (;;) s += 1; sincos(s, h, h);", "int h; frexp(s, h); for (;;) s += h;",
          "let h = 1.f; far(h); for (;;) s += h;",
          "float h; for (;;) s += h; return frexp(s, h);"}) {
        CHECK(repaired(body) == body);
    }
}

TEST_CASE("a call that writes in a condition is named") {
    const std::string text = "[Differentiable] float f(float s) {\n"
                             "float h;\nfor (;;) { if (frexp(s, h) > 0) s += h; } }";
    const ReverseModeText result = repair_reverse_mode(text);
    REQUIRE(result.problems.size() == 1);
    CHECK(result.problems[0].line == 3);
    CHECK(result.problems[0].reason.find("statement of its own") != std::string::npos);
    CHECK(result.text == text);
}

TEST_CASE("numbers that a loop changes are copied behind it") {
    const std::string loop = "for (;;) a += s;";
    const std::string copy = " a = weft_read(a, #);";
    CHECK(repaired("float a; " + loop + " r = a * v;") ==
          "float a; " + loop + copy + " r = a * v;");
    CHECK(repaired("float a; if (i > 0) [MaxIters(3)] " + loop + " r = v / a;") ==
          "float a; if (i > 0) { [MaxIters(3)] " + loop + copy + " } r = v / a;");
    CHECK(repaired("float a; if (i > 0) s = 1; else " + loop + " r /= a;") ==
          "float a; if (i > 0) s = 1; else { " + loop + copy + " } r /= a;");
    CHECK(repaired("var a = s, b = s; while (i > 0) { a++; b = a; } r = mul(a, v) + b;") ==
          "var a = s, b = s; while (i > 0) { a++; b = a; }" + copy +
              " b = weft_read(b, #); r = mul(a, v) + b;");
    CHECK(repaired("float a; [MaxIters(2)] for (;;) [MaxIters(2)] " + loop + " r = a * v;") ==
          "float a; [MaxIters(2)] for (;;) { [MaxIters(2)] " + loop + copy + " }" + copy +
              " r = a * v;");
    CHECK(repaired("float a; [MaxIters(2)] do { [MaxIters(2)] do a += s; while (i > 0); r = a * v; "
                   "} while (i > 0);")
              .find(copy + " r = a * v;") != std::string::npos);
}

TEST_CASE("what no loop changes, or what is no number beside a vector, is not copied") {
    for (const std::string body :
         {"float a; for (;;) s += a; r = a * v;", "float a; for (;;) a += s; r = a + v;",
          "float a; for (;;) a += s; r = s * v;", "int a; for (;;) a += 1; r = a * v;",
          "float3 a; for (;;) a += s; r = a * v;", "float a[2]; for (;;) a[0] += s; r = a[0] * v;",
          "float[2] a, b; for (;;) b = a; r = b[0] * v;",
          "const float a = s; for (;;) { float a = 0; a += s; } r = a * v;",
          "for (;;) { float a = 0; a += s; } float a = s; r = a * v;",
          "float a; [ForceUnroll] for (;;) a += s; r = a * v;",
          "IShape a; for (;;) a = far(s); r = a.f() * v;"}) {
        CHECK(repaired(body) == body);
    }
}

TEST_CASE("functions of other files may write what they are given") {
    const std::string body = "float h = s; far(h); for (;;) s += h;";
    const std::string function = "[Differentiable] float f(float s) { " + body + " }";
    CHECK(repair_reverse_mode(function).text == function);
    CHECK(repair_reverse_mode("import other; " + function).text.find("h = weft_read(h, ") !=
          std::string::npos);
}

TEST_CASE("constants are read through a call where a part of them is changed") {
    CHECK(repaired("float3 h = 0.f; h.x = s;") == "float3 h = weft_read(0.f, #); h.x = s;");
    CHECK(repaired("float3 h = float3(0.f); h[i] += s;") ==
          "float3 h = weft_read(float3(0.f), #); h[i] += s;");
    CHECK(repaired("float[2][2] h = { { 1, 2 }, { 3, 4 } }; h[i][0] = s;") ==
          "float[2][2] h = { { weft_read(1, #), 2 }, { 3, 4 } }; h[i][0] = s;");
    for (const std::string body :
         {"float3 h = 0.f; h = h + s;", "float t = make(s); float3 h = t * 1.f; h.x = 1;",
          "int[2] h = { 0, 1 }; h[i] = 1;", "float3 h = make(1.f); h.x = 1;"}) {
        CHECK(repaired(body) == body);
    }
}

TEST_CASE("constants of which a part is handed to a call that writes none stay") {
    const std::string other = "import other; [Differentiable] float f(float s) { ";
    for (const std::string body : {"const float3 h = no_diff noise(s); return lerp(s, 1.f, h.x);",
                                   "float3 h = no_diff noise(s); return lerp(s, 1.f, h.x);",
                                   "const float3 h = no_diff noise(s); return far(h.x);",
                                   "let h = float3(1.f); return far(h.xy) + far(h);"}) {
        CHECK(repair_reverse_mode(other + body + " }").text == other + body + " }");
    }
    CHECK(repaired("float3 h = 0.f; sincos(s, h.x, h.y);") ==
          "float3 h = weft_read(0.f, #); sincos(s, h.x, h.y);");
    const std::string text = other + "float3 h = 0.f; far(h.x); return h.x; }";
    CHECK(repair_reverse_mode(text).text != text);
}

TEST_CASE("constants are read through a call where another call changes them") {
    const std::string calls = "[Differentiable] void push(inout float a, float b) { a += b; }\n";
    const auto body = [&](const std::string& text) {
        const std::string head = calls + "[Differentiable] float f(float x, int i) {";
        const std::string result = repair_reverse_mode(head + text + "}").text;
        REQUIRE(result.starts_with(head));
        return without_places(result.substr(head.size(), result.size() - head.size() - 1));
    };
    CHECK(body("float q = .4f, r = .5f; push(q, x);") ==
          "float q = weft_read(.4f, #), r = .5f; push(q, x);");
    CHECK(body("float q; q = 2; push(q, x);") ==
          "float q; q = weft_read(float(2), #); push(q, x);");
    CHECK(body("half q = i + 1; push(q, x);") == "half q = weft_read(half(i + 1), #); push(q, x);");
    CHECK(body("float q = x; push(q, x); q = no_diff(sin(x));") ==
          "float q = x; push(q, x); q = weft_read(float(no_diff(sin(x))), #);");
    CHECK(body("float k = 1.f; float q = k; push(q, x);") ==
          "float k = 1.f; float q = weft_read(float(k), #); push(q, x);");
    CHECK(body("float[2] h = { 1, x }; push(h[i], x); h[0] = 2;") ==
          "float[2] h = { weft_read(1.f, #), x }; push(h[i], x); h[0] = weft_read(2.f, #);");
    for (const std::string text :
         {"float q = .4f; sin(q);", "float q = .4f; q += x;", "float q = x; push(q, x);",
          "float k = 1.f; k *= x; float q = k; push(q, x);", "int q = 1; push(q, x);"}) {
        CHECK(body(text) == text);
    }
}

TEST_CASE("inout parameters are set through a call to what has no derivative") {
    CHECK(repaired("a = .5f;", "inout float a, float b") == "a = weft_read(.5f, #);");
    CHECK(repaired("a.x = 1; b = .5f;", "inout float3 a, float b") ==
          "a.x = weft_read(1.f, #); b = .5f;");
    CHECK(repaired("a = b * 2;", "inout float a, float b") == "a = b * 2;");
}

TEST_CASE("forward mode alone needs no more") {
    const std::string head = "[ForwardDifferentiable] float f(float[4] x, int i) { ";
    const std::string loops = "for (int a = 0; a < 2; ++a) for (;;) s += x[i] + x[a]; }";
    CHECK(repair_reverse_mode(head + loops).text == head + loops);
    CHECK(repair_reverse_mode(head + "float2 h = 0; h.x = x[i]; }").text.find("weft_read(0, ") !=
          std::string::npos);
}
