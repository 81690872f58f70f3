// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/input_changes.hpp"
#include "scene/material_table.hpp"
#include "scenes.hpp"
#include "support/catch.hpp"

#include <memory>
#include <vector>

using namespace weft::scene;
using testing::with;

namespace {

using TextureRef = std::shared_ptr<Texture>;

TextureRef image(float value) {
    return texture(std::vector<float>(std::size_t{2} * 4 * 3, value), 4, 2, 3);
}

MaterialRef board(const std::string& name, Value color) {
    return material(name, closure("diffuse", {{"color", std::move(color)}}));
}

TextureRef texture_of(const Scene& scene, const std::string& name) {
    return std::get<TextureRef>(inputs_of(scene).at(name));
}

} // namespace

TEST_CASE("inputs are those of all closures, defaults and constants included") {
    const Scene scene = with(
        {board("Board.001", constant("Paint", Numbers{0.1, 0.2, 0.3})), testing::grey("Wall")});
    const InputValues found = inputs_of(scene);
    CHECK(std::get<Numbers>(found.at("\"Board.001\".color")) == Numbers{0.1, 0.2, 0.3});
    CHECK(std::get<double>(found.at("\"Board.001\".roughness")) == 0);
    CHECK(found.contains("Wall.color"));
}

TEST_CASE("a texture takes the place of a number, and the rest is shared") {
    const Scene scene = with({board("Board", 0.5), testing::grey("Wall")});
    const TextureRef given = image(0.25F);
    const Scene changed = with_inputs(scene, {{"Board.color", given}});
    CHECK(texture_of(changed, "Board.color") == given);
    CHECK(changed.objects[1].materials[0] == scene.objects[1].materials[0]);
    CHECK(changed.objects[0].mesh == scene.objects[0].mesh);
    CHECK(std::holds_alternative<double>(inputs_of(scene).at("Board.color"))); // as it was
}

TEST_CASE("an image changes wherever its texture is used, and what else it says stays") {
    const TextureRef before = image(0.5F);
    before->wrap = TextureWrap::mirror;
    before->uv = UvSet{.index = 1};
    before->name = "paint";
    const Scene scene =
        with({board("Board", before), board("Lid", before), board("Box", image(1))});
    const Scene changed = with_textures(
        scene,
        {{"Board.color",
          {.pixels = std::vector<float>(3, 0.75F), .width = 1, .height = 1, .channels = 3}}});
    const TextureRef after = texture_of(changed, "Board.color");
    CHECK(after->width == 1);
    CHECK(after->pixels[2] == 0.75F);
    CHECK(after->wrap == TextureWrap::mirror);
    CHECK(std::get<UvSet>(*after->uv).index == 1);
    CHECK(after->name == "paint");
    CHECK(texture_of(changed, "Lid.color") == after);
    CHECK(changed.objects[2].materials[0] == scene.objects[2].materials[0]);
    CHECK(texture_of(scene, "Board.color")->pixels[0] == 0.5F);
}

TEST_CASE("inputs that there are not are refused, and images that no texture takes") {
    const Scene scene = with({board("Board", image(0.5F)), board("Lid", 0.5)});
    const TextureImage small{.pixels = {1}, .width = 1, .height = 1, .channels = 1};
    CHECK_THROWS_WITH(with_inputs(scene, {{"Board.colour", 0.5}}),
                      ContainsSubstring("no input 'Board.colour'") &&
                          ContainsSubstring("Board.color"));
    CHECK_THROWS_WITH(with_inputs(scene, {{"Lid.roughness", Numbers{1, 2, 3}}}),
                      ContainsSubstring("roughness"));
    CHECK_THROWS_WITH(with_textures(scene, {{"Lid.color", small}}),
                      ContainsSubstring("no texture drives 'Lid.color'; textures drive "
                                        "Board.color"));
    CHECK_THROWS_WITH(
        with_textures(scene,
                      {{"Board.color", {.pixels = {1}, .width = 2, .height = 1, .channels = 1}}}),
        ContainsSubstring("(1, 2, 1)"));
}
