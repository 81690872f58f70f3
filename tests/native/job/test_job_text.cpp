// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "job/job_text.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <limits>
#include <string>
#include <utility>
#include <vector>

using namespace weft;
using weft::test::TemporaryFolder;

namespace {

constexpr const char* kJob = R"(scene = "scene.weft"

[settings]
bounces = 3
tolerance = 0.005
seed = 7
time_limit = 12

[[targets]]
image = "pictures/front.exr"
camera = "front"
mask = "mask.png"
mask_from = "cup"
exposure = 1.5
saturation = inf
filter = "blackman_harris"
filter_width = 3

[[targets]]
image = "side.png"
camera = 1
name = "left"
color_space = "srgb"
robust = false
resize = true

[[parameters]]
name = "glaze.roughness"
bounds = [0.05, 0.8]
transform = "log"
start = 0.5
tied = ["foot.roughness"]
prior = [0.3, 0.1]

[[parameters]]
name = "glaze.base_color"
start = [0.5, 0.25, 1]
prior = [[0.1, 0.2, 0.3], 0.5]

[[exposures]]
target = "left"
white_balance = true
bounds = [0.5, 2]
start = 1.5

[[lights]]
light = "key"
color = true
bounds = [0.1, 10]
start = 2

[report]
samples = 16
)";

/// What the smallest job says about, with some lines more.
std::string job_with(const std::string& more) {
    return "scene = \"s.weft\"\n[[targets]]\nimage = \"a.pfm\"\n" + more;
}

std::string message_of(const std::string& text) {
    const TemporaryFolder folder;
    const auto file = folder.write("job.toml", text);
    try {
        static_cast<void>(job::read_job_text(file));
    } catch (const core::ArgumentError& error) {
        const std::string message = error.what();
        const std::size_t at = message.find("job.toml");
        return at == std::string::npos ? message : message.substr(at);
    }
    return "no error";
}

} // namespace

TEST_CASE("a job is read with all that it says") {
    const TemporaryFolder folder;
    const job::JobText read = job::read_job_text(folder.write("job.toml", kJob));

    CHECK(read.scene == folder.path() / "scene.weft");
    CHECK(read.settings.bounces == 3);
    CHECK(read.settings.tolerance == 0.005);
    CHECK(read.settings.seed == 7);
    CHECK(read.settings.max_iterations == fit::FitSettings().max_iterations);
    CHECK(read.time_limit == 12);

    REQUIRE(read.targets.size() == 2);
    const job::TargetEntry& front = read.targets[0];
    CHECK(front.image == folder.path() / "pictures/front.exr");
    CHECK(front.name == "front");
    CHECK(std::get<std::string>(front.camera) == "front");
    CHECK(front.mask == folder.path() / "mask.png");
    CHECK(front.mask_from == "cup");
    CHECK(front.exposure == 1.5);
    CHECK(front.saturation == std::numeric_limits<double>::infinity());
    CHECK(front.filter == render::PixelFilter::blackman_harris);
    CHECK(front.filter_width == 3);
    CHECK_FALSE(front.robust);
    const job::TargetEntry& side = read.targets[1];
    CHECK(side.name == "left");
    CHECK(std::get<std::int64_t>(side.camera) == 1);
    CHECK(side.color_space == job::ColorSpace::srgb);
    CHECK(side.robust == false);
    CHECK(side.resize);
    CHECK_FALSE(front.resize);
    CHECK(side.place.ends_with("job.toml:19"));

    REQUIRE(read.parameters.size() == 2);
    CHECK(read.parameters[0].name == "glaze.roughness");
    CHECK(read.parameters[0].bounds == fit::Bounds{0.05, 0.8});
    CHECK(read.parameters[0].scale == scene::Scale::log);
    CHECK(read.parameters[0].start == fit::Vector{0.5});
    CHECK(read.parameters[0].tied == std::vector<std::string>{"foot.roughness"});
    CHECK(read.parameters[0].prior->mean == fit::Vector{0.3});
    CHECK(read.parameters[0].prior->deviation == 0.1);
    CHECK(read.parameters[1].start == fit::Vector{0.5, 0.25, 1});
    CHECK(read.parameters[1].prior->mean == fit::Vector{0.1, 0.2, 0.3});

    REQUIRE(read.exposures.size() == 1);
    CHECK(read.exposures[0].observation == "left");
    CHECK(read.exposures[0].white_balance);
    CHECK(read.exposures[0].bounds == fit::Bounds{0.5, 2});
    CHECK(read.exposures[0].start == 1.5);
    REQUIRE(read.lights.size() == 1);
    CHECK(read.lights[0].light == "key");
    CHECK(read.lights[0].color);
}

TEST_CASE("a target may have lights and a world of its own") {
    const TemporaryFolder folder;
    const auto file = folder.write(
        "job.toml",
        job_with("world = {image = \"sky.pfm\", strength = 2, "
                 "rotation = [[0, 1, 0], [-1, 0, 0], [0, 0, 1]], name = \"Sky\"}\n"
                 "lights = [\"key\", {kind = \"area\", space = \"camera\", power = 20, "
                 "shape = \"ellipse\", size = [2, 1], name = \"flash\", casts_shadow = false, "
                 "hidden_from = [\"glossy\"], "
                 "transform = [[1, 0, 0, 3], [0, 1, 0, 0], [0, 0, 1, -1]]}, "
                 "{kind = \"sun\", direction = [0, 1, -1], color = [1, 0.5, 0.25]}]\n"
                 "[[targets]]\nimage = \"b.pfm\"\nworld = false\n"));
    const job::JobText read = job::read_job_text(file);

    const job::TargetEntry& target = read.targets.at(0);
    CHECK(target.shining == std::vector<std::string>{"key"});
    REQUIRE(target.own_lights.size() == 2);
    const auto& area = std::get<scene::AreaLight>(target.own_lights[0].light.kind);
    CHECK(target.own_lights[0].is_at_camera);
    CHECK(target.own_lights[0].light.name == "flash");
    CHECK_FALSE(target.own_lights[0].light.casts_shadow);
    CHECK(target.own_lights[0].light.hidden_from == scene::layouts::RayKind::kGlossy);
    CHECK(area.power == 20);
    CHECK(area.shape == scene::AreaShape::ellipse);
    CHECK(area.size == std::array<double, 2>{2, 1});
    CHECK(area.transform == scene::LightTransform{1, 0, 0, 3, 0, 1, 0, 0, 0, 0, 1, -1});
    CHECK_FALSE(target.own_lights[1].is_at_camera);
    CHECK(target.own_lights[1].light.name == "sun");
    CHECK(std::get<scene::SunLight>(target.own_lights[1].light.kind).color ==
          scene::Rgb{1, 0.5, 0.25});
    REQUIRE(target.world);
    CHECK(target.world->image == folder.path() / "sky.pfm");
    CHECK(target.world->strength == scene::Rgb{2, 2, 2});
    CHECK(target.world->rotation == std::array<double, 9>{0, 1, 0, -1, 0, 0, 0, 0, 1});
    CHECK(target.world->name == "Sky");
    CHECK(read.targets.at(1).world->image.empty());
    CHECK_FALSE(read.targets.at(1).shining);
}

TEST_CASE("mistakes are told with file and line") {
    const std::vector<std::pair<std::string, std::string>> cases{
        {job_with("camra = 1\n"),
         "job.toml:4: there is no key 'camra' in [[targets]]; it has image"},
        {job_with("camera = true\n"), "job.toml:4: 'camera' must be a name or a number"},
        {job_with("exposure = \"bright\"\n"), "job.toml:4: 'exposure' must be a number"},
        {job_with("exposure = true\n"), "job.toml:4: 'exposure' must be a number"},
        {job_with("filter = \"gauss\"\n"), "job.toml:4: 'filter' must be one of box, tent"},
        {job_with("[[parameters]]\nbounds = [0, 1]\n"), "job.toml:4: the key 'name' is missing"},
        {job_with("[[parameters]]\nname = \"a.b\"\nbounds = [0]\n"),
         "job.toml:6: 'bounds' must be a list of 2 numbers"},
        {job_with("[[parameters]]\nname = \"a.b\"\nprior = [0.5]\n"),
         "job.toml:6: 'prior' must be"},
        {job_with("[[parameters]]\nname = \"a.b\"\nprior = [0.5, true]\n"),
         "job.toml:6: 'prior' must be"},
        {job_with("[[parameters]]\nname = \"a.b\"\nstart = []\n"), "job.toml:6: 'start' must be"},
        {job_with("[[parameters]]\nname = \"a.b\"\ntied = [1]\n"),
         "job.toml:6: 'tied' must be a list of strings"},
        {job_with("[parameters]\nname = \"a.b\"\n"),
         "job.toml:4: 'parameters' must be a table, written [[parameters]]"},
        {job_with("[settings]\nsamples = 0\n"), "job.toml:5: 'samples' must be 1 or more, got 0"},
        {job_with("[settings]\nsamples = 1.5\n"), "job.toml:5: 'samples' must be an integer"},
        {job_with("[settings]\nmax_draws = 9\n"), "job.toml:5: there is no key 'max_draws'"},
        {job_with("[settings]\ntime_limit = -1\n"), "job.toml:5: 'time_limit' must be 0 seconds"},
        {job_with("lights = \"key\"\n"), "job.toml:4: 'lights' must be a list of names"},
        {job_with("lights = [1]\n"), "job.toml:4: 'lights' must be a list of names"},
        {job_with("lights = [{power = 2}]\n"), "job.toml:4: a light in 'lights' needs 'kind'"},
        {job_with("lights = [{kind = \"bulb\"}]\n"),
         "'kind' must be one of point, spot, sun, area"},
        {job_with("lights = [{kind = \"sun\", power = 2}]\n"),
         "job.toml:4: there is no key 'power' in a light; it has kind, space, direction"},
        {job_with("lights = [{kind = \"point\", position = [1, 2]}]\n"),
         "'position' must be rows of 3 numbers together, got 2"},
        {job_with("lights = [{kind = \"point\", hidden_from = [\"camera\"]}]\n"), "job.toml:4: "},
        {job_with("world = true\n"), "job.toml:4: 'world' must be false"},
        {job_with("world = {strength = 2}\n"), "job.toml:4: 'world' needs 'image'"},
        {job_with("world = {image = \"a.pfm\", strength = [1, 2]}\n"),
         "job.toml:4: 'strength' must be one number, or three"},
        {job_with("[sky]\n"), "job.toml:4: there is no key 'sky' in a job; it has scene, targets"},
        {"[[targets]]\nimage = \"a.pfm\"\n", "job.toml: the key 'scene' is missing"},
        {"scene = \"s.weft\"\n", "job.toml: there is no [[targets]]"},
        {"scene = \n", "job.toml:1:"},
        {"scene = \"s.weft\"\nscene = \"t.weft\"\n", "job.toml:2:"},
        {"scene = \"\xff\"\n", "invalid TOML"}};
    for (const auto& [text, expected] : cases) {
        INFO(text);
        CHECK_THAT(message_of(text), ContainsSubstring(expected));
    }
    CHECK_THAT(message_of(std::string(100'000, '[')), ContainsSubstring("invalid TOML"));
    CHECK_THROWS_WITH(job::read_job_text("nowhere.toml"), ContainsSubstring("no file"));
}

TEST_CASE("textures are read with what their inputs get") {
    const TemporaryFolder folder;
    const job::JobText read = job::read_job_text(folder.write(
        "job.toml", job_with("[settings]\ntexture_iterations = 12\n[[textures]]\nname = \"a.b\"\n"
                             "bounds = [0, 2]\nsmoothness = 0.5\nresolution = [64, 32]\n"
                             "start = [0.1, 0.2, 0.3]\nwrap = \"mirror\"\n"
                             "[[textures]]\nname = \"c.d\"\nstart = 0.5\n")));
    CHECK(read.settings.texture_iterations == 12);
    REQUIRE(read.textures.size() == 2);
    const job::TextureEntry& first = read.textures[0];
    CHECK(first.place.ends_with("job.toml:6"));
    CHECK(first.parameter.name == "a.b");
    CHECK(first.parameter.bounds == fit::Bounds{0, 2});
    CHECK(first.parameter.smoothness == 0.5);
    CHECK((*first.resolution)[0] == 64);
    CHECK((*first.resolution)[1] == 32);
    CHECK(first.start == std::vector<double>{0.1, 0.2, 0.3});
    CHECK(first.wrap == scene::TextureWrap::mirror);
    const job::TextureEntry& second = read.textures[1];
    CHECK(second.start == std::vector<double>{0.5});
    CHECK_FALSE(second.resolution);
    CHECK_FALSE(second.wrap);
    CHECK(second.parameter.smoothness == fit::TextureParameter().smoothness);

    CHECK_THAT(message_of(job_with("[[textures]]\nbounds = [0, 1]\n")),
               ContainsSubstring("job.toml:4: the key 'name' is missing"));
    CHECK_THAT(message_of(job_with("[[textures]]\nname = \"a.b\"\nresolution = [8, 0.5]\n")),
               ContainsSubstring("job.toml:6: 'resolution' must be two integers"));
    CHECK_THAT(message_of(job_with("[[textures]]\nname = \"a.b\"\nwrap = \"turn\"\n")),
               ContainsSubstring("job.toml:6: 'wrap' must be one of repeat, extend"));
}

TEST_CASE("a job may ask for numbers, exposures, lights and textures together") {
    const TemporaryFolder folder;
    const job::JobText read = job::read_job_text(folder.write(
        "job.toml", job_with("[[parameters]]\nname = \"a.roughness\"\nstart = 0.6\n"
                             "[[exposures]]\ntarget = \"photo\"\n[[lights]]\nlight = \"key\"\n"
                             "[[textures]]\nname = \"a.base_color\"\n")));
    REQUIRE(!read.parameters.empty());
    CHECK(read.parameters.back().name == "a.roughness");
    CHECK(read.parameters.back().start == std::vector<double>{0.6});
    REQUIRE(read.exposures.size() == 1);
    CHECK(read.exposures[0].observation == "photo");
    REQUIRE(read.lights.size() == 1);
    CHECK(read.lights[0].light == "key");
    REQUIRE(read.textures.size() == 1);
    CHECK(read.textures[0].parameter.name == "a.base_color");
}

TEST_CASE("a job may ask for the environment") {
    const TemporaryFolder folder;
    const auto read = [&](const std::string& keys) {
        return job::read_job_text(folder.write("job.toml", job_with("[environment]\n" + keys)))
            .environment.value();
    };

    CHECK(read("").width == fit::EnvironmentParameter().width);
    CHECK_FALSE(read("").start);
    const fit::EnvironmentParameter own =
        read("width = 64\nheight = 24\nsmoothness = 0.5\nstart = 2\nname = \"sky\"\n");
    CHECK((own.width == 64 && own.height == 24 && own.smoothness == 0.5 && own.name == "sky"));
    CHECK(own.start == scene::Rgb{2, 2, 2});
    CHECK(read("start = [1, 2, 3]\n").start == scene::Rgb{1, 2, 3});
    CHECK_FALSE(job::read_job_text(folder.write("job.toml", job_with(""))).environment);
}

TEST_CASE("an environment that cannot be looked for is refused with its place") {
    const std::vector<std::pair<std::string, std::string>> cases{
        {"[environment]\nwidth = -1\n",
         "job.toml:4: EnvironmentParameter 'environment': width and height must be integers from 8 "
         "x 4 to 512 x 256, got -1 x 16"},
        {"[environment]\nheight = 8.5\n", "job.toml:5: 'height' must be an integer"},
        {"[environment]\nstart = [1, 2]\n", "job.toml:5: 'start' must be one or three numbers"},
        {"[environment]\nstart = -1\n", "job.toml:4: EnvironmentParameter 'environment': start"},
        {"[environment]\nturn = 1\n", "job.toml:5: there is no key 'turn'"},
        {"[[environment]]\n[[environment]]\n", "'environment' must be a table"}};
    for (const auto& [text, expected] : cases) {
        INFO(text);
        CHECK_THAT(message_of(job_with(text)), ContainsSubstring(expected));
    }
}
