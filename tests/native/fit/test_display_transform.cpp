// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "fit/display_transform.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <vector>

namespace weft::fit {

namespace {

constexpr std::size_t kEntries = 33;
constexpr std::array<std::array<double, 3>, 3> kMix{
    {{0.86, 0.10, 0.04}, {0.12, 0.78, 0.10}, {0.08, 0.08, 0.84}}};

/// A curve with a shoulder, after channels were mixed: bright colours fade to white.
std::array<double, 3> filmic(const double* light) {
    std::array<double, 3> out{};
    for (std::size_t i = 0; i < 3; ++i) {
        const double mixed = kMix[i][0] * light[0] + kMix[i][1] * light[1] + kMix[i][2] * light[2];
        out[i] = std::pow(mixed / (mixed + 0.6), 1 / 2.2);
    }
    return out;
}

DisplayTransform filmic_display() {
    const std::vector<double> axis = DisplayTransform::light_at(kEntries);
    std::vector<float> table;
    for (const double red : axis) {
        for (const double green : axis) {
            for (const double blue : axis) {
                const std::array<double, 3> light{red, green, blue};
                for (const double value : filmic(light.data())) {
                    table.push_back(static_cast<float>(value));
                }
            }
        }
    }
    return {std::move(table), kEntries};
}

/// Colours of many brightnesses, from 2^-7 to 8.
std::vector<double> colors(std::size_t count) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> stops(-7, 3);
    std::uniform_real_distribution<double> channel(0.05, 1);
    std::vector<double> out;
    for (std::size_t pixel = 0; pixel < count; ++pixel) {
        const double brightness = std::exp2(stops(random));
        for (int c = 0; c < 3; ++c) {
            out.push_back(brightness * channel(random));
        }
    }
    return out;
}

} // namespace

TEST_CASE("a display shows the curve that its table was made of, to a step of 8 bits") {
    const DisplayTransform display = filmic_display();
    const std::vector<double> light = colors(2000);

    const std::vector<double> shown = display.apply(light);

    double worst = 0;
    for (std::size_t i = 0; i < light.size(); ++i) {
        worst = std::max(worst, std::abs(shown[i] - filmic(&light[i / 3 * 3])[i % 3]));
    }
    CHECK(worst < 1.0 / 255);
}

TEST_CASE("entries of a table are shown as they are, and light beyond its ends as at them") {
    const DisplayTransform display({0, 0, 0, 0, 0, 0.5, 0, 0.25, 0, 0, 0.25, 0.5, //
                                    1, 0, 0, 1, 0, 0.5, 1, 0.25, 0, 1, 0.25, 0.5},
                                   2, {.high = 4, .toe = 1});

    CHECK(display.apply(std::vector<double>{4, 0, 4, 9, -1, 0, 0, 4, 0}) ==
          std::vector<double>{1, 0, 0.5, 1, 0, 0, 0, 0.25, 0});
    CHECK(display.smallest() == DisplayTransform::Color{0, 0, 0});
    CHECK(display.largest() == DisplayTransform::Color{1, 0.25, 0.5});
    // half of the axis is where 1 + light is the root of 1 + 4
    const double middle = std::sqrt(5.0) - 1;
    CHECK(display.apply(std::vector<double>{middle, middle, middle})[1] ==
          Approx(0.125).epsilon(1e-12));
}

TEST_CASE("derivatives of a display are those of differences") {
    const DisplayTransform display = filmic_display();
    const std::vector<double> light = colors(400);
    constexpr double kStep = 1e-6;

    const std::vector<double> found = display.derivative(light);

    double largest = 0;
    for (const double value : found) {
        largest = std::max(largest, std::abs(value));
    }
    std::size_t near = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
        std::vector<double> low = light;
        std::vector<double> high = light;
        for (std::size_t pixel = 0; pixel < light.size() / 3; ++pixel) {
            low[pixel * 3 + axis] -= kStep;
            high[pixel * 3 + axis] += kStep;
        }
        const std::vector<double> before = display.apply(low);
        const std::vector<double> after = display.apply(high);
        for (std::size_t i = 0; i < light.size(); ++i) {
            const double measured = (after[i] - before[i]) / (2 * kStep);
            near += std::abs(measured - found[i * 3 + axis]) < 1e-6 * largest ? 1 : 0;
        }
    }
    // A difference across a face of two tetrahedra is the mean of their slopes; few lie so near to one.
    CHECK(static_cast<double>(near) > 0.995 * static_cast<double>(found.size()));
}

TEST_CASE("light outside of a display's table changes nothing") {
    const DisplayTransform display = filmic_display();

    const std::vector<double> found = display.derivative(std::vector<double>{-0.1, 0.5, 65});

    for (std::size_t channel = 0; channel < 3; ++channel) {
        CHECK(found[channel * 3] == 0);
        CHECK(found[channel * 3 + 1] > 0);
        CHECK(found[channel * 3 + 2] == 0);
    }
}

TEST_CASE("the light of display values is found again") {
    const DisplayTransform display = filmic_display();
    const std::vector<double> light = colors(2000);

    const DisplayedLight found = display.invert(display.apply(light));

    double worst = 0;
    for (std::size_t i = 0; i < light.size(); ++i) {
        const double* const own = &light[i / 3 * 3];
        worst =
            std::max(worst, std::abs(found.light[i] - light[i]) / *std::max_element(own, own + 3));
    }
    CHECK(worst < 0.01);
    CHECK(std::ranges::count(found.is_shown, true) == 2000);
}

TEST_CASE("colours that a display never shows are told, as are values that are no numbers") {
    const DisplayTransform display = filmic_display();
    const double none = std::numeric_limits<double>::quiet_NaN();
    const double infinity = std::numeric_limits<double>::infinity();

    const DisplayedLight found = display.invert(
        std::vector<double>{0.99, 0.01, 0.01, 0.5, 0.5, 0.5, none, 0.5, 0.5, infinity, 0.5, 0.5});

    CHECK(found.is_shown == std::vector<bool>{false, true, false, false});
    CHECK(std::isnan(display.apply(std::vector<double>{none, 0.5, 0.5})[0]));
}

TEST_CASE("values near the ends of a display do not tell their light") {
    const DisplayTransform display({0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 1, 1, //
                                    1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 1, 1},
                                   2);

    CHECK(display.is_invertible(std::vector<double>{0.5, 0.5, 0.5, 0.5, 0.5, 0.019, 0.981, 0.5, 0.5,
                                                    0.97, 0.03, 0.5}) ==
          std::vector<bool>{true, false, false, true});
}

TEST_CASE("tables and pixels that are none are refused") {
    const std::vector<float> flat(24, 0.5F);
    std::vector<float> broken = flat;
    broken[7] = std::numeric_limits<float>::infinity();

    CHECK_THROWS_WITH(DisplayTransform(flat, 1), ContainsSubstring("2 entries an axis or more"));
    CHECK_THROWS_WITH(DisplayTransform(broken, 2), ContainsSubstring("all finite"));
    CHECK_THROWS_WITH(DisplayTransform(flat, 3),
                      ContainsSubstring("table must have 3 x 3 x 3 x 3 numbers, got 24"));
    CHECK_THROWS_WITH(DisplayTransform(flat, 2, {.high = 1, .toe = 2}),
                      ContainsSubstring("0 < toe < high must hold, got toe 2 and high 1"));
    CHECK_THROWS_WITH(DisplayTransform(flat, 2).apply(std::vector<double>{1, 2}),
                      ContainsSubstring("apply: pixels have three numbers each, got 2"));
    CHECK_THROWS_AS(DisplayTransform(flat, 2).invert(std::vector<double>(4)), core::ArgumentError);
    CHECK_THROWS_AS(DisplayTransform::light_at(1), core::ArgumentError);
}

} // namespace weft::fit
