// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/environment.hpp"
#include "scene/light_rows.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::layouts;
using std::numbers::pi;

namespace {

using Images = std::vector<std::span<const float>>;

std::vector<float> random_image(std::uint32_t width, std::uint32_t height, unsigned seed = 3) {
    std::mt19937 random(seed);
    std::lognormal_distribution<float> bright(0, 2);
    std::vector<float> image(std::size_t{3} * width * height);
    std::ranges::generate(image, [&] { return bright(random); });
    return image;
}

double density(const EnvironmentImages& made, std::size_t pixel) {
    return static_cast<double>(std::bit_cast<float>(made.alias[pixel][2]));
}

} // namespace

TEST_CASE("an environment takes its image, and copies share it") {
    const Environment sky = environment({1, 2, 3, 4, 5, 6}, 2, 1);
    const Environment turned = sky;
    CHECK(turned.image.data() == sky.image.data());
    CHECK(turned.owner == sky.owner);
    CHECK(sky.image[5] == 6);
    CHECK(environment(Rgb{0.5, 0.25, 1}).image[1] == 0.25F);
    CHECK_THROWS_AS(environment({1, 2, 3}, 2, 1), core::ArgumentError);
    CHECK_THROWS_AS(environment({1, -2, 3}, 1, 1), core::ArgumentError);
}

TEST_CASE("the density of pixels integrates to one, and is what the alias table draws") {
    const std::vector<float> image = random_image(33, 17);
    const EnvironmentImages made = build_environment_images(Images{image}, 33, 17);

    REQUIRE(made.pixel_count == 33 * 17);
    const auto count = static_cast<double>(made.pixel_count);
    std::vector<double> drawn(made.pixel_count);
    double total = 0;
    for (std::size_t i = 0; i < drawn.size(); i++) {
        const auto kept = static_cast<double>(std::bit_cast<float>(made.alias[i][0]));
        drawn[i] += kept;
        drawn[made.alias[i][1]] += 1 - kept;
        total += density(made, i) / count;
    }
    CHECK(total == Approx(1).epsilon(1e-6));
    for (std::size_t i = 0; i < drawn.size(); i++) {
        CHECK(drawn[i] == Approx(density(made, i)).epsilon(1e-5).margin(1e-5));
    }
}

TEST_CASE("every pixel that interpolation lights may be drawn, across the seam, too") {
    std::vector<float> image(3 * 8 * 6, 0.0F);
    image[3 * (2 * 8 + 0)] = 5; // row 2 from the top, column 0
    const EnvironmentImages made = build_environment_images(Images{image}, 8, 6);

    for (std::size_t row = 0; row < 6; row++) { // from the bottom
        for (std::size_t column = 0; column < 8; column++) {
            const bool is_near = row >= 2 && row <= 4 && (column <= 1 || column == 7);
            CHECK((density(made, row * 8 + column) > 0) == is_near);
        }
    }
    CHECK(density(made, 3 * 8) == Approx(2 * density(made, 3 * 8 + 1)));
}

TEST_CASE("a black image is drawn evenly over all directions") {
    const std::vector<float> image(3 * 4 * 8, 0.0F);
    const EnvironmentImages made = build_environment_images(Images{image}, 4, 8);

    CHECK(made.mean == 0);
    for (std::size_t row = 0; row < 8; row++) {
        const double cosine = std::cos(pi * ((static_cast<double>(row) + 0.5) / 8 - 0.5));
        CHECK(density(made, row * 4) / density(made, 0) ==
              Approx(cosine / std::cos(pi * (0.5 / 8 - 0.5))));
    }
}

TEST_CASE("the mean of an image is that over the sphere") {
    std::vector<float> image(3 * 2 * 64, 0.0F);
    for (std::size_t k = 0; k < image.size() / 2; k++) { // the upper half: brightness 2
        image[k] = 2;
    }
    CHECK(build_environment_images(Images{image}, 2, 64).mean == Approx(1));
}

TEST_CASE("texels lie from the bottom row up, one image after the other") {
    const std::vector<float> first = random_image(5, 3, 1);
    const std::vector<float> second = random_image(5, 3, 2);
    const EnvironmentImages made = build_environment_images(Images{first, second}, 5, 3);

    REQUIRE(made.texel_count == 2 * first.size());
    CHECK(std::equal(first.end() - 15, first.end(), made.texels.get()));
    CHECK(std::equal(second.begin(), second.begin() + 15, made.texels.get() + 45 + 30));
}

TEST_CASE("kinds of ray see their own image, and nothing of what is hidden from them") {
    Environment sky{.hidden_from = RayKind::kGlossy};
    sky.views = {{.kind = 0}, {.kind = 2}}; // camera, diffuse transmission
    const EnvironmentPlacement placed = place_environment(sky);

    CHECK(placed.layers == std::array<std::uint32_t, 7>{1, 0, 2, kNoLight, 0, kNoLight, 0});
    CHECK_FALSE(placed.is_sampled);
    CHECK_FALSE(environment_power(placed, 1, 2));
    CHECK(place_environment({.hidden_from = RayKind::kCamera}).is_sampled);
}

TEST_CASE("the power of an environment is what crosses the disc of the scene from everywhere") {
    const EnvironmentPlacement placed = place_environment({.strength = {2, 2, 2}});
    CHECK(*environment_power(placed, 0.5, 3) == Approx(pi * pi * 9));
    CHECK_FALSE(environment_power(placed, 0, 3));
}

TEST_CASE("a rotation is undone by its transpose") {
    const EnvironmentPlacement placed =
        place_environment({.rotation = {0, 1, 0, -1, 0, 0, 0, 0, 1}});
    CHECK(placed.to_world == std::array<float, 9>{0, -1, 0, 1, 0, 0, 0, 0, 1});
}

TEST_CASE("images that cannot be are refused") {
    const float nan = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_WITH(require_radiance("Environment 'Sky'", std::vector{1.0F, nan}),
                      ContainsSubstring("Environment 'Sky': radiance must be finite"));
    CHECK_THROWS_AS(require_radiance("Environment 'Sky'", std::vector{-1.0F}), core::ArgumentError);
    const std::vector<float> bad{1, 2, nan};
    CHECK_THROWS_AS(build_environment_images(Images{bad}, 1, 1), core::ArgumentError);
    CHECK_THROWS_WITH(build_environment_images(Images{bad}, 2, 1),
                      ContainsSubstring("got 3 numbers"));
    CHECK_THROWS_AS(build_environment_images({}, 2, 1), core::ArgumentError);
    CHECK_THROWS_AS(place_environment({.strength = {1, 1, std::nan("")}}), core::ArgumentError);
}
