// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/emission.hpp"
#include "scene/light_changes.hpp"
#include "scene/material_table.hpp"
#include "scenes.hpp"
#include "support/catch.hpp"

using namespace weft::scene;

namespace {

Scene lit() {
    const MaterialRef glow =
        material("Glow.001", mix(testing::grey("g")->surface, testing::emitter("l")->surface, 0.5));
    Scene scene;
    scene.objects = {
        object({.mesh = mesh(testing::square()), .materials = {testing::grey("Wall"), glow}})};
    scene.lights = {{.kind = PointLight{.power = 10}, .name = "key"},
                    {.kind = SunLight{.strength = 3, .color = {1, 0.5, 0.5}}, .name = "sun"}};
    scene.environment = std::make_shared<const Environment>(environment({1, 1, 1}));
    return scene;
}

std::array<double, 3> glow_of(const Scene& scene) {
    return emitted_radiance(*materials_of(scene).back()->surface)->radiance;
}

} // namespace

TEST_CASE("analytic lights, the environment and emissive materials are lights") {
    CHECK(light_names(lit()) == std::vector<std::string>{"key", "sun", "environment", "Glow.001"});
    CHECK(emission_names(*materials_of(lit()).back()) ==
          std::vector<std::string>{"\"Glow.001\".second.color", "\"Glow.001\".second.strength"});
}

TEST_CASE("one factor scales strengths, and three scale colours") {
    const Scene scene = lit();
    const Scene dim = with_light_factors(
        scene, {{"key", {0.5, 0.5, 0.5}}, {"sun", {2, 2, 2}}, {"Glow.001", {3, 3, 3}}});
    const Scene red = with_light_factors(
        scene, {{"sun", {2, 1, 0}}, {"environment", {2, 1, 0}}, {"Glow.001", {2, 1, 0}}});

    CHECK(std::get<PointLight>(dim.lights[0].kind).power == 5);
    CHECK(std::get<SunLight>(dim.lights[1].kind).strength == 6);
    CHECK(dim.environment == scene.environment);
    CHECK(glow_of(dim) == std::array<double, 3>{6, 3, 1.5});
    CHECK(std::get<SunLight>(red.lights[1].kind).color == Rgb{2, 0.5, 0});
    CHECK(red.environment->strength == Rgb{2, 1, 0});
    CHECK(glow_of(red) == std::array<double, 3>{4, 1, 0});
    CHECK(red.objects[0].materials[0] == scene.objects[0].materials[0]);
    CHECK(glow_of(scene) == std::array<double, 3>{2, 1, 0.5}); // as it was
}

TEST_CASE("a dark material has the program of a bright one") {
    const Scene scene = lit();
    const Scene dark = with_light_factors(scene, {{"Glow.001", {0, 0, 0}}});

    const auto text = [](const Scene& own) {
        return build_material_table(materials_of(own)).programs.back()->text;
    };
    CHECK(text(dark) == text(scene));
}

TEST_CASE("lights that cannot be scaled are refused") {
    Scene scene = lit();
    CHECK_THROWS_WITH(with_light_factors(scene, {{"fill", {1, 1, 1}}}),
                      Catch::Contains("no light of the scene is called 'fill'") &&
                          Catch::Contains("'sun'"));
    scene.lights[1].name = "key";
    CHECK_THROWS_WITH(with_light_factors(scene, {{"key", {1, 1, 1}}}), Catch::Contains("2 lights"));
    scene.objects[0].materials[1] =
        material("Varied", closure("emission", {{"color", Attribute::position}}));
    CHECK_THROWS_WITH(with_light_factors(scene, {{"Varied", {2, 1, 0}}}),
                      Catch::Contains("its colour is no constant"));
}
