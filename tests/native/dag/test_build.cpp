// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "dag_support.hpp"
#include "support/catch.hpp"

#include <cmath>

using namespace weft::dag;

namespace {

std::vector<float> line(float low, float high, std::size_t count = 64) {
    std::vector<float> values(count);
    for (std::size_t i = 0; i < count; i++) {
        values[i] = low + (high - low) * static_cast<float>(i) / static_cast<float>(count - 1);
    }
    return values;
}

} // namespace

TEST_CASE("arithmetic of vectors becomes operations on scalars") {
    const Function function = function_of(
        "float3 shade(float3 a, float3 b, float t) { return lerp(a, b, t) * dot(a, b) + cross(a, "
        "b); }",
        "float3 r = shade(float3(weft_reals[0], 1, 2), float3(3, weft_reals[1], 1), 0.25f);\n"
        "weft_real_results[0] = r.x; weft_real_results[1] = r.y; weft_real_results[2] = r.z;");
    const std::vector<float> x = line(-2, 2);
    const std::vector<float> y = line(5, -3);

    const auto got = reals_of(function, {x, y});

    REQUIRE(got.size() == 3);
    for (std::size_t i = 0; i < x.size(); i++) {
        const float along = x[i] * 3 + y[i] + 2;
        CHECK(got[0][i] == Approx((x[i] * 0.75f + 0.75f) * along + (1 - 2 * y[i])).margin(1e-4));
        CHECK(got[1][i] == Approx((0.75f + 0.25f * y[i]) * along + (6 - x[i])).margin(1e-4));
        CHECK(got[2][i] == Approx(1.75f * along + (x[i] * y[i] - 3)).margin(1e-4));
    }
}

TEST_CASE("both sides of branches count, chosen by the condition") {
    const Function function = function_of(R"(
float pick(float x)
{
    if (x < -1)
        return 10;
    float y = x * x;
    if (x > 1)
    {
        if (x > 2)
            return 20;
        y = y + 1;
    }
    else
        y = y - 1;
    return y;
}
)",
                                          "weft_real_results[0] = pick(weft_reals[0]);");

    const auto got = reals_of(function, {{-2, -1, 0, 0.5f, 1.5f, 2, 3}});

    CHECK(got[0] == std::vector<float>{10, 0, -1, -0.75f, 3.25f, 5, 20});
}

TEST_CASE("loops with a bound that folds are unrolled") {
    const Function function = function_of(R"(
float horner(float x)
{
    float sum = 0;
    for (int i = 0; i < 5; i++)
        sum = sum * x + float(i);
    return sum;
}
)",
                                          "weft_real_results[0] = horner(weft_reals[0]);");

    CHECK(reals_of(function, {{2, -1}})[0] == std::vector<float>{26, 2});
    CHECK(function.live().size() <= 16);
}

TEST_CASE("the range of a number bounds a loop") {
    const char* text = R"(
float power(float x, int n)
{
    float result = 1;
    for (int i = 0; i < clamp(n, 1, 16); i++)
        result *= x;
    return result;
}
float endless(float x, int n)
{
    float result = 1;
    for (int i = 0; i < n; i++)
        result *= x;
    return result;
}
)";
    const Function function =
        function_of(text, "weft_real_results[0] = power(weft_reals[0], weft_integers[0]);");

    const Values values = interpret(function, {{{2, 2, 2, 2}}, {{0u - 5, 3, 16, 100}}}, 4);

    CHECK(values.reals[0] == std::vector<float>{2, 8, 65536, 65536});
    const std::string refusal = refusal_of([&] {
        static_cast<void>(
            function_of(text, "weft_real_results[0] = endless(weft_reals[0], weft_integers[0]);"));
    });
    CHECK_THAT(refusal, ContainsSubstring("more than 256 rounds"));
}

TEST_CASE("a loop that an inner loop may leave with a value of its own is unrolled") {
    const Function function = function_of(R"(
int found(float x, int n, bool b)
{
    int sum = n;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++)
        {
            sum += 10 * i + k;
            if (x <= i)
                return b ? sum : 4;
        }
    return sum + 1;
}
)",
                                          "weft_integer_results[0] = found(weft_reals[0], "
                                          "weft_integers[0], weft_integers[1] != 0);");

    const Values values =
        interpret(function, {{{-1, 0.5f, 1.5f, 5, 0.5f}}, {{7, 7, 7, 7, 7}, {1, 1, 1, 1, 0}}}, 5);

    CHECK(values.integers[0] == std::vector<Word>{7, 18, 49, 71, 4});
}

TEST_CASE("what a loop leaves behind is what it was when the loop ended") {
    const Function function =
        function_of(R"(
float2 mandelbrot(float2 c)
{
    float2 z = float2(0);
    int n = 0;
    float last = 0;
    for (n = 0; n < 24; n++)
    {
        z = float2(z.x * z.x - z.y * z.y, 2 * z.x * z.y) + c;
        last = dot(z, z);
        if (last > 4)
            break;
    }
    return float2(n, last);
}
)",
                    "float2 r = mandelbrot(float2(weft_reals[0], weft_reals[1]));\n"
                    "weft_real_results[0] = r.x; weft_real_results[1] = r.y;");
    const std::vector<float> x = line(-2, 1.5f);
    const std::vector<float> y = line(-1.25f, 1);

    const auto got = reals_of(function, {x, y});

    for (std::size_t i = 0; i < x.size(); i++) {
        float a = 0, b = 0, last = 0;
        int n = 0;
        for (; n < 24; n++) {
            const float next = a * a - b * b + x[i];
            b = 2 * a * b + y[i];
            a = next;
            last = a * a + b * b;
            if (last > 4) {
                break;
            }
        }
        CAPTURE(x[i], y[i]);
        CHECK(got[0][i] == static_cast<float>(n));
        CHECK(got[1][i] == Approx(last).epsilon(1e-3));
    }
}

TEST_CASE("a loop is left in several ways, some of which not every round has") {
    const Function function = function_of(R"(
float left(float x)
{
    float sum = 0, mark = -1;
    for (int i = 0; i < 6; i++)
    {
        if (x < i)
        {
            mark = 10 * i;
            break;
        }
        sum += x;
        if (i == 4 && sum > 18)
        {
            mark = sum;
            break;
        }
        if (sum > 100)
            return -sum;
        mark = i;
    }
    return mark + sum / 128;
}
)",
                                          "weft_real_results[0] = left(weft_reals[0]);");

    const auto got = reals_of(function, {{-1, 0.5f, 2.5f, 3.5f, 4.25f, 8, 24, 60}});

    CHECK(got[0] == std::vector<float>{0, 10.00390625f, 30.05859375f, 40.109375f,
                                       21.25f + 21.25f / 128, 40.3125f, 120.9375f, -120});
}

TEST_CASE("loops in loops, with continue and a break out of both") {
    const Function function = function_of(R"(
int first(int target)
{
    int found = -1;
    for (int y = 0; y < 4; y++)
    {
        for (int x = 0; x < 4; x++)
        {
            if (((x + y) & 1) != 0)
                continue;
            if (x * 4 + y == target)
                return 100 * y + x;
            found = max(found, x * y);
        }
    }
    return found;
}
)",
                                          "weft_integer_results[0] = first(weft_integers[0]);");

    const Values values = interpret(function, {{}, {{0, 5, 10, 1, 9}}}, 5);

    CHECK(values.integers[0] == std::vector<Word>{0, 101, 202, 9, 9});
}

TEST_CASE("integers wrap, shift and compare as in Slang") {
    const Function function = function_of(R"(
uint3 pcg3d(uint3 v)
{
    v = v * 1664525u + 1013904223u;
    v.x += v.y * v.z; v.y += v.z * v.x; v.z += v.x * v.y;
    v ^= v >> 16u;
    v.x += v.y * v.z; v.y += v.z * v.x; v.z += v.x * v.y;
    return v;
}
)",
                                          "uint3 r = pcg3d(uint3(weft_integers[0], 7, 9));\n"
                                          "weft_integer_results[0] = int(r.x);\n"
                                          "weft_integer_results[1] = int(r.z);\n"
                                          "weft_real_results[0] = float(r.y);");
    const std::vector<Word> x{0, 1, 0xffffffff, 123456789};

    const Values values = interpret(function, {{}, {x}}, x.size());

    for (std::size_t i = 0; i < x.size(); i++) {
        Word v[3] = {x[i], 7, 9};
        for (Word& word : v) {
            word = word * 1664525u + 1013904223u;
        }
        const auto turn = [&] {
            v[0] += v[1] * v[2];
            v[1] += v[2] * v[0];
            v[2] += v[0] * v[1];
        };
        turn();
        for (Word& word : v) {
            word ^= word >> 16;
        }
        turn();
        CHECK(values.integers[0][i] == v[0]);
        CHECK(values.integers[1][i] == v[2]);
        CHECK(values.reals[0][i] == static_cast<float>(v[1]));
    }
}

TEST_CASE("structures, matrices, arrays and generics are flattened") {
    const Function function = function_of(R"(
interface IShape { float area(); }
struct Box : IShape { float2 size; float area() { return size.x * size.y; } }
float twice<T : IShape>(T shape) { return 2 * shape.area(); }
float3 turned(float3x3 m, float3 v) { return mul(m, v); }
float picked(float values[4], int index) { return values[index & 3]; }
)",
                                          R"(
Box box = { float2(weft_reals[0], 3) };
weft_real_results[0] = twice(box);
float3 r = turned(float3x3(1, 2, 3, 4, 5, 6, 7, 8, 9), float3(weft_reals[0], 1, 0));
weft_real_results[1] = r.x;
weft_real_results[2] = r.z;
float values[4] = { 5, weft_reals[0], 7, 8 };
weft_real_results[3] = picked(values, weft_integers[0]);
)");

    const Values values = interpret(function, {{{2, 2, 2, 2}}, {{0, 1, 2, 7}}}, 4);

    CHECK(values.reals[0][0] == 12.f);
    CHECK(values.reals[1][0] == 4.f);
    CHECK(values.reals[2][0] == 22.f);
    CHECK(values.reals[3] == std::vector<float>{5, 2, 7, 8});
}

TEST_CASE("a loop begins with what an earlier loop was left with") {
    const Function function =
        function_of(R"(
int walked(int a, int b)
{
    int cells[4] = { 1, a, 2, b };
    int i = 0;
    do
    {
        i++;
        for (int k = 0; k < 5; k++) { b = cells[abs(b % 4)]; a = 0; }
    } while (i < 4 && a <= b);
    int n = 0;
    do { n++; if (a < b) a = 0; else b = 3; } while (n < 4 && b < 0);
    return b;
}
)",
                    "weft_integer_results[0] = walked(weft_integers[0], weft_integers[1]);");

    const Values values =
        interpret(function, {{}, {{static_cast<Word>(-92)}, {static_cast<Word>(-72)}}}, 1);

    CHECK(values.integers[0][0] == 3);
}

TEST_CASE("a case that goes on in the next one is merged with it") {
    const Function function = function_of(R"(
int walked(int a)
{
    int s = 0, u = 3;
    switch (a)
    {
    case 2: s = 40;
    default:
        for (int i = 0; i < 3; i++) s += a;
        u = s > 30 ? a : -a;
        break;
    }
    return s * 10 + u;
}
)",
                                          "weft_integer_results[0] = walked(weft_integers[0]);");

    const Values values = interpret(function, {{}, {{2, 5}}}, 2);

    CHECK(values.integers[0] == std::vector<Word>{462, 145});
}

TEST_CASE("images are looked up between texels and repeated") {
    const Function function = function_of(
        "float4 seen(Texture2D<float4> image, SamplerState sampler, float2 at)\n"
        "{ return image.Sample(sampler, at) + image.SampleLevel(sampler, at + 1, 0); }\n"
        "Texture2D<float4> weft_image_0; SamplerState smooth;\n",
        "let c = seen(weft_image_0, smooth, float2(weft_reals[0], weft_reals[1]));\n"
        "weft_real_results[0] = c.x;\nweft_real_results[1] = c.w;\n");
    REQUIRE(function.textures.size() == 1);
    CHECK(function.textures[0].is_image);
    // Two texels beside each other: red 1 and 3, alpha 0 and 8.
    const Image image{2, 1, {1, 0, 0, 0, 3, 0, 0, 8}};
    const Values inputs{{{0.25F, 0.5F, 1.0F, -3.75F, 0.375F}, {0, 0.3F, 7, -2, 0}}, {}, {image}};

    const Values found = interpret(function, inputs, 5);

    CHECK(found.reals[0] == std::vector<float>{2, 4, 4, 2, 3});
    CHECK(found.reals[1] == std::vector<float>{0, 8, 8, 0, 4});
    const Values without{inputs.reals, {}, {}};
    const Values torn{inputs.reals, {}, {Image{2, 1, {1, 0}}}};
    CHECK_THROWS_AS(interpret(function, without, 5), weft::core::ArgumentError);
    CHECK_THROWS_AS(interpret(function, torn, 5), weft::core::ArgumentError);
}

TEST_CASE("halves are rounded where they are made") {
    const Function function =
        function_of("float rounded(float x) { half h = half(x); return float(h * half(3)); }",
                    "weft_real_results[0] = rounded(weft_reals[0]);");

    CHECK(reals_of(function, {{0.1f, 1}})[0] == std::vector<float>{0.2998046875f, 3});
}

TEST_CASE("what no node can do is refused in one sentence") {
    const auto refusal = [](const char* text, const char* statements) {
        return refusal_of([&] { static_cast<void>(function_of(text, statements)); });
    };

    CHECK_THAT(refusal("double wide(double x) { return x * x; }",
                       "weft_real_results[0] = float(wide(double(weft_reals[0])));"),
               ContainsSubstring("64 bits"));
    CHECK_THAT(refusal("StructuredBuffer<float> table; float look(int i) { return table[i]; }",
                       "weft_real_results[0] = look(weft_integers[0]);"),
               ContainsSubstring("table"));
    CHECK_THAT(refusal("void nothing(float x) {}", "nothing(weft_reals[0]);"),
               ContainsSubstring("no result"));
}

TEST_CASE("an integer bounds a loop only if its rounds depend on it, in nested loops too") {
    const Function function =
        function_of("float f(float x, int n, int mode, int m)\n"
                    "{\n"
                    "    if (mode > 2)\n"
                    "        for (int i = 0; i < 4; i++)\n"
                    "            for (int k = 0; k < clamp(n, 1, 3); k++)\n"
                    "                x = sin(x) + k;\n"
                    "    for (int j = 0; j < 3; j++)\n"
                    "        x += m;\n"
                    "    return x;\n"
                    "}\n",
                    "weft_real_results[0] = f(weft_reals[0], weft_integers[0], weft_integers[1], "
                    "weft_integers[2]);");

    CHECK(function.loop_bounds == std::set<std::uint32_t>{0});
    CHECK(function.graph.integers_of(function.real_results.at(0)) == 0b111);
}
