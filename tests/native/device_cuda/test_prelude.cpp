// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/prelude.hpp"
#include "support/catch.hpp"

using weft::device::cuda::PreludeCutter;

namespace {

/// What is left of the prelude `text` before the kernel.
std::string cut(const std::string& text, const std::string& kernel,
                const weft::device::cuda::Names& defined = {}) {
    const std::string source = "#ifndef SLANG_CUDA_PRELUDE_H\n" + text + "#endif\n" + kernel;
    PreludeCutter cutter;
    const std::string result = cutter.cut(source, defined);
    CHECK(cutter.cut(source, defined) == result);
    REQUIRE(result.ends_with(kernel));
    return result.substr(0, result.size() - kernel.size());
}

bool has(const std::string& text, std::string_view what) {
    return text.find(what) != std::string::npos;
}

} // namespace

TEST_CASE("of a prelude the declarations stay that a kernel names, and what those name") {
    const std::string left = cut("struct Pair { int a; };\n"
                                 "template<typename T> inline T half_of(T x) { return x / 2; }\n"
                                 "inline int first(Pair p)\n{\n    return half_of(p.a);\n}\n"
                                 "inline int first(int p) { return p; }\n"
                                 "inline int second(Pair p) { return \"}\"[0]; } // first\n"
                                 "template<> inline int other<Pair>(int) { return 0; }\n"
                                 "namespace unused { int deep() { return 1; } }\n",
                                 "int k(Pair p) { return first(p); }\n");

    CHECK(has(left, "struct Pair { int a; };"));
    CHECK(has(left, "half_of(T x)"));
    CHECK(has(left, "first(Pair p)"));
    CHECK(has(left, "first(int p)")); // overloads stay together
    CHECK_FALSE(has(left, "second"));
    CHECK_FALSE(has(left, "other"));
    CHECK_FALSE(has(left, "deep"));
}

TEST_CASE("a macro of the prelude that declares is taken for its declarations") {
    const std::string macros =
        "#define OPERATOR(T, n, op) \\\n"
        "    inline T##n operator op(T##n a, T##n b) { return add_##T(a, b); }\n"
        "#define OPERATORS(T) OPERATOR(T, 2, +) OPERATOR(T, 3, +)\n"
        "OPERATORS(int)\nOPERATORS(float)\n#undef OPERATORS\n"
        "inline int add_int(int a, int b) { return a + b; }\n"
        "inline float add_float(float a, float b) { return a + b; }\n"
        "#define CALL(name) call_##name(1)\n"
        "inline int call_it(int x) { return x; }\n"
        "inline int call_not(int x) { return x; }\n";

    const std::string left = cut(macros, "void k(float3 v) { v + v; CALL(it); }\n");

    CHECK(has(left, "inline float3 operator +(float3 a, float3 b)"));
    CHECK_FALSE(has(left, "float2"));
    CHECK_FALSE(has(left, "int3"));
    CHECK(has(left, "add_float(float a"));
    CHECK_FALSE(has(left, "add_int(int a"));
    CHECK(has(left, "call_it(int x)"));
    CHECK_FALSE(has(left, "call_not"));
}

TEST_CASE("overloads for vectors that a kernel has not go alone") {
    const std::string left = cut("inline int get(float2 v) { return v.x; }\n"
                                 "inline int get(uint4 v) { return v.x; }\n",
                                 "int k(uint4 v) { return get(v); }\n");

    CHECK(has(left, "get(uint4 v)"));
    CHECK_FALSE(has(left, "float2"));
}

TEST_CASE("branches of a prelude that are known to be left out lead nowhere") {
    const std::string prelude =
        "#if SLANG_CUDA_ENABLE_HALF\n"
        "inline int f() { return g(); }\n"
        "#else\n"
        "inline int f() { return h(); }\n"
        "#endif\n"
        "inline int g() { return 1; }\ninline int h() { return 2; }\n"
        "#if __CUDA_ARCH__ >= 800\n#define LEVEL 1\n#else\n#define LEVEL 2\n#endif\n";
    const std::string kernel = "int k() { return f() + LEVEL; }\n";

    const std::string off = cut(prelude, kernel);
    const std::string on = cut(prelude, kernel, {"SLANG_CUDA_ENABLE_HALF"});

    CHECK((has(off, "int h()") && !has(off, "int g()")));
    CHECK((has(on, "int g()") && !has(on, "int h()")));
    CHECK((has(on, "#if __CUDA_ARCH__ >= 800") && has(on, "LEVEL 1") && has(on, "LEVEL 2")));
}

TEST_CASE("sources without the prelude, or with one that is not understood, stay as they are") {
    PreludeCutter cutter;
    const std::string unclosed = "#ifndef SLANG_CUDA_PRELUDE_H\nint f() { return 0; }\n";
    const std::string torn =
        "#ifndef SLANG_CUDA_PRELUDE_H\n#if X\nint f(int a)\n#else\nint f(float a)\n"
        "#endif\n{ return 0; }\n#endif\nint k;\n";

    CHECK(cutter.cut("int k;\n", {}) == "int k;\n");
    CHECK(cutter.cut(unclosed, {}) == unclosed);
    CHECK(cutter.cut(torn, {}) == torn);
}
