// SPDX-License-Identifier: Apache-2.0
// Describes two materials, prints the table of their constants, and compiles the Slang text of their kernels. With an
// argument prints that text as well.
#include <weft/core/error.hpp>
#include <weft/engine/engine.hpp>
#include <weft/scene/kernel_text.hpp>
#include <weft/scene/material_table.hpp>

#include <cstdlib>
#include <iostream>
#include <vector>

namespace {

namespace scene = weft::scene;

constexpr const char* kStripes = R"(
[Differentiable]
float3 stripes(float2 uv, float3 color) { return color * (0.5f + 0.5f * sin(40.f * uv.x)); }
)";

std::vector<scene::MaterialRef> describe() {
    scene::SlangCall stripes;
    stripes.function = "stripes";
    stripes.source = kStripes;
    stripes.arguments = {{"uv", scene::Attribute::uv}, {"color", scene::Numbers{0.5, 0.25, 0.125}}};
    stripes.size = 3;
    const auto wood = scene::closure("diffuse", {{"color", scene::slang_call(std::move(stripes))}});
    const auto varnish = scene::closure("glossy", {{"roughness", scene::constant("Polish", 0.25)}});
    const auto image = scene::texture(std::vector<float>(4 * 4 * 3, 0.5F), 4, 4, 3);
    return {scene::material("Wood", scene::mix(wood, varnish, 0.5)),
            scene::material("Wall.001", scene::closure("principled", {{"base_color", image}}))};
}

void print_constants(const scene::MaterialTable& table) {
    for (const scene::ParameterRange& range : table.ranges) {
        std::cout << range.name << ':';
        for (std::size_t k = 0; k < range.parameter.size; k++) {
            std::cout << ' ' << table.values[range.first + k];
        }
        std::cout << '\n';
    }
    for (const scene::TextureUse& use : table.texture_uses) {
        std::cout << use.name << ": texture " << use.texture << '\n';
    }
}

void run(bool prints_text) {
    const scene::MaterialTable table = scene::build_material_table(describe());
    print_constants(table);
    const auto weft = weft::engine::Engine::create();
    for (const auto& program : table.programs) {
        const std::string text = scene::print_program_module(*program, {.light_kinds = 1});
        if (prints_text) {
            std::cout << text;
        }
        const weft::engine::Module module = weft->load_source("weft_material", text);
        static_cast<void>(module.function("programStep"));
        std::cout << program->bsdf << " compiles\n";
    }
}

} // namespace

int main(int count, char** /*arguments*/) {
    try {
        run(count > 1);
        return EXIT_SUCCESS;
    } catch (const weft::core::Error& error) {
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
