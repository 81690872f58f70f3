// SPDX-License-Identifier: Apache-2.0
// Fits of an unknown environment: what is found, what it cannot be told from, and what is refused.
#include "core/error.hpp"
#include "fit/environment_search.hpp"
#include "fit/texture_fit.hpp"
#include "renderer_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace weft::fit {
namespace {

constexpr std::uint32_t kWidth = 16;
constexpr std::uint32_t kHeight = 8;

/// Waves around, brighter below, and a sun to one side: no two directions are alike.
std::vector<float> sky() {
    std::vector<float> out;
    for (std::uint32_t y = 0; y < kHeight; ++y) {
        for (std::uint32_t x = 0; x < kWidth; ++x) {
            const double u = (x + 0.5) / kWidth;
            const double v = (y + 0.5) / kHeight;
            const double sun = 2 * std::exp(-(std::pow(u - 0.3, 2) + std::pow(v - 0.25, 2)) / 0.02);
            const double turn = 2 * std::numbers::pi * u;
            for (const double value :
                 {0.5 + 0.4 * std::sin(turn), 0.6 + 0.3 * std::cos(turn), 0.3 + 0.6 * v}) {
                out.push_back(static_cast<float>(value + sun));
            }
        }
    }
    return out;
}

/// A grey square under what sees in all directions.
scene::Scene square_under(std::shared_ptr<const scene::Environment> environment) {
    scene::Scene out;
    out.objects = {scene::object(
        {.mesh = render::testing::square(),
         .materials = {scene::material(
             "Grey", scene::closure("diffuse", {{"color", scene::Numbers{0.4, 0.4, 0.4}}}))}})};
    out.environment = std::move(environment);
    return out;
}

scene::Camera all_around() {
    scene::Camera out{.width = 48, .height = 24, .kind = scene::CameraKind::equirectangular};
    out.transform = {1, 0, 0, 0, 0, 0, -1, 0, 0, 1, 0, 1.5};
    out.far = 50;
    return out;
}

struct EnvironmentFixture : render::testing::RendererFixture {
    EnvironmentParameter parameter{.width = kWidth, .height = kHeight, .smoothness = 0.01};
    std::vector<Observation> observations{
        {.camera = all_around(), .image = std::vector<float>(std::size_t{48} * 24 * 3, 0.5F)}};

    render::Renderer boxed() {
        return renderer(with_unknown_environment(square_under(nullptr), parameter, observations));
    }
    /// What the brightness cannot be told from, if nothing but the square is seen.
    std::string undetermined(Sought sought) {
        render::Renderer own = boxed();
        const render::CentreHits hits = own.centre_hits(all_around());
        observations[0].mask.clear();
        for (const std::uint32_t instance : hits.instances) {
            observations[0].mask.push_back(instance == 0 ? 1.0F : 0.0F);
        }
        sought.environment = parameter;
        const EnvironmentSearch search(own, observations, std::move(sought));
        const FittedTexture flat{.width = kWidth,
                                 .height = kHeight,
                                 .channels = 3,
                                 .pixels =
                                     std::vector<float>(std::size_t{kWidth} * kHeight * 3, 1.0F)};
        return search.found(flat).undetermined;
    }
    std::string refusal(render::Renderer& own, Sought sought) {
        sought.environment = parameter;
        try {
            const EnvironmentSearch search(own, observations, std::move(sought));
        } catch (const core::ArgumentError& error) {
            return error.what();
        }
        return "no error";
    }
};

} // namespace

TEST_CASE_METHOD(EnvironmentFixture, "an environment is found from a picture of all directions") {
    const std::vector<float> truth = sky();
    const auto known =
        std::make_shared<const scene::Environment>(scene::environment(truth, kWidth, kHeight));
    observations[0].image =
        renderer(square_under(known))
            .render(all_around(), {.samples = 256, .bounces = 2, .seed = 11}, {});
    render::Renderer own = boxed();
    EnvironmentSearch search(own, observations, {.environment = parameter});
    REQUIRE(search.sought().textures.size() == 1);
    CHECK(std::isinf(observations[0].camera.far));

    TextureFit solver(own, observations, search.sought().textures,
                      {.bounces = 2, .texture_iterations = 40});
    while (!solver.state().is_done) {
        solver.step();
    }
    const FittedEnvironment found = search.found(solver.textures().front());

    CHECK(found.undetermined.empty());
    CHECK(found.environment.name == "environment");
    REQUIRE((found.environment.width == kWidth && found.environment.height == kHeight));
    double apart = 0;
    double whole = 0;
    // The square hides some of what is below.
    for (std::size_t i = 0; i < truth.size() / 2; ++i) {
        const std::size_t y = i / 3 / kWidth;
        const double row = static_cast<double>(y) + 0.5;
        const double weight = std::sin(std::numbers::pi * row / kHeight);
        apart += weight * std::pow(found.environment.image[i] - truth[i], 2);
        whole += weight * std::pow(truth[i], 2);
    }
    // What noise and the prior leave; a turned or mirrored sky would be apart by more than a half.
    CHECK(std::sqrt(apart / whole) < 0.1);
}

TEST_CASE_METHOD(EnvironmentFixture, "what the brightness cannot be told from is said") {
    const Parameter color{.name = "Grey.color"};
    Parameter expected = color;
    expected.prior = ExpectedValue{.mean = {0.4, 0.4, 0.4}, .deviation = 0.01};

    CHECK_THAT(undetermined({.parameters = {color}}), ContainsSubstring("base colours trade off"));
    CHECK(undetermined({.parameters = {expected}}).empty());
    CHECK(undetermined({}).empty());
    CHECK_THAT(undetermined({.exposures = {{}}}), ContainsSubstring("exposures trade off"));
    CHECK(undetermined({.exposures = {{.observation = "another"}}}).empty());
}

TEST_CASE_METHOD(EnvironmentFixture,
                 "a fit asks for the box, and for one who finds its brightness") {
    render::Renderer plain = renderer(square_under(nullptr));
    CHECK_THAT(refusal(plain, {}), ContainsSubstring("fit::with_unknown_environment()"));

    render::Renderer own = boxed();
    CHECK_THAT(refusal(own, {.lights = {{.light = "environment"}}}),
               ContainsSubstring("an EnvironmentParameter looks for 'environment', its brightness "
                                 "included; leave out the LightParameter"));
    CHECK(refusal(own, {}) == "no error");
    parameter.height = 3;
    CHECK_THAT(refusal(own, {}), ContainsSubstring("got 16 x 3"));
}

} // namespace weft::fit
