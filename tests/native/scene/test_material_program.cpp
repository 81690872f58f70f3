// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/kernel_text.hpp"
#include "scene/material_program.hpp"
#include "support/catch.hpp"

using namespace weft::scene;
namespace {

std::shared_ptr<SlangCall> halve(Value color) {
    SlangCall call;
    call.function = "halve";
    call.source =
        "import weft.nodes;\n[Differentiable] float3 halve(float3 c) { return 0.5f * c; }";
    call.arguments = {{"c", std::move(color)}};
    call.size = 3;
    return slang_call(std::move(call));
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) {
        found++;
    }
    return found;
}

} // namespace

TEST_CASE("a diffuse closure prints its two parameters") {
    const MaterialProgram program =
        print_program(*material("Wood", closure("diffuse", {{"color", Numbers{0.4, 0.2, 0.1}}})));

    CHECK(program.text == "Surface<DiffuseBSDF<kPlain>> surface;\n"
                          "    surface.frame = Frame.around(s.normal);\n"
                          "    const float3 wi = surface.frame.toLocal(s.wi);\n"
                          "    const float3 v0 = float3(parameter(m, 0), parameter(m, 1), "
                          "parameter(m, 2));\n"
                          "    const float v1 = parameter(m, 3);\n"
                          "    const DiffuseBSDF<kPlain> bsdf2 = DiffuseBSDF<kPlain>.prepare(v0, "
                          "v1, wi);\n"
                          "    surface.bsdf = bsdf2;\n"
                          "    if (weft_has_limits)\n"
                          "        surface.bsdf.dull(s.dulled);\n"
                          "    surface.emission = float3(0.f);\n"
                          "    return surface;");
    REQUIRE(program.parameters.size() == 2);
    CHECK(program.parameters[0].name == "color");
    CHECK(program.parameters[0].values == Numbers{0.4, 0.2, 0.1});
    CHECK(program.parameters[0].is_separable);
    CHECK(program.parameters[1].scale == Scale::log);
    CHECK(program.parameters[1].fit_low == 0.02);
}

TEST_CASE("a function that several inputs share is printed once") {
    const auto shared = halve(Numbers{0.5, 0.5, 0.5});
    const auto surface =
        mix(closure("diffuse", {{"color", shared}}), closure("glossy", {{"color", shared}}));

    const MaterialProgram program = print_program(*material("m", surface));

    CHECK(count(program.text, "halve(") == 1);
    CHECK(program.parameters[0].name == "first.color.c");
    CHECK_FALSE(program.parameters[0].is_separable);
}

TEST_CASE("a constant is one parameter, however many inputs it drives") {
    const auto grey = constant("Grey", 0.5, 0.1, 0.9);
    const MaterialProgram program = print_program(
        *material("m", closure("principled", {{"roughness", grey}, {"metallic", grey}})));

    REQUIRE(program.parameters.size() == 2);
    CHECK(program.parameters[1].name == "Grey");
    CHECK(program.parameters[1].bounds == std::array{0.1, 0.9});
    CHECK(program.parameters[1].scale == Scale::log); // roughness is
}

TEST_CASE("what drives a normal has no derivative") {
    const auto image = texture(std::vector<float>(12, 0.5F), 2, 2, 3);
    const MaterialProgram program = print_program(
        *material("m", closure("diffuse", {{"normal", normal_map({.color = image})}})));

    REQUIRE(program.functions.size() == 1);
    CHECK_THAT(program.functions[0], ContainsSubstring("tangentNormal("));
    CHECK(program.has_tangents);
    for (const MaterialParameter& parameter : program.parameters) {
        CHECK(parameter.is_fixed == parameter.name.starts_with("normal"));
    }
}

TEST_CASE("what lets light pass, shines and holds media says so") {
    const MaterialProgram clear = print_program(*material("m", closure("transparent")));
    const MaterialProgram emitter = print_program(*material("m", closure("emission")));
    const MaterialProgram fog =
        print_program(*material("m", closure("transparent", {{"color", 1.0}}), closure("medium")));
    const MaterialProgram skin = print_program(*material("m", closure("subsurface")));

    CHECK(!clear.transparency.empty());
    CHECK(emitter.is_emissive);
    CHECK_FALSE(emitter.scatters);
    CHECK_THAT(fog.medium, ContainsSubstring("Medium mediumOf("));
    CHECK(fog.is_boundary);
    CHECK(skin.subsurface_closures == 1);
}

TEST_CASE("values that lie too deep in each other are refused") {
    std::optional<Value> normal;
    for (std::size_t k = 0; k < kMaxNesting; k++) {
        normal = bump({.height = 0.5, .normal = normal});
    }
    const auto made = material("m", closure("diffuse", {{"normal", *normal}}));

    CHECK_THROWS_AS(print_program(*made), weft::core::ArgumentError);
}

TEST_CASE("a module has the kernels of its program, and a user's imports before its namespace") {
    const auto surface = closure("emission", {{"color", halve(Numbers{1, 1, 1})}});
    const MaterialProgram program = print_program(*material("m", surface));

    const std::string text =
        print_program_module(program, {.light_kinds = 5, .has_textured_emission = true});

    CHECK_THAT(text, ContainsSubstring("weft_light_kinds = 5;"));
    CHECK_THAT(text, ContainsSubstring("weft_has_textured_emission = true;"));
    CHECK_THAT(text, ContainsSubstring("static bool isEmissive() { return true; }"));
    CHECK_THAT(text, ContainsSubstring("programMeasure("));
    CHECK(text.find("import weft.nodes;\nnamespace user_") != text.npos);
    CHECK_THAT(print_recording_module(program, {}), ContainsSubstring("programReplay("));
    CHECK(print_shared_module({}).find("crossMedia") == std::string::npos);
    CHECK_THAT(print_shared_module({.has_media = true}), ContainsSubstring("crossMedia"));
}
