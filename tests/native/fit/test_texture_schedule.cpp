// SPDX-License-Identifier: Apache-2.0
// How iterations move textures, when a loss has settled, and what of a texture is certain.
#include "fit/fitted_texture.hpp"
#include "fit/texture_schedule.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace weft::fit {
namespace {

TEST_CASE("coarse structure comes first, from half of the samples, and averages come last") {
    const StepSchedule first = texture_schedule(0, 60, 4);
    CHECK(first.blur == 6);
    CHECK(first.samples == 2);
    CHECK(first.momentum == 0.5);
    CHECK_FALSE(first.is_averaged);
    CHECK(texture_schedule(0, 60, 1).samples == 1);

    // 6 (1 - 2 * 25 / 60) = 1, and half a texel goes to the even radius.
    CHECK(texture_schedule(25, 60, 4).blur == 1);
    CHECK(texture_schedule(1, 8, 4).blur == 4); // 4.5
    CHECK(texture_schedule(3, 8, 4).blur == 2); // 1.5

    const StepSchedule middle = texture_schedule(24, 60, 4);
    CHECK(middle.samples == 4);
    CHECK(middle.momentum == 0);
    CHECK(middle.rate == 0.35);
    CHECK_FALSE(texture_schedule(29, 60, 4).is_averaged);
    CHECK(texture_schedule(30, 60, 4).is_averaged);
    CHECK(texture_schedule(30, 60, 4).blur == 0);
}

TEST_CASE("a loss has settled unless its last quarter is well below the one before") {
    std::vector<double> falling;
    for (int draw = 0; draw < 40; ++draw) {
        falling.push_back(10.0 / (draw + 1));
    }
    CHECK_FALSE(has_settled(falling, 0));
    CHECK(has_settled(falling, 100)); // small beside the noise of a draw
    CHECK(has_settled(std::vector<double>(40, 1.0), 0));
    CHECK_FALSE(has_settled(std::vector<double>{1, 1, 1, 1, 1, 1, 1}, 0)); // too few to tell
    std::vector<double> noisy(40, 1.0);
    for (std::size_t draw = 0; draw < 40; ++draw) {
        noisy[draw] += draw % 2 == 0 ? 0.9 : -0.9;
        noisy[draw] -= draw >= 30 ? 0.25 : 0.0;
    }
    CHECK(has_settled(noisy, 0)); // two standard errors explain it
}

TEST_CASE("a loss that still falls is not settled, however small it is by now") {
    std::vector<double> losses(8, 0.1);
    losses.insert(losses.end(), 8, 0.05);
    losses.insert(losses.end(), 8, 0.01);
    CHECK_FALSE(has_settled(losses, 0.01));

    std::fill(losses.begin() + 8, losses.end(), 0.01);
    CHECK(has_settled(losses, 0.01));
}

TEST_CASE("what is told of a texture is its variance over that and its errors") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    FittedTexture texture{.width = 2, .height = 2, .channels = 1};
    texture.pixels = {1, 3, 1, 50};
    texture.known = {1, 1, 1, 0};
    texture.errors = {1, 1, 1, kInfinity};
    // Variance of 1, 3, 1: 8 / 9. The fourth texel is not known.
    CHECK(told_share(texture) == Approx(8.0 / 9 / (8.0 / 9 + 1)));

    texture.known = {0, 0, 0, 0};
    CHECK(told_share(texture) == 0);
}

} // namespace
} // namespace weft::fit
