// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "fit/unknowns.hpp"
#include "scene/material_table.hpp"
#include "support/catch.hpp"

#include <cmath>

namespace weft::fit {
namespace {

scene::MaterialTable table() {
    const auto paint = scene::material(
        "Paint", scene::closure("principled", {{"base_color", scene::Numbers{0.8, 0.3, 0.1}},
                                               {"roughness", 0.4},
                                               {"metallic", 0.0}}));
    const auto chrome = scene::material(
        "Chrome.001",
        scene::closure("glossy", {{"color", scene::Numbers{0.9, 0.9, 0.9}}, {"roughness", 0.2}}));
    const std::vector<scene::MaterialRef> materials{paint, chrome};
    return scene::build_material_table(materials);
}

Unknowns build(const std::vector<Parameter>& parameters,
               const std::vector<Exposure>& exposures = {},
               const std::vector<LightParameter>& lights = {}) {
    const std::vector<std::string> observations{"day", "night"};
    return build_unknowns(table(), parameters, exposures, observations, lights);
}

const std::string kChrome = "\"Chrome.001\".roughness";

} // namespace

TEST_CASE("unknowns begin where the scene is, on the scale of their inputs") {
    const Unknowns unknowns =
        build({{.name = "Paint.base_color"}, {.name = "Paint.roughness"}, {.name = kChrome}},
              {{.observation = "night", .white_balance = true, .start = 2}});

    REQUIRE(unknowns.start.size() == 8);
    const Vector values = unknowns.values(unknowns.start);
    CHECK(values[0] == Approx(0.8));
    CHECK(values[3] == Approx(0.4));
    CHECK(values[4] == Approx(0.2));
    CHECK(unknowns.start[3] == Approx(std::log(0.4)));
    CHECK(unknowns.derivatives(unknowns.start)[3] == Approx(0.4));
    CHECK(unknowns.gains(unknowns.start, 2) == std::vector<float>{1, 1, 1, 2, 2, 2});
    CHECK(unknowns.groups() == std::vector<std::int64_t>{0, 0, 0, 0, 1, 2, 2, 2});
    CHECK(unknowns.open_range()[7]);
    CHECK_FALSE(unknowns.open_range()[0]);
    CHECK(unknowns.blocks.back().name == "night.exposure");

    std::vector<float> scene = table().values;
    unknowns.write(unknowns.high, scene);
    CHECK(scene[table().find(kChrome)->first] == Approx(std::exp(unknowns.high[4])));
}

TEST_CASE("tied parameters share an unknown, and a colour that is alone one direction") {
    const std::size_t count = table().values.size();
    const UnknownDirections alone = build({{.name = "Paint.base_color"}}).directions(count);
    const UnknownDirections tied =
        build({{.name = "Paint.roughness", .tied = {kChrome}}}, {{}}).directions(count);

    CHECK(alone.columns.size() == 3);
    CHECK(alone.rows.size() == alone.count * count);
    CHECK(tied.count == 1);
    CHECK(tied.rows[table().find("Paint.roughness")->first] == 1);
    CHECK(tied.rows[table().find(kChrome)->first] == 1);
    REQUIRE(tied.columns.size() == 3); // an exposure a picture
    CHECK_FALSE(tied.columns[1].direction);
    CHECK(tied.columns[1].view == 0);
    CHECK(tied.columns[2].view == 1);
}

TEST_CASE("factors of lights come last, and other light has none") {
    const Unknowns unknowns =
        build({{.name = "Paint.roughness"}}, {{.observation = "day"}},
              {{.light = "Key.001", .start = 2}, {.light = "sky", .color = true}});

    REQUIRE(unknowns.start.size() == 6);
    CHECK(unknowns.blocks[2].name == "\"Key.001\".factor");
    CHECK(unknowns.start[2] == Approx(std::log(2)));
    CHECK(unknowns.light_factors(unknowns.start) == std::vector<float>{2, 2, 2, 1, 1, 1, 1, 1, 1});
    CHECK(unknowns.groups() == std::vector<std::int64_t>{0, 1, 2, 3, 3, 3});
    CHECK(unknowns.open_range()[2]);
    const UnknownDirections directions = unknowns.directions(table().values.size());
    CHECK(directions.count == 1);
    CHECK(directions.columns[2].light == 0);
    CHECK_FALSE(directions.columns[2].channel);
    CHECK(directions.columns[5].light == 1);
    CHECK(directions.columns[5].channel == 2);
    CHECK_FALSE(directions.columns[5].direction);
}

TEST_CASE("a prior is put on the scale of its unknown") {
    const Unknowns unknowns = build(
        {{.name = "Paint.metallic"},
         {.name = "Paint.roughness", .prior = ExpectedValue{.mean = {0.5}, .deviation = 0.1}}});

    REQUIRE(unknowns.prior);
    CHECK(unknowns.prior->precision[0] == 0);
    CHECK(unknowns.prior->expected[1] == Approx(std::log(0.5)));
    CHECK(unknowns.prior->precision[1] == Approx(25));
}

TEST_CASE("what cannot be an unknown is refused") {
    const auto refused = [](const std::vector<Parameter>& parameters, const std::string& what,
                            const std::vector<Exposure>& exposures = {}) {
        CHECK_THROWS_WITH(build(parameters, exposures), Catch::Contains(what));
    };
    refused({{.name = "Paint.rougness"}}, "Paint.roughness"); // what there is
    refused({{.name = "Paint.roughness"}, {.name = "Paint.roughness"}}, "twice");
    refused({{.name = "Paint.roughness", .tied = {"Paint.base_color"}}}, "3 numbers instead of 1");
    refused({{.name = "Paint.roughness", .bounds = Bounds{0.5, 0.5}}}, "bounds");
    refused({{.name = "Paint.roughness", .bounds = Bounds{0.5, 1}, .start = {0.2}}}, "within");
    refused({{.name = "Paint.roughness", .start = {0.2, 0.3}}}, "1 finite");
    refused({{.name = "Paint.metallic", .bounds = Bounds{0, 1}, .scale = scene::Scale::log}},
            "above 0");
    refused({{.name = "Paint.roughness", .prior = ExpectedValue{.mean = {0}, .deviation = 1}}},
            "prior");
    refused({}, "no observation", {{.observation = "dusk"}});
    refused({}, "two", {{.observation = "day"}, {}});
    refused({}, "bounds", {{.bounds = {0, 2}}});
    refused({}, "start", {{.start = 100}});
    const auto refused_light = [](const std::vector<LightParameter>& lights, const char* what) {
        CHECK_THROWS_WITH(build({}, {}, lights), Catch::Contains(what));
    };
    refused_light({{.light = "key"}, {.light = "key"}}, "twice");
    refused_light({{.light = "key", .bounds = {0, 2}}}, "LightParameter 'key': bounds");
    refused_light({{.light = "key", .start = 100}}, "LightParameter 'key': start");
}

} // namespace weft::fit
