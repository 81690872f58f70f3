// SPDX-License-Identifier: Apache-2.0
// Scenes that are described in C++ and rendered without Python.
#include "core/error.hpp"
#include "renderer_fixture.hpp"

#include <algorithm>
#include <numeric>

namespace weft::render {
namespace {

using testing::camera_above;
using testing::furnace;
using testing::RendererFixture;
using testing::square;

double mean(const std::vector<float>& pixels) {
    return std::accumulate(pixels.begin(), pixels.end(), 0.0) / static_cast<double>(pixels.size());
}

TEST_CASE_METHOD(RendererFixture, "a white surface under a white sky cannot be seen") {
    Renderer own = renderer(furnace());

    const std::vector<float> image = own.render(camera_above(), settings, {});

    REQUIRE(image.size() == 8 * 8 * 3);
    CHECK(mean(image) == Approx(1).margin(0.01));
    CHECK(image.front() == Approx(1)); // beside the square
    CHECK(messages.empty());
    const std::vector<std::string> names{"alpha", "depth", "object"};
    const std::vector<Layer> layers = own.layers(camera_above(), settings, names, {});
    CHECK(mean(layers[0].pixels) == Approx(0.25).margin(1e-6));
    CHECK(layers[1].pixels[8 * 4 + 4] == Approx(2));
    CHECK(std::ranges::count(layers[2].pixels, 0.0F) == 16);
    const std::vector<std::string> unknown{"glow"};
    CHECK_THROWS_WITH(static_cast<void>(own.layers(camera_above(), settings, unknown, {})),
                      ContainsSubstring("no AOV 'glow'"));
}

TEST_CASE_METHOD(RendererFixture, "an update shows the other scene and leaves what is the same") {
    scene::Scene scene = furnace();
    Renderer own = renderer(scene);
    const std::vector<float> before = own.render(camera_above(), settings, {});
    const Tracer* const tracer = own.film().scene().tracer.get();
    const std::size_t loaded = own.film().modules()->load_count();

    scene.objects.front().transform[3] = 0.5;
    scene.lights = {{.kind = scene::PointLight{.position = {0, 0, 1}, .power = 50}, .name = "key"}};
    own.update(scene);
    const std::vector<float> moved = own.render(camera_above(), settings, {});
    own.update(furnace());

    CHECK(mean(moved) > 1.05 * mean(before));
    CHECK(own.film().scene().tracer.get() == tracer);
    CHECK(own.render(camera_above(), settings, {}) == before);
    CHECK(own.film().modules()->load_count() > loaded); // an analytic light is another kind
}

TEST_CASE_METHOD(RendererFixture, "a failed update leaves the scene as it was") {
    Renderer own = renderer(furnace());
    const std::vector<float> before = own.render(camera_above(), settings, {});
    scene::Scene twins = furnace();
    twins.objects.push_back(furnace().objects.front());

    CHECK_THROWS_WITH(own.update(twins), ContainsSubstring("2 materials are called 'White'"));
    twins.objects.pop_back();
    twins.lights = {{.kind = scene::SunLight{.direction = {0, 0, 0}}, .name = "sun"}};
    CHECK_THROWS_AS(own.update(twins), core::ArgumentError);

    CHECK(own.render(camera_above(), settings, {}) == before);
}

TEST_CASE_METHOD(RendererFixture, "textures, emissive meshes and media are rendered") {
    std::vector<float> checks;
    for (int k = 0; k < 16; ++k) {
        checks.insert(checks.end(), 3, (k + k / 4) % 2 == 0 ? 0.9F : 0.1F);
    }
    const auto image = scene::texture(std::move(checks), 4, 4, 3);
    const auto glow =
        scene::material("Glow", scene::closure("emission", {{"color", image}, {"strength", 2.0}}));
    const auto fog =
        scene::material("Fog", scene::closure("transparent"),
                        scene::closure("medium", {{"scattering", scene::Numbers{0.2, 0.2, 0.2}}}));
    scene::Scene scene;
    scene.objects = {scene::object({.mesh = square(), .materials = {glow}, .name = "emitter"}),
                     scene::object({.mesh = square(0.5), .materials = {fog}, .name = "fog"})};
    Renderer own = renderer(scene);

    const double seen = mean(own.render(camera_above(), settings, {}));

    CHECK(seen > 0.15); // a quarter of the pixels, half white, twice .9, less what the fog takes
    CHECK(seen < 0.26);
    CHECK(own.memory(camera_above(), settings) > 1 << 20);
    CHECK(messages.empty());
    scene.objects.clear();
    own.update(furnace());
    scene::Scene dark = furnace();
    dark.environment = nullptr;
    own.update(dark);
    REQUIRE(messages.size() == 1);
    CHECK_THAT(messages.front(), ContainsSubstring("has no light"));
    CHECK(mean(own.render(camera_above(), settings, {})) == 0);
}

TEST_CASE_METHOD(RendererFixture, "tables of BSDFs that are not there are named") {
    files.bsdf_tables = "nowhere.npy";

    CHECK_THROWS_WITH(renderer(furnace()), ContainsSubstring("nowhere.npy"));
}

} // namespace
} // namespace weft::render
