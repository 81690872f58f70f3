// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/material_program.hpp"
#include "scene/materials.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace weft::scene;
using weft::core::ArgumentError;

namespace {

SlangCall wave(NamedValues arguments = {}) {
    SlangCall call;
    call.function = "wave";
    call.source = "float wave(float x) { return x; }";
    call.arguments = std::move(arguments);
    return call;
}

std::shared_ptr<Texture> grey_texture() {
    return texture(std::vector<float>(12, 0.5F), 2, 2, 3);
}

} // namespace

TEST_CASE("closure() names what there is") {
    CHECK_THROWS_WITH(closure("lambert"), ContainsSubstring("Closure: 'lambert' is not one of "
                                                            "diffuse, principled"));
    CHECK_THROWS_WITH(closure("diffuse", {{"colour", 0.5}}),
                      "Closure 'diffuse': there is no input 'colour'; it has color, "
                      "roughness, normal");
    CHECK_THROWS_WITH(closure("glass", {}, {{"distribution", "phong"}}),
                      "Closure 'glass': option 'distribution' is one of 'multi_ggx', "
                      "'ggx', 'beckmann', got 'phong'");
}

TEST_CASE("closure() refuses values of another size") {
    CHECK_THROWS_WITH(closure("diffuse", {{"roughness", Numbers{0.1, 0.2}}}),
                      "Closure 'diffuse': input 'roughness' takes 1 numbers, got 2");
    CHECK_THROWS_WITH(closure("diffuse", {{"normal", 1.0}}),
                      "Closure 'diffuse': input 'normal' takes a vector of 3 numbers, "
                      "got 1; a texture of normals goes through NormalMap");
    CHECK_NOTHROW(closure("diffuse", {{"color", 0.5}}));
    CHECK_NOTHROW(closure("diffuse", {{"color", Numbers{0.1, 0.2, 0.3, 1}}}));
}

TEST_CASE("values are checked where they are made") {
    CHECK_THROWS_WITH(constant("", 1.0),
                      "Constant: a name and one to four finite numbers are needed, got "
                      "'', 1");
    CHECK_THROWS_AS(constant("x", std::numeric_limits<double>::quiet_NaN()), ArgumentError);
    CHECK_THROWS_AS(constant("x", Attribute::uv), ArgumentError);
    CHECK_THROWS_AS(texture({1, 2, 3}, 2, 2, 3), ArgumentError);
    CHECK_THROWS_WITH(texture({1, 2, std::numeric_limits<float>::infinity()}, 3, 1, 1),
                      "texture: the pixel in row 0, column 2 is not finite; replace it");
    CHECK_THROWS_AS(normal_map({.color = 0.5}), ArgumentError);
    CHECK_THROWS_AS(bump({.height = Numbers{1, 2}}), ArgumentError);
    CHECK_THROWS_AS(bump({.height = 1.0, .step = 0.0}), ArgumentError);
}

TEST_CASE("a function has one name and one place that it comes from") {
    SlangCall nameless = wave();
    nameless.function = "wave(1); evil";
    SlangCall twice = wave();
    twice.module = "weft.nodes";
    SlangCall wide = wave();
    wide.size = 5;

    CHECK_THROWS_AS(slang_call(std::move(nameless)), ArgumentError);
    CHECK_THROWS_AS(slang_call(std::move(twice)), ArgumentError);
    CHECK_THROWS_AS(slang_call(std::move(wide)), ArgumentError);
    for (const char* const name : {"wave<3>", "noise::wave", "wave<float, 2>", "größe"}) {
        SlangCall call = wave();
        call.function = name;
        CHECK_NOTHROW(slang_call(std::move(call)));
    }
}

TEST_CASE("a volume is the same everywhere") {
    const auto through = slang_call(wave({{"x", grey_texture()}}));

    CHECK_THROWS_AS(material("fog", closure("none"), closure("medium", {{"anisotropy", through}})),
                    ArgumentError);
    CHECK_NOTHROW(material("fog", closure("none"),
                           closure("medium", {{"anisotropy", slang_call(wave({{"x", 0.5}}))}})));
    CHECK_THROWS_AS(material("", closure("none")), ArgumentError);
    CHECK_THROWS_AS(material("m", nullptr), ArgumentError);
    CHECK_THROWS_AS(mix(closure("none"), nullptr), ArgumentError);
}

TEST_CASE("surfaces that lie too deep in each other are refused") {
    SurfaceRef deep = closure("diffuse");
    for (std::size_t k = 0; k < kMaxNesting; k++) {
        deep = add(deep, closure("none"));
    }

    CHECK_THROWS_AS(material("m", deep), ArgumentError);
}

TEST_CASE("long chains of functions are printed and let go without recursion") {
    Value chain = 0.5;
    for (int k = 0; k < 50'000; k++) {
        chain = slang_call(wave({{"x", std::move(chain)}}));
    }
    const auto made = material("m", closure("diffuse", {{"roughness", std::move(chain)}}));

    CHECK(print_program(*made).sources.size() == 1);
}
