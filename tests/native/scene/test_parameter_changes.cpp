// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/material_table.hpp"
#include "scene/parameter_changes.hpp"
#include "scenes.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <map>
#include <utility>

using namespace weft::scene;
using testing::with;

namespace {

/// All numbers of a scene's parameters, by their names.
std::map<std::string, Numbers> numbers_of(const Scene& scene) {
    std::map<std::string, Numbers> out;
    for (const MaterialRef& material : materials_of(scene)) {
        for (const MaterialParameter& parameter : print_program(*material).parameters) {
            out[material->name + ":" + parameter.name] = parameter.values;
        }
    }
    return out;
}

MaterialRef layered() {
    SlangCall bend;
    bend.function = "bend";
    bend.source = "float bend(float x, float k) { return x * k; }";
    bend.arguments = {{"x", 0.25}, {"k", 2.0}};
    return material("Wood.001",
                    mix(closure("diffuse", {{"color", Numbers{0.4, 0.2, 0.1}},
                                            {"roughness", slang_call(std::move(bend))}}),
                        closure("glossy", {{"roughness", 0.3}}), 0.125));
}

} // namespace

TEST_CASE("numbers of closures, mixes and functions change by their names") {
    const Scene scene = with({layered(), testing::grey("Wall")});
    const Scene found = with_parameters(scene, {{"\"Wood.001\".first.color", {0.9, 0.8, 0.7}},
                                                {"\"Wood.001\".second.roughness", {0.5}},
                                                {"\"Wood.001\".first.roughness.k", {3}},
                                                {"\"Wood.001\".factor", {0.75}}});
    auto expected = numbers_of(scene);
    expected.at("Wood.001:first.color") = {0.9, 0.8, 0.7};
    expected.at("Wood.001:second.roughness") = {0.5};
    expected.at("Wood.001:first.roughness.k") = {3};
    expected.at("Wood.001:factor") = {0.75};
    CHECK(numbers_of(found) == expected);
    CHECK(found.objects[0].mesh == scene.objects[0].mesh);
    CHECK(found.objects[0].materials[1] == found.objects[0].materials[0]);
    CHECK(found.objects[1].materials[0] == scene.objects[1].materials[0]);
    CHECK(numbers_of(scene).at("Wood.001:factor") == Numbers{0.125}); // as it was
    CHECK(print_program(*found.objects[0].materials[0]).text == print_program(*layered()).text);
}

TEST_CASE("parameters of each name that is printed change, one at a time") {
    const Scene scene = with({layered()});
    for (const auto& [name, before] : numbers_of(scene)) {
        INFO(name);
        Numbers after = before;
        std::ranges::transform(after, after.begin(), [](double x) { return 0.5 * x + 0.1; });
        const std::string full = "\"Wood.001\"." + name.substr(name.find(':') + 1);
        const auto found = numbers_of(with_parameters(scene, {{full, after}}));
        CHECK(found.at(name) == after);
        CHECK(std::ranges::count_if(found, [&](const auto& entry) {
                  return entry.second != numbers_of(scene).at(entry.first);
              }) == 1);
    }
}

TEST_CASE("a constant changes wherever it is used, by either of its names") {
    const auto polish = constant("Polish", 0.25);
    const Scene scene =
        with({material("Wood", mix(closure("glossy", {{"roughness", polish}}),
                                   closure("diffuse", {{"roughness", polish}}), 0.5))});
    for (const char* name : {"Wood.Polish", "Wood.first.roughness", "Wood.second.roughness"}) {
        INFO(name);
        const auto found = numbers_of(with_parameters(scene, {{name, {0.75}}}));
        CHECK(found.at("Wood:Polish") == Numbers{0.75});
    }
}

TEST_CASE("an input that had its default gets a value, and a volume changes") {
    const Scene scene = with({material("Fog", closure("diffuse"),
                                       closure("medium", {{"scattering", Numbers{1, 2, 3}}}))});
    const auto found = numbers_of(with_parameters(
        scene, {{"Fog.color", {0.1, 0.2, 0.3}}, {"Fog.volume.scattering", {4, 5, 6}}}));
    CHECK(found.at("Fog:color") == Numbers{0.1, 0.2, 0.3});
    CHECK(found.at("Fog:volume.scattering") == Numbers{4, 5, 6});
}

TEST_CASE("what is no number of the scene is refused") {
    auto image = texture(std::vector<float>(3, 0.5F), 1, 1, 3);
    const Scene scene = with({material("Wood", closure("diffuse", {{"color", image}}))});
    CHECK_THROWS_WITH(with_parameters(scene, {{"Wood.color", {1, 1, 1}}}),
                      ContainsSubstring("'Wood.color' is driven by a texture"));
    CHECK_THROWS_WITH(with_parameters(scene, {{"Wood.roughness", {1, 1}}}),
                      ContainsSubstring("has 1 numbers, got 2"));
    CHECK_THROWS_WITH(with_parameters(scene, {{"Wood.roughnes", {1}}}),
                      ContainsSubstring("no parameter 'Wood.roughnes'") &&
                          ContainsSubstring("'Wood.roughness'"));
}
