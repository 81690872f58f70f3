// SPDX-License-Identifier: Apache-2.0
#include "fit/picture_noise.hpp"

#include "fit/box_blur.hpp"
#include "fit/quantiles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

namespace weft::fit {

namespace {

constexpr std::size_t kBins = 8;        ///< of brightness
constexpr std::size_t kFew = 64;        ///< pixels, that a bin of them must have
constexpr double kFarOff = 6.0;         ///< standard deviations, or times what is usual
constexpr double kCrowded = 0.3;        ///< share of outliers around one that is not alone
constexpr int kPasses = 4;              ///< of estimating noise without outliers
constexpr std::size_t kDrawnRadius = 3; ///< of squares that share the noise of draws

using Pixels = std::vector<double>; ///< three a pixel

/// The second difference along both axes of a channel, from its upper left pixel on; NaN beside one that does not count.
double second_difference(const Pixels& grid, const std::vector<bool>& counts, std::size_t width,
                         std::size_t pixel, std::size_t channel) {
    constexpr std::array<double, 3> kMask{1, -2, 1};
    double sum = 0;
    for (std::size_t k = 0; k < kMask.size() * kMask.size(); ++k) {
        const std::size_t at = pixel + k / 3 * width + k % 3;
        sum += counts[at] ? kMask[k / 3] * kMask[k % 3] * grid[at * kChannels + channel]
                          : std::numeric_limits<double>::quiet_NaN();
    }
    return sum / 6;
}

/// Second differences of inner pixels, (height - 2) x (width - 2). Noise keeps its standard deviation.
Pixels high_pass(const Pixels& grid, const Validation& fresh, const std::vector<bool>& counts) {
    const std::size_t width = fresh.width();
    if (fresh.height() < 3 || width < 3) {
        return {};
    }
    const std::size_t rows = fresh.height() - 2;
    Pixels out;
    out.reserve(rows * (width - 2) * kChannels);
    for (std::size_t inner = 0; inner < rows * (width - 2); ++inner) {
        const std::size_t pixel = inner / (width - 2) * width + inner % (width - 2);
        for (std::size_t c = 0; c < kChannels; ++c) {
            out.push_back(second_difference(grid, counts, width, pixel, c));
        }
    }
    return out;
}

/// A robust variance around 0 of some pixels, the mean of the channels'.
double variance(const Pixels& grid, const std::vector<std::size_t>& pixels) {
    double sum = 0;
    for (std::size_t c = 0; c < kChannels; ++c) {
        std::vector<double> sizes;
        sizes.reserve(pixels.size());
        for (const std::size_t pixel : pixels) {
            sizes.push_back(std::abs(grid[pixel * kChannels + c]));
        }
        const double deviation = kNormal * median(std::move(sizes));
        sum += deviation * deviation;
    }
    return sum / kChannels;
}

/// The picture without what does not count, times `factor` of each number.
Pixels picture_of(const Validation& fresh, const auto& factor) {
    const Observation& own = *fresh.observation;
    Pixels out(own.image.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const bool is_masked = !own.mask.empty() && own.mask[i / kChannels] == 0;
        out[i] = is_masked ? 0.0 : static_cast<double>(own.image[i]) * factor(i);
    }
    return out;
}

/// Brightness around each pixel.
std::vector<double> light_around(const Validation& fresh) {
    const Pixels picture = picture_of(fresh, [](std::size_t) { return 1.0; });
    std::vector<float> blurred(picture.begin(), picture.end());
    box_blur(blurred, {.height = fresh.height(), .width = fresh.width(), .channels = kChannels});
    std::vector<double> out(blurred.size() / kChannels);
    for (std::size_t i = 0; i < blurred.size(); ++i) {
        out[i / kChannels] += static_cast<double>(blurred[i]) / kChannels;
    }
    return out;
}

/// Numbers between which equally many of the values lie, linear between neighbours.
std::vector<double> quantiles(std::vector<double> values, std::size_t bins) {
    std::ranges::sort(values);
    std::vector<double> out;
    for (std::size_t number = 1; number < bins; ++number) {
        const double at = static_cast<double>(number) / static_cast<double>(bins) *
                          static_cast<double>(values.size() - 1);
        const auto below = static_cast<std::size_t>(at);
        const std::size_t above = std::min(below + 1, values.size() - 1);
        out.push_back(std::lerp(values[below], values[above], at - static_cast<double>(below)));
    }
    return out;
}

std::size_t bin_of(const std::vector<double>& edges, double value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(edges, value) - edges.begin());
}

/// The variance of the noise of draws, pooled over squares.
std::vector<double> drawn_variance(const Validation& fresh) {
    std::vector<float> layers(2 * fresh.counts.size());
    for (std::size_t pixel = 0; pixel < fresh.counts.size(); ++pixel) {
        double squares = 0;
        for (std::size_t i = pixel * kChannels; i < (pixel + 1) * kChannels; ++i) {
            const double half =
                (static_cast<double>(fresh.a[i]) - static_cast<double>(fresh.b[i])) / 2;
            squares += half * half;
        }
        layers[2 * pixel] = fresh.counts[pixel] ? static_cast<float>(squares / kChannels) : 0.0F;
        layers[2 * pixel + 1] = fresh.counts[pixel] ? 1.0F : 0.0F;
    }
    box_blur(layers, {.height = fresh.height(), .width = fresh.width(), .channels = 2},
             kDrawnRadius);
    std::vector<double> out(fresh.counts.size());
    for (std::size_t pixel = 0; pixel < out.size(); ++pixel) {
        out[pixel] = static_cast<double>(std::max(layers[2 * pixel], 0.0F)) /
                     static_cast<double>(std::max(layers[2 * pixel + 1], 1e-6F));
    }
    return out;
}

double median_of(std::span<const double> values, const std::vector<bool>& chosen) {
    std::vector<double> own;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (chosen[i]) {
            own.push_back(values[i]);
        }
    }
    return median(std::move(own));
}

bool any(const std::vector<bool>& flags) {
    return std::ranges::find(flags, true) != flags.end();
}

} // namespace

std::vector<double> picture_noise(const Validation& fresh, const std::vector<bool>& counts) {
    const auto half = [&fresh](double sign) {
        Pixels out(fresh.a.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = (static_cast<double>(fresh.a[i]) + sign * static_cast<double>(fresh.b[i])) / 2;
        }
        return out;
    };
    const Pixels own = high_pass(
        picture_of(fresh, [&](std::size_t i) { return static_cast<double>(fresh.weights[i]); }),
        fresh, counts);
    const Pixels left = high_pass(half(1), fresh, counts);
    const Pixels drawn = high_pass(half(-1), fresh, counts);
    const std::vector<double> light = light_around(fresh);

    const std::size_t width = fresh.width();
    std::vector<std::size_t> known; // of the inner pixels
    std::vector<double> brightness;
    const auto light_of = [&](std::size_t inner) {
        return light[(inner / (width - 2) + 1) * width + inner % (width - 2) + 1];
    };
    for (std::size_t inner = 0; inner < own.size() / kChannels; ++inner) {
        const double* const at = &own[inner * kChannels];
        if (std::all_of(at, at + kChannels, [](double value) { return std::isfinite(value); })) {
            known.push_back(inner);
            brightness.push_back(light_of(inner));
        }
    }
    std::vector<double> out = rounding_variance(fresh);
    if (known.empty()) {
        return out;
    }
    const std::vector<double> edges =
        quantiles(brightness, std::clamp<std::size_t>(known.size() / kFew, 1, kBins));
    std::vector<double> found(edges.size() + 1);
    for (std::size_t bin = 0; bin < found.size(); ++bin) {
        std::vector<std::size_t> chosen;
        std::ranges::copy_if(known, std::back_inserter(chosen), [&](std::size_t inner) {
            return bin_of(edges, light_of(inner)) == bin;
        });
        if (!chosen.empty()) {
            const double of_residuals = variance(left, chosen) - variance(drawn, chosen);
            found[bin] = std::max(std::min(of_residuals, variance(own, chosen)), 0.0);
        }
    }
    for (std::size_t pixel = 0; pixel < out.size(); ++pixel) {
        out[pixel] = std::max(out[pixel], found[bin_of(edges, light[pixel])]);
    }
    return out;
}

std::vector<double> rounding_variance(const Validation& fresh) {
    const std::vector<float>& rounding = fresh.observation->rounding;
    std::vector<double> out(fresh.counts.size());
    for (std::size_t i = 0; i < rounding.size(); ++i) {
        const double deviation =
            static_cast<double>(rounding[i]) * static_cast<double>(fresh.weights[i]);
        out[i / kChannels] += deviation * deviation / kChannels;
    }
    return out;
}

std::vector<double> deviations(const Validation& fresh) {
    const std::vector<double> drawn = drawn_variance(fresh);
    std::vector<bool> kept = fresh.counts;
    std::vector<double> far(kept.size());
    for (int pass = 0; pass < kPasses; ++pass) {
        const std::vector<double> noise = picture_noise(fresh, kept);
        for (std::size_t pixel = 0; pixel < far.size(); ++pixel) {
            double squares = 0;
            for (std::size_t i = pixel * kChannels; i < (pixel + 1) * kChannels; ++i) {
                const double mean =
                    (static_cast<double>(fresh.a[i]) + static_cast<double>(fresh.b[i])) / 2;
                squares += mean * mean / kChannels;
            }
            far[pixel] = std::sqrt(squares / (noise[pixel] + drawn[pixel] + kSmall * kSmall));
        }
        const double usual = any(kept) ? std::max(median_of(far, kept), 1.0) : 1.0;
        std::vector<bool> found(kept.size());
        for (std::size_t pixel = 0; pixel < far.size(); ++pixel) {
            found[pixel] = fresh.counts[pixel] && far[pixel] < kFarOff * usual;
        }
        if (!any(found) || found == kept) {
            break;
        }
        kept = std::move(found);
    }
    return far;
}

std::vector<bool> find_outliers(const Validation& fresh, std::span<const double> far) {
    const double usual = any(fresh.counts) ? std::max(median_of(far, fresh.counts), 1.0) : 1.0;
    std::vector<bool> out(far.size());
    std::vector<float> around(far.size());
    for (std::size_t pixel = 0; pixel < far.size(); ++pixel) {
        out[pixel] = fresh.counts[pixel] && far[pixel] > kFarOff * usual;
        around[pixel] = out[pixel] ? 1.0F : 0.0F;
    }
    box_blur(around, {.height = fresh.height(), .width = fresh.width(), .channels = 1});
    for (std::size_t pixel = 0; pixel < far.size(); ++pixel) {
        out[pixel] = out[pixel] && static_cast<double>(around[pixel]) < kCrowded;
    }
    return out;
}

} // namespace weft::fit
