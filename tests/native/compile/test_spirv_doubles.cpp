// SPDX-License-Identifier: Apache-2.0
#include "compile/spirv_doubles.hpp"

#include "support/catch.hpp"

#include <cstdint>
#include <span>
#include <vector>

using namespace weft::compile;

namespace {

constexpr std::uint32_t kDouble = 2;
constexpr std::uint32_t kVector = 3;
constexpr std::uint32_t kFloat = 4;
constexpr std::uint32_t kSine = 13;

std::uint32_t head(std::uint32_t operation, std::uint32_t length) {
    return length << 16 | operation;
}

/// A module that calls `function` of GLSL.std.450 with a result of `type`.
std::vector<std::uint32_t> call(std::uint32_t function, std::uint32_t type) {
    std::vector<std::uint32_t> words{0x07230203, 0x10500, 0, 9, 0};
    const std::vector<std::uint32_t> rest{
        head(11, 6), 1,       0x4C534C47, 0x6474732E, 0x3035342E, 0, // "GLSL.std.450"
        head(22, 3), kDouble, 64,                                    //
        head(23, 4), kVector, kDouble,    3,                         //
        head(22, 3), kFloat,  32,                                    //
        head(12, 6), type,    7,          1,          function,   8};
    words.insert(words.end(), rest.begin(), rest.end());
    return words;
}

std::string_view found(const std::vector<std::uint32_t>& words) {
    return find_double_function(std::as_bytes(std::span(words)));
}

} // namespace

TEST_CASE("a function of doubles, or of vectors of them, is found by Slang's name") {
    CHECK(found(call(kSine, kDouble)) == "sin");
    CHECK(found(call(kSine, kVector)) == "sin");
    CHECK(found(call(11, kDouble)) == "radians");
    CHECK(found(call(25, kDouble)) == "atan2");
    CHECK(found(call(30, kDouble)) == "log2");
}

TEST_CASE("functions of float, and those that doubles have, are not") {
    CHECK(found(call(kSine, kFloat)).empty());
    CHECK(found(call(10, kDouble)).empty()); // fract
    CHECK(found(call(31, kDouble)).empty()); // sqrt
}

TEST_CASE("code that is cut off or no SPIR-V has none") {
    std::vector<std::uint32_t> words = call(kSine, kDouble);
    words.pop_back();

    CHECK(found(words).empty());
    CHECK(found({}).empty());
    words = call(kSine, kDouble);
    words[0] = 0x1234;
    CHECK(found(words).empty());
}
