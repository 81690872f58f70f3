// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "job/picture_file.hpp"
#include "job/report.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <vector>

using namespace weft;
using weft::test::TemporaryFolder;

namespace {

scene::Scene painted() {
    scene::Mesh square;
    square.positions = std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0};
    square.triangles = std::vector<std::uint32_t>{0, 1, 2};
    scene::Scene out;
    out.objects = {scene::object(
        {.mesh = scene::mesh(square),
         .materials = {scene::material("Paint.001",
                                       scene::closure("glossy", {{"color", scene::Numbers{1, 1, 1}},
                                                                 {"roughness", 0.5}}))}})};
    out.lights = {{.kind = scene::PointLight{.power = 10}, .name = "key.light"}};
    return out;
}

job::JobText job_of() {
    job::JobText out;
    out.parameters = {{.name = "\"Paint.001\".roughness"}, {.name = "\"Paint.001\".color"}};
    out.lights = {{.light = "key.light"}};
    return out;
}

job::Outcome outcome() {
    job::Outcome out;
    out.state.iterations = 3;
    out.state.loss = 0.25;
    out.state.values = {{.name = "\"Paint.001\".roughness", .value = {0.25}, .error = {0.01}},
                        {.name = "\"Paint.001\".color",
                         .value = {0.1, 0.2, 0.3},
                         .error = {0.1, 0.1, std::numeric_limits<double>::infinity()}},
                        {.name = "\"key.light\".factor", .value = {2}, .error = {0.125}}};
    out.state.problems = {"a pixel was lost"};
    out.verdict = fit::Verdict{.level = fit::VerdictLevel::doubtful,
                               .ratio = 2.5,
                               .misfit = 0.02,
                               .views = {{.name = "photo", .misfit = 0.02}},
                               .inflation = 3};
    for (const fit::FittedValue& found : out.state.values) {
        out.verdict->errors.push_back(found.error);
    }
    out.verdict->errors[0][0] *= 3;
    out.reason = job::EndReason::time_limit;
    out.history = {out.state};
    out.device = "a device";
    return out;
}

} // namespace

TEST_CASE("a report has what was found, and the scene with it") {
    const TemporaryFolder folder;
    const scene_files::SceneFile file{.scene = painted()};
    const std::string printed =
        job::write_report(job_of(), file, outcome(), folder.path(), folder.path());

    std::ifstream stream(folder.path() / "report.json");
    const auto report = nlohmann::json::parse(stream);
    CHECK(report["reason"] == "time");
    CHECK(report["iterations"] == 3);
    CHECK(report["verdict"]["level"] == "doubtful");
    CHECK(report["verdict"]["views"][0]["misfit"] == 0.02);
    CHECK(report["converged"] == false);
    CHECK(report["problems"][0] == "a pixel was lost");
    const auto& color = report["parameters"]["\"Paint.001\".color"];
    CHECK(color["value"] == std::vector<double>{0.1, 0.2, 0.3});
    CHECK(color["error"][2].is_null());
    CHECK(report["history"].size() == 1);
    CHECK(report["history"][0]["values"]["\"key.light\".factor"][0] == 2);
    auto summary = nlohmann::json::parse(printed);
    CHECK(summary["parameters"] == report["parameters"]);
    CHECK_FALSE(summary.contains("history"));

    const scene::Scene found =
        scene_files::load(folder.path() / "scene.weft", {.root = folder.path()}).scene;
    const auto& paint = std::get<scene::Closure>(found.objects[0].materials[0]->surface->node);
    CHECK(std::get<double>(*paint.find("roughness")) == 0.25);
    CHECK(std::get<scene::Numbers>(*paint.find("color")) == scene::Numbers{0.1, 0.2, 0.3});
    CHECK(std::get<scene::PointLight>(found.lights[0].kind).power == 20);
}

TEST_CASE("the result for people has a line a parameter, and the verdict") {
    const std::string text = job::describe(outcome());
    CHECK_THAT(text, ContainsSubstring("time after 3 iterations, 0.0 s\n"));
    CHECK_THAT(text, ContainsSubstring("\"Paint.001\".roughness  0.25 \u00b1 0.03\n"));
    CHECK_THAT(text, ContainsSubstring("0.1 \u00b1 0.1, 0.2 \u00b1 0.1, 0.3 \u00b1 ?\n"));
    CHECK_THAT(text, ContainsSubstring("doubtful: the residual is 2.5 times the noise: look at"));
    job::Outcome cancelled = outcome();
    cancelled.verdict.reset();
    CHECK_THAT(job::describe(cancelled),
               ContainsSubstring("open: the fit was ended before it could be judged"));
    CHECK_THAT(text, ContainsSubstring("problem: a pixel was lost\n"));
}

TEST_CASE("a folder that takes no file is told") {
    const TemporaryFolder folder;
    CHECK_THROWS_AS(job::write_report(job_of(), {.scene = painted()}, outcome(),
                                      folder.path() / "absent" / "deeper", folder.path()),
                    core::ArgumentError);
}

TEST_CASE("a report has the environment that was found, and so has its scene") {
    const TemporaryFolder folder;
    job::Outcome own = outcome();
    std::vector<float> image(std::size_t{8} * 4 * 3, 0.5F);
    image[0] = 2;
    own.environment = {.environment = scene::environment(image, 8, 4), .undetermined = "all grey"};
    own.environment->environment.name = "sky";

    job::write_report(job_of(), {.scene = painted()}, own, folder.path(), folder.path());

    std::ifstream stream(folder.path() / "report.json");
    const auto entry = nlohmann::json::parse(stream)["environment"];
    CHECK(entry["map"] == "environment.pfm");
    CHECK((entry["width"] == 8 && entry["height"] == 4 && entry["undetermined"] == "all grey"));
    const job::PictureFile picture = job::read_picture_file(folder.path() / "environment.pfm");
    CHECK(picture.pixels == image);
    const scene_files::SceneFile stored =
        scene_files::load(folder.path() / "scene.weft", {.root = folder.path()});
    REQUIRE(stored.scene.environment != nullptr);
    CHECK(std::ranges::equal(stored.scene.environment->image, image));
    CHECK_THAT(job::describe(own), ContainsSubstring("sky  8 x 4 texels: all grey\n"));
}
