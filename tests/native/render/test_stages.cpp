// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "fixture.hpp"
#include "render/film_tracer.hpp"
#include "scene/layouts.hpp"

#include <array>
#include <bit>
#include <memory>
#include <vector>

namespace weft::render {
namespace {

using testing::Fixture;

/// A square around the origin, in the plane z = 0.
std::shared_ptr<Tracer> square_tracer(const dispatch::Context& context) {
    static const std::array<float, 12> positions{-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    static const std::array<std::uint32_t, 6> triangles{0, 1, 2, 0, 2, 3};
    scene::Geometry geometry;
    geometry.meshes.push_back({positions, triangles});
    geometry.instances.push_back(
        {.mesh = 0, .object_to_world = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0}});
    return create_tracer(context, geometry);
}

/// Looks down at the square from z = 2: two pixels see it, four look past it.
scene::Camera camera_above() {
    scene::Camera camera{.width = 6, .height = 1, .kind = scene::CameraKind::orthographic};
    camera.scale = 6;
    camera.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2};
    return camera;
}

compile::ModuleDesc options_for(const device::Device& device) {
    compile::ModuleDesc options;
    options.target = device.target();
    return options;
}

TEST_CASE_METHOD(Fixture, "a camera without a scene's tables still finds what pixels show") {
    FilmTracer film(context, options_for(*device));
    const scene::SceneTraits traits;
    film.set_scene({.tracer = square_tracer(context),
                    .modules = std::make_shared<SceneModules>(film.modules(),
                                                              std::vector<ProgramRef>(), traits)});
    const KernelArgument view;
    const scene::LightPaths limits;
    for (const std::int64_t batch : {std::int64_t{1000}, std::int64_t{4}}) {
        film.batch = batch;

        const CentreHits hits = film.centre_hits({view, limits, {}}, camera_above());

        REQUIRE(hits.instances.size() == 6);
        for (std::size_t pixel = 0; pixel < 6; pixel++) {
            CHECK((hits.instances[pixel] == kNoInstance) == (pixel != 2 && pixel != 3));
        }
    }
    CHECK(film.capacity() == 256);
    film.forget_paths();
    CHECK(film.capacity() == 0);
}

TEST_CASE_METHOD(Fixture, "rays of an orthographic camera begin at the centres of its pixels") {
    FilmTracer film(context, options_for(*device));
    const scene::SceneTraits traits;
    film.set_scene({.tracer = square_tracer(context),
                    .modules = std::make_shared<SceneModules>(film.modules(),
                                                              std::vector<ProgramRef>(), traits)});
    const PathSettings settings{.samples = 1, .filter_width = 1e-6};
    const KernelArgument view;
    const scene::LightPaths limits;
    const std::shared_ptr<PathBuffers> paths = film.buffers(6);

    film.generate({view, limits, {}}, camera_above(), settings, *paths,
                  step_settings(settings, limits, {0, 6}, {0, 1}), 6);

    const std::size_t capacity = paths->capacity();
    const auto words = testing::read_words(*paths->rays(), capacity * scene::layouts::RayRow::kEnd);
    for (std::size_t pixel = 0; pixel < 6; pixel++) {
        const auto x = std::bit_cast<float>(words[pixel]);
        CHECK(x == Approx(static_cast<double>(pixel) - 2.5).margin(1e-5));
        const std::size_t row = scene::layouts::RayRow::kDirection + 2;
        CHECK(std::bit_cast<float>(words[row * capacity + pixel]) == Approx(-1));
    }
}

TEST_CASE_METHOD(Fixture, "modules are found by their text, and the oldest go") {
    ModuleCache cache(context, options_for(*device));
    const auto load = [&](int number) {
        return cache.load("m", "int f() { return " + std::to_string(number) + "; }", 2);
    };

    const StageModuleRef first = load(1);
    static_cast<void>(load(2));
    CHECK(load(1) == first);
    static_cast<void>(load(3)); // 2 was asked for longest ago
    CHECK(load(1) == first);
    CHECK(cache.load_count() == 3);
    static_cast<void>(load(2));
    CHECK(cache.load_count() == 4);
}

TEST_CASE("cameras measure their film along the side that fits, and refuse what they cannot show") {
    scene::Camera camera = camera_above();
    const scene::Film film = scene::film_of(camera);
    camera.shift = {0.5, 0};

    CHECK(film.high[0] == Approx(3));
    CHECK(film.high[1] == Approx(0.5));
    CHECK(scene::film_of(camera).low[0] == Approx(0));
    camera.height = 0;
    CHECK_THROWS_WITH(scene::require_valid(camera), ContainsSubstring("6 x 0"));
    camera = camera_above();
    camera.fov = 4;
    CHECK_THROWS_AS(scene::require_valid(camera), core::ArgumentError);
}

} // namespace
} // namespace weft::render
