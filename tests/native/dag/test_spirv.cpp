// SPDX-License-Identifier: Apache-2.0
#include "dag/build.hpp"
#include "dag/opcodes.hpp"
#include "dag_support.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstring>
#include <random>
#include <utility>

using namespace weft::dag;

namespace {

constexpr const char* kText = R"(
float looped(float x, int n)
{
    float sum = 0;
    for (int i = 0; i < clamp(n, 1, 8); i++)
    {
        if (sum > 4)
            break;
        sum += x * i;
    }
    return sum;
}
)";
constexpr const char* kCalls = R"(
[noinline] float inner(float x)
{
    for (int i = 0; i < 4; i++)
    {
        if (x > 10)
            return x - i;
        x = x * 2 + sin(x);
    }
    return -x;
}
[noinline] float outer(float x, inout int n)
{
    n++;
    return n > 2 ? inner(x) : inner(inner(x * 0.5f)) + n;
}
)";
constexpr const char* kCallTwice =
    "int n = weft_integers[0]; weft_real_results[0] = outer(weft_reals[0], n);\n"
    "weft_real_results[1] = outer(weft_reals[0] + 1, n); weft_integer_results[0] = n;";
constexpr const char* kCall = "weft_real_results[0] = looped(weft_reals[0], weft_integers[0]);";
constexpr const char* kImages = R"(
Texture2D<float4> weft_image_0; SamplerState smooth;
float4 seen(float2 at, int n)
{
    float4 sum = 0;
    for (int i = 0; i < clamp(n, 1, 4); i++)
        sum += weft_image_0.Sample(smooth, at + sum.xy);
    return sum;
}
)";
constexpr const char* kCallImages =
    "float4 c = seen(float2(weft_reals[0], weft_reals[1]), weft_integers[0]);\n"
    "weft_real_results[0] = c.x; weft_real_results[1] = c.w;";

/// The places of all instructions with an opcode, in words.
std::vector<std::size_t> words_of(const std::vector<std::byte>& code, std::uint16_t opcode) {
    std::vector<std::size_t> places;
    for (std::size_t at = spv::kHeaderWords; 4 * at < code.size();) {
        std::uint32_t head = 0;
        std::memcpy(&head, &code[4 * at], 4);
        if ((head & 0xffff) == opcode) {
            places.push_back(at);
        }
        at += head >> 16;
    }
    return places;
}

float inner(float x) {
    for (int i = 0; i < 4; i++) {
        if (x > 10) {
            return x - static_cast<float>(i);
        }
        x = x * 2 + std::sin(x);
    }
    return -x;
}

float outer(float x, int& n) {
    n++;
    return n > 2 ? inner(x) : inner(inner(x * 0.5f)) + static_cast<float>(n);
}

} // namespace

TEST_CASE("what is no SPIR-V is refused") {
    CHECK_THROWS_AS((read_spirv({})), SpirvError);
    const std::vector<std::byte> zeros(64);
    CHECK_THROWS_AS((read_spirv(zeros)), SpirvError);
}

TEST_CASE("types have leaves in order of declaration") {
    const SpirvModule module = read_spirv(compile_call(kText, kCall));

    CHECK(module.blocks.size() > 4);
    bool has_float = false;
    for (const auto& [id, type] : module.types) {
        if (type.kind == TypeKind::real) {
            has_float = true;
            CHECK(module.leaf_count(id) == 1);
        }
    }
    CHECK(has_float);
    CHECK_THROWS_AS((module.type(0)), SpirvError);
    CHECK_THROWS_AS((module.block(0)), SpirvError);
}

TEST_CASE("functions that are called stand where they are called") {
    const std::vector<std::byte> code = compile_call(kCalls, kCallTwice);
    REQUIRE(words_of(code, spv::function_call).size() >= 5);

    const Function function = build(read_spirv(code));

    const std::vector<float> x{-3, -0.5f, 0, 0.25f, 1.5f, 4, 12};
    const std::vector<Word> n{0, 1, 2, 5, 0, 1, 1};
    const Values got = interpret(function, {.reals = {x}, .integers = {n}}, x.size());
    for (std::size_t i = 0; i < x.size(); i++) {
        int count = static_cast<int>(n[i]);
        CHECK(got.reals[0][i] == Approx(outer(x[i], count)));
        CHECK(got.reals[1][i] == Approx(outer(x[i] + 1, count)));
        CHECK(got.integers[0][i] == static_cast<Word>(count));
    }
}

TEST_CASE("a function that calls itself is refused") {
    std::vector<std::byte> code =
        compile_call("[noinline] float inner(float x) { for (int i = 0; i < 9; i++) x = sin(x) * "
                     "i + x; return x; }\n"
                     "[noinline] float outer(float x) { return inner(x) + inner(-x); }",
                     "weft_real_results[0] = outer(weft_reals[0]) + outer(weft_reals[1]);");
    const std::vector<std::size_t> functions = words_of(code, spv::function);
    REQUIRE(functions.size() == 3);
    // Slang writes none: each call becomes one of the function that it stands in.
    for (const std::size_t call : words_of(code, spv::function_call)) {
        std::size_t own = functions[0];
        for (const std::size_t begin : functions) {
            own = begin < call ? begin : own;
        }
        if (own != functions[0]) {
            std::memcpy(&code[4 * (call + 3)], &code[4 * (own + 2)], 4);
        }
    }

    const std::string message = refusal_of([&] { static_cast<void>(read_spirv(code)); });

    CHECK(message.find("calls itself") != std::string::npos);
    CHECK(message.find("write it as a loop") != std::string::npos);
}

TEST_CASE("a way that goes round without a loop ends in an error") {
    SpirvModule module = read_spirv(compile_call(kText, kCall));
    for (Block& block : module.blocks) {
        if (block.continue_target == 0) {
            continue;
        }
        block.continue_target = block.merge = 0;
        block.phis.clear();
        block.terminator = {spv::branch, 0, 0, {block.label}, {}};
    }

    const std::string message = refusal_of([&] { static_cast<void>(build(module)); });

    CHECK(message.find("2 million rounds") != std::string::npos);
}

TEST_CASE("words that are cut off or flipped end in an error or a function, nothing else") {
    const auto [text, statements] = GENERATE(std::pair(kText, kCall), std::pair(kCalls, kCallTwice),
                                             std::pair(kImages, kCallImages));
    const std::vector<std::byte> whole = compile_call(text, statements);
    std::mt19937 random(7);
    const auto try_it = [](const std::vector<std::byte>& code) {
        try {
            static_cast<void>(build(read_spirv(code)));
        } catch (const weft::core::Error&) {
            // Ignored: that is what may happen.
        }
    };

    for (std::size_t size = 0; size < whole.size(); size += 52) {
        try_it({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    }
    for (int i = 0; i < 2000; i++) {
        std::vector<std::byte> code = whole;
        for (int k = 0; k < 3; k++) {
            code[20 + random() % (code.size() - 20)] = static_cast<std::byte>(random() & 0xff);
        }
        try_it(code);
    }
    SUCCEED("nothing else happened");
}
