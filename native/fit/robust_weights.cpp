// SPDX-License-Identifier: Apache-2.0
#include "fit/robust_weights.hpp"

#include "fit/box_blur.hpp"
#include "fit/picture_noise.hpp"
#include "fit/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::fit {

namespace {

constexpr double kCutoff = 6.0; ///< standard deviations: residuals from here on have no say
constexpr double kTypicalResidual =
    0.888;                            ///< median of the root mean square of three normal numbers
constexpr double kLeastWeight = 1e-6; ///< what none has
constexpr double kMaxResidualRatio =
    4.0; ///< times what is usual: as far as a pixel counts for what is usual around it
constexpr std::size_t kRadius = 5; ///< pixels, of what is around
constexpr double kChanged = 0.005; ///< mean change of weights: below it they stand still

/// By how much the distances of all pictures together are larger than those of noise, at least 1.
double scale_of(std::span<const Validation* const> pictures,
                const std::vector<std::vector<double>>& distances) {
    std::vector<double> together;
    for (std::size_t number = 0; number < pictures.size(); ++number) {
        for (std::size_t pixel = 0; pixel < distances[number].size(); ++pixel) {
            if (pictures[number]->counts[pixel]) {
                together.push_back(distances[number][pixel]);
            }
        }
    }
    return std::max(median(std::move(together)) / kTypicalResidual, 1.0);
}

} // namespace

float biweight(double distance) noexcept {
    const double share = std::min(distance * distance / (kCutoff * kCutoff), 1.0);
    return static_cast<float>(std::max((1 - share) * (1 - share), kLeastWeight));
}

std::vector<double> usual_around(const Validation& fresh, std::span<const double> distance) {
    std::vector<float> layers(2 * distance.size());
    for (std::size_t pixel = 0; pixel < distance.size(); ++pixel) {
        if (fresh.counts[pixel]) {
            layers[2 * pixel] = static_cast<float>(std::min(distance[pixel], kMaxResidualRatio));
            layers[2 * pixel + 1] = 1.0F;
        }
    }
    box_blur(layers, {.height = fresh.height(), .width = fresh.width(), .channels = 2}, kRadius);
    std::vector<double> out(distance.size());
    for (std::size_t pixel = 0; pixel < out.size(); ++pixel) {
        out[pixel] = static_cast<double>(layers[2 * pixel]) /
                     static_cast<double>(std::max(layers[2 * pixel + 1], 1e-6F)) / kTypicalResidual;
    }
    return out;
}

NewTrust weigh_residuals(std::span<const Validation* const> pictures, bool with_detail) {
    std::vector<std::vector<double>> distances;
    distances.reserve(pictures.size());
    for (const Validation* picture : pictures) {
        distances.push_back(deviations(*picture, PictureNoise(*picture)));
    }
    const double scale = scale_of(pictures, distances);
    NewTrust out;
    double changes = 0;
    std::size_t count = 0;
    for (std::size_t number = 0; number < pictures.size(); ++number) {
        const Validation& fresh = *pictures[number];
        std::vector<double>& distance = distances[number];
        for (double& far : distance) {
            far /= scale;
        }
        const std::vector<double> around =
            with_detail ? usual_around(fresh, distance) : std::vector<double>(distance.size(), 1.0);
        std::vector<float> trust = fresh.trust;
        trust.resize(distance.size(), 1.0F); // empty: all are trusted
        for (std::size_t pixel = 0; pixel < distance.size(); ++pixel) {
            if (fresh.counts[pixel]) {
                const float own = biweight(distance[pixel] / std::max(around[pixel], 1.0));
                changes += std::abs(static_cast<double>(own - trust[pixel]));
                trust[pixel] = own;
                ++count;
            }
        }
        out.trust.push_back(std::move(trust));
    }
    out.has_changed = changes > kChanged * static_cast<double>(count);
    return out;
}

} // namespace weft::fit
