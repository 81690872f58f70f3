// SPDX-License-Identifier: Apache-2.0
// Scenes inside of a box that stands for the unknown environment, and what is refused.
#include "core/error.hpp"
#include "fit/unknown_environment.hpp"
#include "scene/input_changes.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace weft::fit {

namespace {

/// A triangle two metres to the right.
scene::Scene described() {
    scene::Mesh triangle;
    triangle.positions = std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0};
    triangle.triangles = std::vector<std::uint32_t>{0, 1, 2};
    scene::Scene out;
    out.objects = {scene::object({.mesh = scene::mesh(triangle),
                                  .materials = {scene::material("grey", scene::closure("diffuse"))},
                                  .transform = {1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 0}})};
    out.environment =
        std::make_shared<const scene::Environment>(scene::environment(scene::Rgb{1, 1, 1}));
    return out;
}

/// Two pixels.
Observation observation(std::vector<float> image, double far = 100) {
    Observation out{.image = std::move(image)};
    out.camera.width = 2;
    out.camera.far = far;
    out.camera.name = "front";
    return out;
}

std::string refusal(const EnvironmentParameter& parameter, const Observation& seen) {
    try {
        static_cast<void>(with_unknown_environment(described(), parameter, std::vector{seen}));
    } catch (const core::ArgumentError& error) {
        return error.what();
    }
    return "no error";
}

} // namespace

TEST_CASE("a box around the scene takes the place of its environment") {
    const scene::Scene plain = described();

    const scene::Scene boxed = with_unknown_environment(
        plain, {.width = 16, .height = 8, .name = "sky"},
        std::vector{observation({1, 2, 3, 3, 4, 5}), observation({4, 1, 0, 4, 1, 0})});

    CHECK(boxed.environment == nullptr);
    CHECK(plain.environment != nullptr);
    REQUIRE(boxed.objects.size() == 2);
    CHECK(boxed.objects[0].mesh == plain.objects[0].mesh);
    const scene::Object& box = boxed.objects[1];
    CHECK(box.name == "sky");
    // From the camera in the origin to the triangle's far corner at (3, 1, 0): a hundred times the diagonal.
    const auto [low, high] = std::ranges::minmax(box.mesh->positions.values);
    CHECK(low == Approx(-100 * std::sqrt(10.0)));
    CHECK(high == Approx(1.5 + 100 * std::sqrt(10.0)));
    CHECK(box.mesh->triangle_count() == 12);
    // The mean of the pictures' means: (3, 2, 2).
    const scene::InputValues inputs = scene::inputs_of(boxed);
    CHECK(std::get<double>(inputs.at("sky.strength")) == Approx(3));
    const auto& texture = std::get<std::shared_ptr<scene::Texture>>(inputs.at("sky.color"));
    CHECK((texture->width == 16 && texture->height == 8 && texture->channels == 3));
    CHECK(texture->pixels[0] == 1);
    CHECK(texture->pixels[1] == Approx(2.0 / 3));
    CHECK(texture->pixels[2] == Approx(2.0 / 3));
}

TEST_CASE("a fit of the environment begins where it is told, and where pixels count") {
    Observation masked = observation({1, 2, 3, 9, 9, 9});
    masked.mask = {1, 0};
    const auto strength = [](const EnvironmentParameter& parameter, const Observation& seen) {
        const scene::Scene boxed =
            with_unknown_environment(described(), parameter, std::vector{seen});
        return std::get<double>(scene::inputs_of(boxed).at("environment.strength"));
    };

    CHECK(strength({}, masked) == Approx(3));
    CHECK(strength({.start = scene::Rgb{0.5, 0.25, 0.5}}, masked) == 0.5);
    CHECK(strength({}, observation({0, 0, 0, 0, 0, 0})) == 1e-6);
}

TEST_CASE("environments that cannot be looked for are refused") {
    const Observation grey = observation({1, 1, 1, 1, 1, 1});
    const double none = std::numeric_limits<double>::quiet_NaN();

    CHECK_THAT(refusal({.width = 4, .height = 2}, grey),
               ContainsSubstring("EnvironmentParameter 'environment': width and height must be "
                                 "integers from 8 x 4 to 512 x 256, got 4 x 2"));
    CHECK_THAT(refusal({.width = 1024}, grey), ContainsSubstring("got 1024 x 16"));
    CHECK_THAT(refusal({.start = scene::Rgb{1, 0, 1}}, grey),
               ContainsSubstring("start must be finite numbers above 0, got 1, 0, 1"));
    CHECK_THAT(refusal({.smoothness = none}, grey),
               ContainsSubstring("smoothness must be a finite number from 0"));
    CHECK_THAT(refusal({.name = "grey"}, grey),
               ContainsSubstring("a material is called 'grey' as the unknown environment is"));
    CHECK_THAT(refusal({}, observation({1, 1, 1, 1, 1, 1}, 3)),
               ContainsSubstring("camera 'front' sees 3 m far and the scene reaches 3.16"));
    CHECK(refusal({}, observation({1, 1, 1, 1, 1, 1}, 3.2)) == "no error");
}

} // namespace weft::fit
