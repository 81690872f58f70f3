// SPDX-License-Identifier: Apache-2.0
#include "fit/relative_noise.hpp"

#include "fit/box_blur.hpp"
#include "fit/picture_noise.hpp"
#include "fit/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace weft::fit {

namespace {

constexpr std::size_t kRadius = 4; ///< of the squares that tell the noise of a pixel
/// Noise, of the median: below it is not told apart, above it is the same.
constexpr float kLeastRatio = 2;
constexpr float kMostRatio = 64;

std::vector<float> blurred(const std::vector<double>& values, const MeasuredNoise& view) {
    std::vector<float> out(values.size());
    std::ranges::transform(values, out.begin(),
                           [](double value) { return static_cast<float>(value); });
    box_blur(out, {.height = view.height, .width = view.width}, kRadius);
    return out;
}

/// The noise around each pixel; 0: it was not measured.
std::vector<float> pooled(const MeasuredNoise& view) {
    std::vector<float> out = blurred(view.squares, view);
    const std::vector<float> counts = blurred(view.counts, view);
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = counts[i] > 1e-6F ? std::sqrt(std::max(out[i], 0.0F) / counts[i]) : 0.0F;
    }
    return out;
}

} // namespace

std::vector<std::vector<float>> relative_noise(const std::vector<MeasuredNoise>& views) {
    std::vector<std::vector<float>> found;
    std::vector<double> measured;
    for (const MeasuredNoise& view : views) {
        found.push_back(pooled(view));
        std::ranges::copy_if(found.back(), std::back_inserter(measured),
                             [](float noise) { return noise > 0; });
    }
    const bool is_measured = !measured.empty();
    const auto usual = static_cast<float>(median(std::move(measured)));
    for (std::vector<float>& noise : found) {
        for (float& own : noise) {
            own =
                is_measured ? std::clamp(own / usual, kLeastRatio, kMostRatio) / kLeastRatio : 1.0F;
        }
    }
    return found;
}

} // namespace weft::fit
