// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "job/picture_file.hpp"
#include "job/report.hpp"
#include "job/textures.hpp"
#include "scene/input_changes.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <limits>
#include <memory>
#include <string>
#include <vector>

using namespace weft;
using weft::test::TemporaryFolder;

namespace {

using TextureRef = std::shared_ptr<scene::Texture>;

scene::Scene board(scene::Value color, bool with_uvs = true) {
    scene::Mesh square;
    square.positions = std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0};
    square.triangles = std::vector<std::uint32_t>{0, 1, 2};
    if (with_uvs) {
        square.uvs = {{"UVMap", std::vector<float>{0, 0, 1, 0, 1, 1}}};
    }
    scene::Scene out;
    out.objects = {
        scene::object({.mesh = scene::mesh(square),
                       .materials = {scene::material(
                           "Board", scene::closure("diffuse", {{"color", std::move(color)}}))},
                       .name = "board"})};
    return out;
}

job::TextureEntry entry(const std::string& name = "Board.color") {
    return {.place = "job.toml:7", .parameter = {.name = name}};
}

TextureRef texture_with(const job::TextureEntry& wanted, scene::Value color) {
    job::JobText job;
    job.textures = {wanted};
    const scene::Scene made = with_textures_of(job, board(std::move(color)));
    return std::get<TextureRef>(scene::inputs_of(made).at("Board.color"));
}

std::string refusal(const job::TextureEntry& wanted, scene::Scene scene) {
    job::JobText job;
    job.textures = {wanted};
    try {
        static_cast<void>(with_textures_of(job, std::move(scene)));
    } catch (const core::ArgumentError& error) {
        return error.what();
    }
    return "no error";
}

fit::FittedTexture found(std::size_t channels) {
    fit::FittedTexture out{.name = "Board.color", .width = 2, .height = 1, .channels = channels};
    for (std::size_t i = 0; i < 2 * channels; ++i) {
        out.pixels.push_back(0.125F * static_cast<float>(i));
        out.errors.push_back(i < channels ? 0.5F : std::numeric_limits<float>::infinity());
    }
    out.known = {1, 0};
    return out;
}

} // namespace

TEST_CASE("an input gets a texture of the size that the job says") {
    job::TextureEntry wanted = entry();
    wanted.resolution = {4, 2};
    const TextureRef from_color = texture_with(wanted, scene::Numbers{0.25, 0.5, 0.75});
    CHECK((from_color->width == 4 && from_color->height == 2 && from_color->channels == 3));
    CHECK(from_color->pixels[0] == 0.25F);
    CHECK(from_color->pixels[23] == 0.75F);
    CHECK(from_color->name == "Board_color");

    wanted.start = {0.5};
    wanted.wrap = scene::TextureWrap::extend;
    const TextureRef started = texture_with(wanted, scene::Numbers{0.25, 0.5, 0.75});
    CHECK(started->pixels[2] == 0.5F);
    CHECK(started->wrap == scene::TextureWrap::extend);
}

TEST_CASE("a texture that is there is taken, or brought to another size") {
    const TextureRef before = scene::texture({1, 3, 5, 7}, 2, 2, 1);
    before->wrap = scene::TextureWrap::clip;
    before->name = "paint";
    CHECK(texture_with(entry(), before) == before);

    job::TextureEntry wanted = entry();
    wanted.resolution = {1, 1};
    const TextureRef small = texture_with(wanted, before);
    CHECK(small->pixels[0] == 4);
    CHECK(small->wrap == scene::TextureWrap::clip);
    CHECK(small->name == "paint");
    wanted.start = {0.25};
    CHECK(texture_with(wanted, before)->pixels[0] == 0.25F);
}

TEST_CASE("textures that cannot be made are told with their place") {
    CHECK_THAT(refusal(entry("Board.colour"), board(0.5)),
               ContainsSubstring("job.toml:7: the scene has no input 'Board.colour'") &&
                   ContainsSubstring("Board.color"));
    CHECK_THAT(refusal(entry(), board(0.5)),
               ContainsSubstring("job.toml:7: no texture drives 'Board.color'; give resolution"));
    job::TextureEntry wanted = entry();
    wanted.resolution = {2, 2};
    CHECK_THAT(refusal(wanted, board(0.5, false)),
               ContainsSubstring("object 'board' has material 'Board' and no UV set"));
    wanted.start = {1, 2};
    CHECK_THAT(refusal(wanted, board(scene::Numbers{1, 1, 1})),
               ContainsSubstring("start must be 3 numbers, got 2"));
    wanted.start = {};
    CHECK_THAT(refusal(wanted, board(scene::Attribute::position)),
               ContainsSubstring("driven by what no texture replaces"));
}

TEST_CASE("a report has textures, their errors, and the scene with them") {
    const TemporaryFolder folder;
    const scene_files::SceneFile file{.scene = board(scene::texture({1, 1, 1}, 1, 1, 3))};
    job::Outcome outcome;
    outcome.textures = {found(3)};
    const std::string printed = job::write_report({}, file, outcome, folder.path(), folder.path());

    const auto entry = nlohmann::json::parse(printed)["textures"]["Board.color"];
    CHECK(entry["map"] == "texture_Board.color.pfm");
    CHECK(entry["width"] == 2);
    CHECK(entry["channels"] == 3);
    CHECK(entry["known_share"] == 0.5);
    CHECK(entry["undetermined"].is_null());
    const job::PictureFile map = job::read_picture_file(folder.path() / "texture_Board.color.pfm");
    CHECK((map.width == 2 && map.height == 1));
    CHECK(map.pixels == outcome.textures[0].pixels);
    const job::PictureFile errors =
        job::read_picture_file(folder.path() / "errors_Board.color.pfm");
    CHECK(errors.pixels == outcome.textures[0].errors);
    for (const char* const key : {"file", "errors"}) {
        CHECK(std::filesystem::exists(folder.path() / entry[key].get<std::string>()));
    }
    const scene::Scene kept =
        scene_files::load(folder.path() / "scene.weft", {.root = folder.path()}).scene;
    const auto texture = std::get<TextureRef>(scene::inputs_of(kept).at("Board.color"));
    CHECK(std::vector<float>(texture->pixels.begin(), texture->pixels.end()) ==
          outcome.textures[0].pixels);
    CHECK_THAT(job::describe(outcome),
               ContainsSubstring("Board.color  2 x 1 texels, 50 % of them known\n"));
}

TEST_CASE("a report has numbers beside textures, and the scene with both") {
    const TemporaryFolder folder;
    scene_files::SceneFile file{.scene = board(scene::texture({1, 1, 1}, 1, 1, 3))};
    file.scene.lights = {{.kind = scene::PointLight{.power = 10}, .name = "key"}};
    file.scene.objects.push_back(scene::object(
        {.mesh = file.scene.objects[0].mesh,
         .materials = {scene::material(
             "Floor",
             scene::closure("glossy", {{"color", scene::Numbers{1, 1, 1}}, {"roughness", 0.5}}))},
         .name = "floor"}));
    job::JobText job;
    job.parameters = {{.name = "Floor.roughness"}};
    job.lights = {{.light = "key"}};
    job.textures = {entry()};
    job::Outcome outcome;
    outcome.textures = {found(3)};
    outcome.state.values = {{.name = "Floor.roughness", .value = {0.25}, .error = {0.01}},
                            {.name = "key.factor", .value = {3}, .error = {0.5}}};
    outcome.state.phase = "textures 2";
    outcome.state.progress = 0.75;
    outcome.history = {outcome.state};
    job::write_report(job, file, outcome, folder.path(), folder.path());

    std::ifstream stream(folder.path() / "report.json");
    const auto report = nlohmann::json::parse(stream);
    CHECK(report["parameters"]["Floor.roughness"]["value"][0] == 0.25);
    CHECK(report["parameters"]["key.factor"]["error"][0] == 0.5);
    CHECK(report["textures"]["Board.color"]["width"] == 2);
    CHECK(report["history"][0]["phase"] == "textures 2");
    CHECK(report["history"][0]["fraction"] == 0.75);
    const scene::Scene kept =
        scene_files::load(folder.path() / "scene.weft", {.root = folder.path()}).scene;
    const scene::InputValues inputs = scene::inputs_of(kept);
    CHECK(std::get<double>(inputs.at("Floor.roughness")) == 0.25);
    CHECK(std::get<TextureRef>(inputs.at("Board.color"))->width == 2);
    CHECK(std::get<scene::PointLight>(kept.lights[0].kind).power == 30);
    const std::string text = job::describe(outcome);
    CHECK_THAT(text, ContainsSubstring("Floor.roughness  0.25"));
    CHECK_THAT(text, ContainsSubstring("Board.color  2 x 1 texels"));
}

TEST_CASE("maps of four channels are two files, and names of files differ") {
    const TemporaryFolder folder;
    std::vector<fit::FittedTexture> textures{found(4), found(1)};
    textures[1].name = "board/color";
    textures.push_back(textures[1]);
    textures[2].name = "Board color";
    const auto files = job::write_textures(textures, folder.path());
    CHECK(files[0].map == "texture_Board.color.pfm");
    CHECK(files[1].map == "texture_board_color.pfm");
    CHECK(files[2].map == "texture_Board_color_2.pfm");
    const job::PictureFile color = job::read_picture_file(folder.path() / files[0].map);
    const job::PictureFile alpha =
        job::read_picture_file(folder.path() / "texture_Board.color_alpha.pfm");
    CHECK(color.pixels == std::vector<float>{0, 0.125F, 0.25F, 0.5F, 0.625F, 0.75F});
    CHECK(alpha.pixels == std::vector<float>{0.375F, 0.875F});
}
