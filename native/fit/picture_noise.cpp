// SPDX-License-Identifier: Apache-2.0
#include "fit/picture_noise.hpp"

#include "fit/quantiles.hpp"
#include "fit/view_pixels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace weft::fit {

namespace {

constexpr std::size_t kBins = 8;         ///< of brightness
constexpr std::size_t kFew = 64;         ///< pixels, that a bin of them must have
constexpr double kFarOff = 6.0;          ///< standard deviations, or times what is usual
constexpr double kCrowded = 0.3;         ///< share of outliers around one that is not alone
constexpr int kPasses = 4;               ///< of estimating noise without outliers
constexpr std::size_t kAroundRadius = 2; ///< of squares that are around a pixel
constexpr std::size_t kDrawnRadius = 3;  ///< of squares that share the noise of draws
constexpr std::array<double, 3> kSecondDifference{1, -2, 1};

/// Calls visit(pixel) for the pixels of the square of side 2 `radius` + 1 around one, as far as it lies in the picture.
void visit_square(const Validation& fresh, std::size_t pixel, std::size_t radius,
                  const auto& visit) {
    const std::size_t width = fresh.width();
    const std::size_t x = pixel % width;
    const std::size_t y = pixel / width;
    const std::size_t left = x - std::min(x, radius);
    const std::size_t right = std::min(x + radius + 1, width);
    const std::size_t bottom = std::min(y + radius + 1, fresh.height());
    for (std::size_t row = y - std::min(y, radius); row < bottom; ++row) {
        for (std::size_t column = left; column < right; ++column) {
            visit(row * width + column);
        }
    }
}

/// Whether a pixel is inside the picture and it and its eight neighbours count.
bool is_inside(const Validation& fresh, const std::vector<bool>& counts, std::size_t pixel) {
    const std::size_t width = fresh.width();
    const std::size_t x = pixel % width;
    const std::size_t y = pixel / width;
    if (x == 0 || y == 0 || x + 1 >= width || y + 1 >= fresh.height()) {
        return false;
    }
    for (std::size_t row = pixel - width - 1; row <= pixel + width - 1; row += width) {
        if (!counts[row] || !counts[row + 1] || !counts[row + 2]) {
            return false;
        }
    }
    return true;
}

/// The picture without what does not count.
double picture_at(const Observation& own, std::size_t i) {
    const bool is_masked = !own.mask.empty() && own.mask[i / kChannels] == 0;
    return is_masked ? 0.0 : static_cast<double>(own.image[i]);
}

/// Brightness around a pixel: the mean of all channels.
double light_around(const Validation& fresh, std::size_t pixel) {
    double sum = 0;
    std::size_t count = 0;
    visit_square(fresh, pixel, kAroundRadius, [&](std::size_t other) {
        for (std::size_t i = other * kChannels; i < (other + 1) * kChannels; ++i) {
            sum += picture_at(*fresh.observation, i);
        }
        count += kChannels;
    });
    return sum / static_cast<double>(count);
}

double half_sum(const Validation& fresh, std::size_t i) {
    return (static_cast<double>(fresh.a[i]) + static_cast<double>(fresh.b[i])) / 2;
}

double half_difference(const Validation& fresh, std::size_t i) {
    return (static_cast<double>(fresh.a[i]) - static_cast<double>(fresh.b[i])) / 2;
}

/// The mean square of the channels of one of these.
double mean_square(const Validation& fresh, std::size_t pixel, const auto& value) {
    double squares = 0;
    for (std::size_t i = pixel * kChannels; i < (pixel + 1) * kChannels; ++i) {
        squares += value(fresh, i) * value(fresh, i);
    }
    return squares / kChannels;
}

/// The second difference along both axes of one channel around a pixel that is_inside(). Noise keeps its standard deviation.
double second_difference(std::size_t width, std::size_t pixel, std::size_t channel,
                         const auto& value) {
    double sum = 0;
    for (std::size_t row = 0; row < kSecondDifference.size(); ++row) {
        for (std::size_t column = 0; column < kSecondDifference.size(); ++column) {
            const std::size_t at = pixel + row * width + column - width - 1;
            sum += kSecondDifference[row] * kSecondDifference[column] *
                   value(at * kChannels + channel);
        }
    }
    return sum / 6;
}

/// A robust variance around 0 at some places, the mean of the channels'.
double variance(const std::vector<double>& grid, std::span<const std::size_t> places) {
    double sum = 0;
    std::vector<double> sizes(places.size());
    for (std::size_t c = 0; c < kChannels; ++c) {
        std::ranges::transform(places, sizes.begin(), [&](std::size_t place) {
            return std::abs(grid[place * kChannels + c]);
        });
        const double deviation = kNormal * median(sizes);
        sum += deviation * deviation;
    }
    return sum / kChannels;
}

std::size_t bin_of(const std::vector<double>& edges, double value) {
    return static_cast<std::size_t>(std::ranges::lower_bound(edges, value) - edges.begin());
}

/// The variance of the noise of draws, pooled over the drawn pixels of the square around one.
double drawn_variance(const Validation& fresh, std::size_t pixel) {
    double squares = 0;
    std::size_t count = 0;
    visit_square(fresh, pixel, kDrawnRadius, [&](std::size_t other) {
        if (fresh.counts[other]) {
            squares += mean_square(fresh, other, half_difference);
            ++count;
        }
    });
    return squares / static_cast<double>(std::max<std::size_t>(count, 1));
}

/// The median over the pixels that are chosen, at least 1.
double usual(std::span<const double> far, std::span<const std::uint32_t> drawn,
             const std::vector<bool>& chosen) {
    std::vector<double> own;
    for (const std::uint32_t pixel : drawn) {
        if (chosen[pixel]) {
            own.push_back(far[pixel]);
        }
    }
    return std::max(median(std::move(own)), 1.0);
}

} // namespace

PictureNoise::PictureNoise(const Validation& fresh)
    : m_fresh(fresh), m_drawn(flagged_pixels(fresh.counts)) {
    m_light.reserve(m_drawn.size());
    for (const std::uint32_t pixel : m_drawn) {
        m_light.push_back(light_around(fresh, pixel));
    }
    find_differences();
}

void PictureNoise::find_differences() {
    const Validation& fresh = m_fresh;
    const std::size_t width = fresh.width();
    for (std::size_t place = 0; place < m_drawn.size(); ++place) {
        const std::size_t pixel = m_drawn[place];
        if (!is_inside(fresh, fresh.counts, pixel)) {
            continue;
        }
        m_differences.at.push_back(m_drawn[place]);
        m_differences.light.push_back(m_light[place]);
        for (std::size_t c = 0; c < kChannels; ++c) {
            m_differences.picture.push_back(second_difference(width, pixel, c, [&](std::size_t i) {
                return picture_at(*fresh.observation, i) * static_cast<double>(fresh.weights[i]);
            }));
            m_differences.residuals.push_back(second_difference(
                width, pixel, c, [&](std::size_t i) { return half_sum(fresh, i); }));
            m_differences.draws.push_back(second_difference(
                width, pixel, c, [&](std::size_t i) { return half_difference(fresh, i); }));
        }
    }
}

std::vector<double> PictureNoise::variances(const std::vector<bool>& counts) const {
    std::vector<double> out;
    out.reserve(m_drawn.size());
    for (const std::uint32_t pixel : m_drawn) {
        out.push_back(rounding_variance(pixel));
    }
    std::vector<std::size_t> known; // places among the differences
    std::vector<double> light;
    for (std::size_t place = 0; place < m_differences.at.size(); ++place) {
        if (is_inside(m_fresh, counts, m_differences.at[place])) {
            known.push_back(place);
            light.push_back(m_differences.light[place]);
        }
    }
    if (known.empty()) {
        return out;
    }
    const std::vector<double> edges =
        quantiles(std::move(light), std::clamp<std::size_t>(known.size() / kFew, 1, kBins));
    std::vector<std::vector<std::size_t>> bins(edges.size() + 1);
    for (const std::size_t place : known) {
        bins[bin_of(edges, m_differences.light[place])].push_back(place);
    }
    std::vector<double> found(bins.size());
    for (std::size_t bin = 0; bin < found.size(); ++bin) {
        if (!bins[bin].empty()) {
            const double of_residuals = variance(m_differences.residuals, bins[bin]) -
                                        variance(m_differences.draws, bins[bin]);
            found[bin] =
                std::max(std::min(of_residuals, variance(m_differences.picture, bins[bin])), 0.0);
        }
    }
    for (std::size_t place = 0; place < out.size(); ++place) {
        out[place] = std::max(out[place], found[bin_of(edges, m_light[place])]);
    }
    return out;
}

double PictureNoise::rounding_variance(std::size_t pixel) const {
    const std::vector<float>& rounding = m_fresh.observation->rounding;
    if (rounding.empty()) {
        return 0;
    }
    double sum = 0;
    for (std::size_t i = pixel * kChannels; i < (pixel + 1) * kChannels; ++i) {
        const double deviation =
            static_cast<double>(rounding[i]) * static_cast<double>(m_fresh.weights[i]);
        sum += deviation * deviation / kChannels;
    }
    return sum;
}

std::vector<double> deviations(const Validation& fresh, const PictureNoise& noise) {
    const std::vector<std::uint32_t>& drawn = noise.drawn();
    std::vector<double> squares; // of residuals, one a drawn pixel
    std::vector<double> steady;  // variance but for the picture's own noise
    for (const std::uint32_t pixel : drawn) {
        squares.push_back(mean_square(fresh, pixel, half_sum));
        steady.push_back(drawn_variance(fresh, pixel) + kSmall * kSmall);
    }
    std::vector<bool> kept = fresh.counts;
    std::vector<double> far(kept.size());
    for (int pass = 0; pass < kPasses; ++pass) {
        const std::vector<double> own = noise.variances(kept);
        for (std::size_t place = 0; place < drawn.size(); ++place) {
            far[drawn[place]] = std::sqrt(squares[place] / (own[place] + steady[place]));
        }
        const double most = kFarOff * usual(far, drawn, kept);
        std::vector<bool> found(kept.size());
        bool is_any = false;
        for (const std::uint32_t pixel : drawn) {
            found[pixel] = far[pixel] < most;
            is_any = is_any || found[pixel];
        }
        if (!is_any || found == kept) {
            break;
        }
        kept = std::move(found);
    }
    return far;
}

std::vector<bool> find_outliers(const Validation& fresh, const PictureNoise& noise,
                                std::span<const double> far) {
    const double most = kFarOff * usual(far, noise.drawn(), fresh.counts);
    std::vector<bool> out(far.size());
    for (const std::uint32_t pixel : noise.drawn()) {
        if (!(far[pixel] > most)) {
            continue;
        }
        std::size_t others = 0;
        std::size_t count = 0;
        visit_square(fresh, pixel, kAroundRadius, [&](std::size_t other) {
            others += fresh.counts[other] && far[other] > most ? 1U : 0U;
            ++count;
        });
        out[pixel] = static_cast<double>(others) < kCrowded * static_cast<double>(count);
    }
    return out;
}

} // namespace weft::fit
