// SPDX-License-Identifier: Apache-2.0
// Fits of lights: what is found, derivatives beside differences, and what is refused.
#include "core/error.hpp"
#include "fit/lighting.hpp"
#include "fit/scalar_fit.hpp"
#include "fit/scalar_model.hpp"
#include "renderer_fixture.hpp"
#include "scene/light_changes.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

namespace weft::fit {
namespace {

using render::testing::RendererFixture;

/// A floor under a lamp, a square that shines, and a sky.
scene::Scene lit() {
    const auto floor = scene::material(
        "Floor", scene::closure("principled", {{"base_color", scene::Numbers{0.7, 0.5, 0.4}},
                                               {"roughness", 0.4}}));
    const auto glow = scene::material(
        "Glow.001", scene::closure("emission", {{"color", scene::Numbers{1, 0.8, 0.6}},
                                                {"strength", 3.0},
                                                {"both_sides", 1.0}}));
    scene::Scene scene;
    scene.objects = {
        scene::object({.mesh = render::testing::square(), .materials = {floor}, .name = "floor"}),
        scene::object({.mesh = render::testing::square(),
                       .materials = {glow},
                       .transform = {0, 0, -0.3, -1.2, 0, 0.5, 0, 0, 0.5, 0, 0, 0.6},
                       .name = "glow"})};
    scene.lights = {
        {.kind = scene::PointLight{.position = {0.8, 0.6, 1}, .power = 30, .radius = 0.1},
         .name = "key"}};
    scene.environment =
        std::make_shared<const scene::Environment>(scene::environment(scene::Rgb{0.3, 0.4, 0.5}));
    return scene;
}

scene::Camera camera() {
    scene::Camera out = render::testing::camera_above();
    out.width = out.height = 24;
    out.scale = 2.2;
    out.name = "above";
    return out;
}

/// The scene under its lamp alone, and under sky and glow alone.
std::vector<scene::Scene> in_turn() {
    scene::Scene lamp = lit();
    lamp.environment = nullptr;
    lamp = scene::with_light_factors(lamp, {{"Glow.001", {0, 0, 0}}});
    scene::Scene others = lit();
    others.lights.clear();
    return {lamp, others};
}

struct LightsFixture : RendererFixture {
    render::Renderer renderer_in_turn() {
        return {context, modules, files, lit(), {.message = [](std::string_view) {}}, in_turn()};
    }
    Observation photo(const scene::Scene& scene) {
        render::Renderer own = renderer(scene);
        return {.name = "photo",
                .camera = camera(),
                .image = own.render(camera(), {.samples = 512, .bounces = 3, .seed = 11}, {})};
    }
    FitState fit(const std::vector<Parameter>& parameters, const std::vector<Exposure>& exposures,
                 const std::vector<LightParameter>& lights, const Observation& observation) {
        render::Renderer own = renderer(lit());
        ScalarFit solver(own, {observation}, {parameters, exposures, lights}, {.bounces = 3});
        while (!solver.state().is_done) {
            solver.step();
        }
        return solver.state();
    }
    std::string refusal(const std::vector<Parameter>& parameters,
                        const std::vector<LightParameter>& lights, scene::Scene scene = lit()) {
        render::Renderer own = renderer(std::move(scene));
        const Observation grey{.camera = camera(), .image = std::vector<float>(24 * 24 * 3, 0.5F)};
        try {
            const ScalarFit solver(own, {grey}, {parameters, {}, lights}, {});
        } catch (const core::ArgumentError& error) {
            return error.what();
        }
        return "no error";
    }
};

const FittedValue& value(const FitState& state, const std::string& name) {
    const auto found = std::ranges::find(state.values, name, &FittedValue::name);
    REQUIRE(found != state.values.end());
    return *found;
}

void check(const FitState& state, const std::string& name, const Vector& expected) {
    const FittedValue& found = value(state, name);
    REQUIRE(found.value.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
        INFO(name << ' ' << i << ": " << found.value[i] << " +- " << found.error[i]);
        CHECK(std::abs(found.value[i] - expected[i]) < 0.02 * expected[i] + 4 * found.error[i]);
        CHECK(found.error[i] < 0.1 * expected[i]);
    }
}

TEST_CASE_METHOD(LightsFixture, "lamp, sky and a material that shines are found together") {
    const scene::Scene truth = scene::with_light_factors(
        lit(),
        {{"key", {2, 2, 2}}, {"Glow.001", {0.5, 0.5, 0.5}}, {"environment", {1.5, 1.2, 0.8}}});
    const FitState state =
        fit({{.name = "Floor.roughness", .start = {0.5}}}, {},
            {{.light = "key"}, {.light = "Glow.001"}, {.light = "environment", .color = true}},
            photo(truth));
    CHECK(state.has_converged);
    check(state, "key.factor", {2});
    check(state, "\"Glow.001\".factor", {0.5});
    check(state, "environment.factor", {1.5, 1.2, 0.8});
    check(state, "Floor.roughness", {0.4});
}

TEST_CASE_METHOD(LightsFixture, "the colour of a lamp is found beside an exposure of another") {
    const scene::Scene truth = scene::with_light_factors(lit(), {{"key", {3, 1.5, 0.75}}});
    const FitState state = fit({}, {}, {{.light = "key", .color = true}}, photo(truth));
    check(state, "key.factor", {3, 1.5, 0.75});
}

TEST_CASE_METHOD(LightsFixture, "derivatives are differences, for lights beside other numbers") {
    render::Renderer own = renderer(lit());
    const Observation observation = photo(lit());
    const std::vector<Parameter> parameters{{.name = "Floor.roughness"},
                                            {.name = "Floor.base_color"}};
    const std::vector<Exposure> exposures{{.observation = "photo"}};
    const std::vector<LightParameter> lights{
        {.light = "key"}, {.light = "Glow.001", .color = true}, {.light = "environment"}};
    const std::vector<std::string> names{observation.name};
    const Unknowns unknowns =
        build_unknowns(*own.tables()->materials(), parameters, exposures, names, lights);
    const UnknownDirections directions =
        unknowns.directions(own.tables()->materials()->values.size());
    std::vector<ViewPart> parts;
    const auto light = find_light_parts(own, {&observation, 1}, lights, parameters);
    for (const LightPart& part : light.front()) {
        parts.push_back({.recorder = own.create_recorder({0}, directions.rows, false, part.tables),
                         .light = part.light});
    }
    CHECK(parts.size() == 3); // nothing else shines
    std::vector<View> views;
    views.emplace_back(observation, std::move(parts), own.start_media(observation.camera));
    views.front().show_all();
    ScalarModel model(own.tables(), views, unknowns, {.samples = 8, .bounces = 3});

    const Vector x = unknowns.start;
    model.draw(x);
    const SamplePair pair = model.linearize(x);
    const std::vector<float> jacobian(pair.a.jacobian.begin(), pair.a.jacobian.end());
    const std::size_t count = pair.residual_count();
    constexpr double kStep = 2e-3;
    for (std::size_t k = 0; k < x.size(); ++k) {
        Vector above = x;
        Vector below = x;
        above[k] += kStep;
        below[k] -= kStep;
        const ResidualPair high = model.residuals(above);
        const std::vector<float> raised(high.a.begin(), high.a.end());
        const ResidualPair low = model.residuals(below);
        double apart = 0;
        double size = 0;
        for (std::size_t i = 0; i < count; ++i) {
            const double difference =
                (static_cast<double>(raised[i]) - static_cast<double>(low.a[i])) / (2 * kStep);
            const double derivative = jacobian[i * x.size() + k];
            apart += (difference - derivative) * (difference - derivative);
            size += difference * difference;
        }
        INFO("unknown " << k << ": " << std::sqrt(apart) << " of " << std::sqrt(size));
        CHECK(size > 0);
        CHECK(std::sqrt(apart) < 0.01 * std::sqrt(size));
    }
}

TEST_CASE_METHOD(LightsFixture, "pictures under lights in turn tell of each light apart") {
    const scene::LightFactors truth{
        {"key", {2, 2, 2}}, {"Glow.001", {0.5, 0.5, 0.5}}, {"environment", {1.5, 1.5, 1.5}}};
    std::vector<Observation> photos;
    for (std::size_t which = 0; which < 2; ++which) {
        scene::Scene scene = in_turn()[which];
        scene::LightFactors own = truth;
        std::erase_if(own, [&](const auto& entry) {
            const std::vector<std::string> names = scene::light_names(scene);
            return std::ranges::find(names, entry.first) == names.end();
        });
        photos.push_back(photo(scene::with_light_factors(scene, own)));
        photos.back().name = which == 0 ? "lamp" : "sky";
        photos.back().lights = which + 1;
    }
    render::Renderer own = renderer_in_turn();
    const Sought sought{
        .parameters = {{.name = "Floor.roughness", .start = {0.6}}},
        .lights = {{.light = "key"}, {.light = "Glow.001"}, {.light = "environment"}}};
    ScalarFit solver(own, photos, sought, {.bounces = 3});
    while (!solver.state().is_done) {
        solver.step();
    }
    const FitState state = solver.state();
    CHECK(state.has_converged);
    CHECK(solver.judge().level == VerdictLevel::explained);
    CHECK(solver.state().values.front().value == state.values.front().value);
    check(state, "key.factor", {2});
    check(state, "\"Glow.001\".factor", {0.5});
    check(state, "environment.factor", {1.5});
    check(state, "Floor.roughness", {0.4});
}

TEST_CASE_METHOD(LightsFixture, "pixels that nothing explains lose their say in photos") {
    const scene::Scene truth = scene::with_light_factors(lit(), {{"key", {2, 2, 2}}});
    Observation sticker = photo(truth);
    for (std::size_t pixel = 0; pixel < sticker.image.size() / kChannels; ++pixel) {
        if (pixel / 24 >= 8 && pixel / 24 < 12 && pixel % 24 >= 3 && pixel % 24 < 9) {
            sticker.image[pixel * kChannels] = 3; // red, 24 of 576 pixels
        }
    }
    const std::vector<Parameter> parameters{{.name = "Floor.base_color"}};
    const double squared =
        value(fit(parameters, {}, {{.light = "key"}}, sticker), "Floor.base_color").value[0];
    sticker.robust = true;
    const FitState robust = fit(parameters, {}, {{.light = "key"}}, sticker);
    check(robust, "key.factor", {2});
    check(robust, "Floor.base_color", {0.7, 0.5, 0.4});
    CHECK(std::abs(squared - 0.7) > 4 * std::abs(value(robust, "Floor.base_color").value[0] - 0.7));
}

TEST_CASE_METHOD(LightsFixture, "an observation has the lights that it names or those selected") {
    render::Renderer own = renderer_in_turn();
    const auto tables_of = [&own](std::optional<std::size_t> lights) {
        const Observation observation{.lights = lights};
        return find_light_parts(own, {&observation, 1}, {}, {}).front().front().tables;
    };
    CHECK(tables_of(std::nullopt) == own.lit_tables(0));
    CHECK(tables_of(2) == own.lit_tables(2));
    own.select_lights(1);
    CHECK(tables_of(std::nullopt) == own.lit_tables(1));
    CHECK(tables_of(0) == own.lit_tables(0));
    CHECK_THROWS_WITH(tables_of(3), ContainsSubstring("lights 0 to 2 can be selected, got 3"));
}

TEST_CASE_METHOD(LightsFixture, "lights that no picture shows are refused, and dark pictures") {
    render::Renderer own = renderer_in_turn();
    const auto message = [&own](std::size_t lights, const std::string& light,
                                const std::vector<Parameter>& parameters) -> std::string {
        const std::vector<Observation> shown{{.name = "photo", .lights = lights}};
        const std::vector<LightParameter> wanted{{.light = light}};
        try {
            static_cast<void>(find_light_parts(own, shown, wanted, parameters));
        } catch (const core::ArgumentError& error) {
            return error.what();
        }
        return "no error";
    };
    CHECK_THAT(message(2, "key", {}), ContainsSubstring("'key' shines in no observation"));
    CHECK_THAT(message(2, "lamp", {}), ContainsSubstring("there are environment, Glow.001"));
    CHECK_THAT(message(1, "key", {{.name = "\"Glow.001\".strength"}}),
               ContainsSubstring("which an observation leaves dark"));
    scene::Scene night = in_turn().front();
    night.lights.clear();
    own.update(lit(), {night});
    CHECK_THAT(message(1, "key", {}), ContainsSubstring("'photo': nothing shines in it"));
}

TEST_CASE_METHOD(LightsFixture, "lights that are none, or two, or fitted twice are refused") {
    CHECK_THAT(refusal({}, {{.light = "keys"}}),
               ContainsSubstring("no light of the scene is called 'keys'") &&
                   ContainsSubstring("key, environment, Glow.001"));
    CHECK_THAT(refusal({}, {{.light = "key"}, {.light = "key"}}),
               ContainsSubstring("'key' is given twice"));
    CHECK_THAT(refusal({}, {{.light = "key", .start = 100}}),
               ContainsSubstring("start must lie within the bounds"));
    CHECK_THAT(refusal({}, {{.light = "key", .bounds = {0, 1}}}), ContainsSubstring("bounds"));
    CHECK_THAT(refusal({{.name = "\"Glow.001\".strength"}}, {{.light = "Glow.001"}}),
               ContainsSubstring("changes the light of 'Glow.001'"));
    scene::Scene twins = lit();
    twins.lights.push_back(twins.lights.front());
    CHECK_THAT(refusal({}, {{.light = "key"}}, twins), ContainsSubstring("2 lights"));
}

} // namespace
} // namespace weft::fit
