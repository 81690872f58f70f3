// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "fit/box_blur.hpp"
#include "fit/observation.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace weft::fit {
namespace {

/// The mean of the part of a square that lies in the image, pixel by pixel.
std::vector<float> slow_blur(const std::vector<float>& image, const ImageShape& shape, int radius) {
    std::vector<float> out;
    const int height = static_cast<int>(shape.height);
    const int width = static_cast<int>(shape.width);
    const int channels = static_cast<int>(shape.channels);
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int c = 0; c < channels; ++c) {
                double sum = 0;
                int count = 0;
                for (int v = std::max(y - radius, 0); v <= std::min(y + radius, height - 1); ++v) {
                    for (int u = std::max(x - radius, 0); u <= std::min(x + radius, width - 1);
                         ++u, ++count) {
                        sum += image[static_cast<std::size_t>((v * width + u) * channels + c)];
                    }
                }
                out.push_back(static_cast<float>(sum / count));
            }
        }
    }
    return out;
}

Observation observation(std::int64_t width, std::int64_t height, float light = 1) {
    Observation made;
    made.camera.width = width;
    made.camera.height = height;
    made.image.assign(static_cast<std::size_t>(3 * width * height), light);
    return made;
}

} // namespace

TEST_CASE("box_blur gives the means of squares, smaller ones at the edges") {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> light(0, 1);
    for (const ImageShape shape :
         {ImageShape{1, 1, 1}, ImageShape{7, 5, 3}, ImageShape{4, 19, 2}}) {
        for (const int radius : {0, 1, 2, 5, 40}) {
            std::vector<float> image(shape.size());
            std::generate(image.begin(), image.end(), [&] { return light(random); });
            const std::vector<float> wanted = slow_blur(image, shape, radius);
            box_blur(image, shape, static_cast<std::size_t>(radius));
            for (std::size_t i = 0; i < image.size(); ++i) {
                CHECK(image[i] == Approx(wanted[i]).epsilon(1e-4));
            }
        }
    }
    std::vector<float> few(5);
    CHECK_THROWS_AS(box_blur(few, {2, 2, 1}), core::ArgumentError);
}

TEST_CASE("noise weights are relative to the light around, down to half of the mean") {
    Observation bright = observation(16, 8);
    for (std::size_t i = 0; i < bright.image.size() / 2; ++i) {
        bright.image[i] = 3; // the upper half
    }
    require_valid(bright);
    const std::vector<float> weights = noise_weights(bright);
    CHECK(weights.front() == Approx(1 / (3 + 0.5 * 2)));
    CHECK(weights.back() == Approx(1 / (1 + 0.5 * 2)));

    bright.mask.assign(16 * 8, 1);
    bright.mask[0] = 0;
    bright.image[0] =
        std::numeric_limits<float>::quiet_NaN(); // what does not count may be anything
    require_valid(bright);
    CHECK(noise_weights(bright)[0] == 0);
    CHECK(std::isfinite(noise_weights(bright)[3]));
}

TEST_CASE("observations that tell nothing are refused by name") {
    const auto refused = [](const Observation& given, const std::string& what) {
        CHECK_THROWS_WITH(require_valid(given),
                          Catch::Contains("'target'") && Catch::Contains(what));
    };
    Observation given = observation(4, 3);
    given.image.pop_back();
    refused(given, "4 x 3 pixels, that is 36 floats, and the image has 35");
    refused(observation(4, 3, 0), "black");
    refused(observation(4, 3, -1), "negative");
    given = observation(4, 3);
    given.image[3 * 6 + 1] = std::numeric_limits<float>::infinity();
    refused(given, "row 1, column 2");
    given = observation(4, 3);
    given.mask.assign(12, 0);
    refused(given, "no pixel");
    given.mask.assign(12, 1.5F);
    refused(given, "between 0 and 1");
    given.mask.assign(11, 1);
    refused(given, "12 numbers");
    given = observation(4, 3);
    given.filter_width = 0;
    refused(given, "filter_width");
}

} // namespace weft::fit
