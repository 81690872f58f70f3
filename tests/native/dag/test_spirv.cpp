// SPDX-License-Identifier: Apache-2.0
#include "dag/build.hpp"
#include "dag_support.hpp"
#include "support/catch.hpp"

#include <random>

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
constexpr const char* kCall = "weft_real_results[0] = looped(weft_reals[0], weft_integers[0]);";

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

TEST_CASE("words that are cut off or flipped end in an error or a function, nothing else") {
    const std::vector<std::byte> whole = compile_call(kText, kCall);
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
