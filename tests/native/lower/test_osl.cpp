// SPDX-License-Identifier: Apache-2.0
#include "dag_support.hpp"
#include "lower/osl.hpp"
#include "support/catch.hpp"

#include <random>

using namespace weft;
using namespace weft::lower;
using dag::refusal_of;

namespace {

struct Compiled {
    Call call;
    std::vector<std::byte> code;
};

/// The last function of a text.
Compiled compiled(const char* text) {
    const compile::LoadedModuleRef module = dag::load_text(text);
    Compiled made{describe_call(module->reflection.functions.back(), module->import_name), {}};
    made.code = dag::compile_source(module, made.call.source, kEntryPoint);
    return made;
}

std::string osl_of(const char* text, const std::string& name = "sample") {
    const Compiled made = compiled(text);
    return make_osl(made.call, dag::read_spirv(made.code), {name});
}

std::size_t count(std::string_view text, std::string_view words) {
    std::size_t found = 0;
    for (std::size_t at = text.find(words); at != std::string_view::npos;
         at = text.find(words, at + 1)) {
        found++;
    }
    return found;
}

constexpr const char* kLoops = R"(
int walked(int n, int m)
{
    int sum = 0;
    float cells[6];
    for (int i = 0; i < n; i++)
    {
        for (int k = 0; k < m; k++)
        {
            if (k == 7) continue;
            switch (k % 5)
            {
            case 0: sum += 3; break;
            case 1: if (sum > 50) return -sum; sum *= 2; break;
            default: sum--;
            }
            cells[k % 6] = sum;
        }
        if (sum > 100) break;
    }
    return sum + int(cells[n % 6]);
}
)";

} // namespace

TEST_CASE("expressions that are used once are written where they are used") {
    CHECK(osl_of("float3 tinted(float3 c, float x) { return c * (x * x + 1) - x; }", "tinted") ==
          R"(shader tinted(
    vector c = vector(0.0),
    float x = 0.0,
    output vector Result = vector(0.0))
{
    float t0 = (x * x) + 1.0;
    Result[0] = (c[0] * t0) - x;
    Result[1] = (c[1] * t0) - x;
    Result[2] = (c[2] * t0) - x;
}
)");
}

TEST_CASE("a loop without a bound is written as it is") {
    CHECK(osl_of("float root(float a, float e)\n"
                 "{\n"
                 "    float x = max(a, 1.f);\n"
                 "    while (abs(x * x - a) > e)\n"
                 "        x = 0.5f * (x + a / x);\n"
                 "    return x;\n"
                 "}\n",
                 "root") == R"(shader root(
    float a = 0.0,
    float e = 0.0,
    output float Result = 0.0)
{
    float v0 = 0.0;
    v0 = max(a, 1.0);
    while (1) {
        if (!(e < fabs((v0 * v0) - a))) {
            break;
        }
        v0 = (v0 + (a / v0)) * 0.5;
    }
    Result = v0;
}
)");
}

TEST_CASE("what follows an early return becomes the other branch") {
    const std::string text = osl_of("float pick(float x)\n"
                                    "{\n"
                                    "    if (x < 0) return 10;\n"
                                    "    if (x > 1) return x * x;\n"
                                    "    return x + 3;\n"
                                    "}\n");

    CHECK(count(text, "while") == 0);
    CHECK(count(text, "} else {") == 2);
}

TEST_CASE("variables that change places do so through a temporary value") {
    const std::string text = osl_of("float fib(int n)\n"
                                    "{\n"
                                    "    float a = 0, b = 1;\n"
                                    "    for (int i = 0; i < n; i++)\n"
                                    "    {\n"
                                    "        float old = a;\n"
                                    "        a = b;\n"
                                    "        b = old;\n"
                                    "    }\n"
                                    "    return a;\n"
                                    "}\n");

    CHECK_THAT(text, ContainsSubstring("float t0 = v0;"));
    CHECK_THAT(text, ContainsSubstring("= t0;"));
}

TEST_CASE("loops in loops with switches, returns and arrays have no gap") {
    const std::string text = osl_of(kLoops);

    CHECK_THAT(text, ContainsSubstring("float m0[6];"));
    CHECK(count(text, "{\n") == count(text, "}\n") + count(text, "} else"));
    CHECK(count(text, "while (1) {") >= 2);
}

TEST_CASE("functions that OSL has not are brought along, and only those that are used") {
    const std::string text =
        osl_of("uint hashed(uint x, float y) { return (x >> 3) / 7u + uint(y); }");

    CHECK_THAT(text, ContainsSubstring("int weft_unsigned_div(int a, int b)"));
    CHECK_THAT(text, ContainsSubstring("int weft_unsigned_less(int a, int b)"));
    CHECK(text.find("weft_exp") == std::string::npos);
    CHECK(text.find("int weft_unsigned_less(") < text.find("int weft_unsigned_div("));
}

TEST_CASE("parameters have names that OSL takes, labels and the widgets of booleans") {
    const std::string text = osl_of("struct Cell { float2 place; int id; }\n"
                                    "void moved(inout Cell cell, bool N, float v1 = 0.25f)\n"
                                    "{ if (N) cell.place += v1; cell.id++; }\n",
                                    "moved twice");

    CHECK_THAT(text, ContainsSubstring("shader moved_twice("));
    CHECK_THAT(text,
               ContainsSubstring(
                   "    vector cell_place = vector(0.0) [[ string label = \"cell.place\" ]]"));
    CHECK_THAT(text, ContainsSubstring("int N_ = 0 [[ string label = \"N\", string widget = "
                                       "\"boolean\" ]]"));
    CHECK_THAT(text, ContainsSubstring("float v1_ = 0.25 [[ string label = \"v1\" ]]"));
    CHECK_THAT(text,
               ContainsSubstring("output int cell_id_out = 0 [[ string label = \"cell.id\" ]]"));
}

TEST_CASE("what a shader cannot compute is refused in one sentence") {
    CHECK_THAT(refusal_of([] {
                   static_cast<void>(osl_of("float f(float x) { return WaveActiveSum(x); }"));
               }),
               ContainsSubstring("lower: the function does what no node can"));
    CHECK_THAT(refusal_of([] {
                   static_cast<void>(osl_of("float f(float x) { return float(double(x) * x); }"));
               }),
               ContainsSubstring("64 bits"));
    CHECK_THAT(refusal_of([] {
                   static_cast<void>(osl_of("StructuredBuffer<float> rest;\n"
                                            "float f(int i) { return rest[i]; }"));
               }),
               ContainsSubstring("'rest'"));
    CHECK_THAT(refusal_of([] {
                   static_cast<void>(osl_of("Texture2D<float4> image; SamplerState smooth;\n"
                                            "float4 f(float2 p)\n"
                                            "{ return image.SampleLevel(smooth, p, 0); }"));
               }),
               ContainsSubstring("the texture 'image' up, which is none of its parameters"));
}

TEST_CASE("words of SPIR-V that are cut off or flipped end in an error or a shader") {
    const Compiled whole = compiled(kLoops);
    std::mt19937 random(5);
    const auto try_it = [&](const std::vector<std::byte>& code) {
        try {
            static_cast<void>(make_osl(whole.call, dag::read_spirv(code), {"f"}));
        } catch (const core::Error&) {
            // Ignored: that is what may happen.
        }
    };

    for (std::size_t size = 0; size < whole.code.size(); size += 52) {
        try_it({whole.code.begin(), whole.code.begin() + static_cast<std::ptrdiff_t>(size)});
    }
    for (int i = 0; i < 2000; i++) {
        std::vector<std::byte> code = whole.code;
        for (int k = 0; k < 3; k++) {
            code[20 + random() % (code.size() - 20)] = static_cast<std::byte>(random() & 0xff);
        }
        try_it(code);
    }
    SUCCEED("nothing else happened");
}
