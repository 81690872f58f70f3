// SPDX-License-Identifier: Apache-2.0
#include "fit/misfit.hpp"

#include "fit/picture_noise.hpp"
#include "fit/quantiles.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace weft::fit {

namespace {

constexpr std::array<std::size_t, 4> kScales{1, 2, 4,
                                             8}; ///< pixels: sides of squares that are compared
constexpr std::size_t kLag = 2;                  ///< pixels between neighbours at the finest scale
constexpr float kLeftOut = 0.1F;                 ///< trust of a pixel that a robust loss leaves out
constexpr double kClipped = 3.0;                 ///< standard deviations
constexpr double kWrongMisfit =
    0.05; ///< of the light: from here on a scene is wrong, not nearly right
constexpr double kManyOutliers = 0.2;
constexpr double kMostRatio =
    3.0; ///< of residuals to noise: more is no noise, even if neighbours differ

/// Means over squares.
struct Pooled {
    std::size_t height = 0;
    std::size_t width = 0;
    std::vector<double> values{}; ///< three a square
    std::vector<bool> counts{};   ///< which squares are half full
};

Pooled pooled(std::span<const float> grid, const Validation& fresh, const std::vector<bool>& counts,
              std::size_t side) {
    Pooled out{.height = (fresh.height() + side - 1) / side,
               .width = (fresh.width() + side - 1) / side};
    out.values.resize(out.height * out.width * kChannels);
    std::vector<std::size_t> total(out.height * out.width);
    for (std::size_t pixel = 0; pixel < counts.size(); ++pixel) {
        if (!counts[pixel]) {
            continue;
        }
        const std::size_t square =
            pixel / fresh.width() / side * out.width + pixel % fresh.width() / side;
        ++total[square];
        for (std::size_t c = 0; c < kChannels; ++c) {
            out.values[square * kChannels + c] += static_cast<double>(grid[pixel * kChannels + c]);
        }
    }
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        out.values[i] /= static_cast<double>(std::max<std::size_t>(total[i / kChannels], 1));
    }
    for (const std::size_t count : total) {
        out.counts.push_back(2 * count >= side * side);
    }
    return out;
}

/// Residuals of which none is much larger than most; zeros were not drawn.
Pooled clipped(Pooled grid) {
    std::vector<double> sizes;
    for (const double value : grid.values) {
        if (value != 0) {
            sizes.push_back(std::abs(value));
        }
    }
    const double most = kClipped * kNormal * median(std::move(sizes));
    for (double& value : grid.values) {
        value = std::clamp(value, -most, most);
    }
    return grid;
}

/// Mean products of channels of neighbours in different halves, one a pair.
std::vector<double> neighbour_products(const Pooled& a, const Pooled& b, std::size_t lag) {
    std::vector<double> out;
    const auto add = [&](std::size_t first, std::size_t second) {
        if (!a.counts[first] || !a.counts[second]) {
            return;
        }
        double sum = 0;
        for (std::size_t c = 0; c < kChannels; ++c) {
            const std::size_t i = first * kChannels + c;
            const std::size_t j = second * kChannels + c;
            sum += a.values[i] * b.values[j] + b.values[i] * a.values[j];
        }
        out.push_back(sum / kChannels / 2);
    };
    for (std::size_t y = 0; y < a.height; ++y) {
        for (std::size_t x = 0; x < a.width; ++x) {
            if (y + lag < a.height) {
                add(y * a.width + x, (y + lag) * a.width + x);
            }
            if (x + lag < a.width) {
                add(y * a.width + x, y * a.width + x + lag);
            }
        }
    }
    return out;
}

double sum_of(const std::vector<double>& values) {
    double sum = 0;
    for (const double value : values) {
        sum += value;
    }
    return sum;
}

/// By how many standard deviations of their noise the sum of products is not 0.
double certainty(const std::vector<double>& products) {
    double squares = 0;
    for (const double product : products) {
        squares += product * product;
    }
    return sum_of(products) / std::max(std::sqrt(squares), 1e-300);
}

struct Shared {
    double product = 0;
    double certainty = 0;
};

/// The mean product of neighbours, of the scale where it is most certain: misfit of large extent shows in means of squares,
/// where noise is small.
Shared find_shared(const Validation& fresh, const std::vector<bool>& kept) {
    Shared best;
    const std::size_t lag = std::max(kLag, fresh.observation->grain);
    for (const std::size_t side : kScales) {
        const Pooled a = pooled(fresh.a, fresh, kept, side);
        const Pooled b = pooled(fresh.b, fresh, kept, side);
        const std::size_t step = std::max<std::size_t>(lag / side, 1);
        const std::vector<double> products = neighbour_products(a, b, step);
        if (products.size() < 2) {
            continue;
        }
        // A few pixels with large residuals make their own products uncertain, but not others'.
        const double own = std::max(certainty(products),
                                    certainty(neighbour_products(clipped(a), clipped(b), step)));
        if (own > best.certainty) {
            best = {sum_of(products) / static_cast<double>(products.size()), own};
        }
    }
    return best;
}

/// Pixels that count and are not far off alone; all that count if none is left.
std::vector<bool> kept_pixels(const Validation& fresh) {
    const std::vector<double> far = deviations(fresh);
    const std::vector<bool> outliers = find_outliers(fresh, far);
    std::vector<bool> kept(outliers.size());
    bool is_any = false;
    for (std::size_t pixel = 0; pixel < kept.size(); ++pixel) {
        const bool is_trusted = fresh.trust.empty() || fresh.trust[pixel] > kLeftOut;
        kept[pixel] = fresh.counts[pixel] && !outliers[pixel] && is_trusted;
        is_any = is_any || kept[pixel];
    }
    return is_any ? kept : fresh.counts;
}

double root(double square) {
    return std::sqrt(std::max(square, 0.0));
}

VerdictLevel level_of(const Misfit& found) {
    const bool is_left = found.certainty > kMisfitSigmas;
    const double misfit = std::max(found.misfit, 0.0);
    if ((is_left && misfit > kWrongMisfit * kWrongMisfit + found.rounding) ||
        found.outliers > kManyOutliers) {
        return VerdictLevel::wrong;
    }
    // What JPEG does to blocks of pixels does not show from pixel to pixel, and is no part of noise.
    const bool is_too_much =
        found.grain == 1 && found.power > kMostRatio * kMostRatio * (found.noise + kSmall * kSmall);
    if ((is_left && misfit > kSmall * kSmall + found.rounding) || is_too_much ||
        found.outliers > kFewOutliers) {
        return VerdictLevel::doubtful;
    }
    return VerdictLevel::explained;
}

} // namespace

Misfit measure(const Validation& fresh) {
    const std::vector<bool> kept = kept_pixels(fresh);
    const std::vector<double> noise = picture_noise(fresh, kept);
    const std::vector<double> rounding = rounding_variance(fresh);
    const Shared shared = find_shared(fresh, kept);
    const auto drawn = static_cast<double>(std::ranges::count(fresh.counts, true));
    const auto left = static_cast<double>(std::ranges::count(kept, true));
    Misfit out{.misfit = shared.product,
               .certainty = shared.certainty,
               .outliers = (drawn - left) / std::max(drawn, 1.0),
               .grain = fresh.observation->grain};
    double seen = 0; // renders, whose noise has no mean product
    double same = 0;
    for (std::size_t i = 0; i < fresh.a.size(); ++i) {
        const std::size_t pixel = i / kChannels;
        if (!kept[pixel]) {
            continue;
        }
        const double a = static_cast<double>(fresh.a[i]);
        const double b = static_cast<double>(fresh.b[i]);
        const double light = static_cast<double>(fresh.observation->image[i]) *
                             static_cast<double>(fresh.weights[i]);
        out.power += a * b / kChannels / std::max(left, 1.0);
        out.rounding += rounding[pixel] / kChannels / std::max(left, 1.0);
        out.noise += noise[pixel] / kChannels / std::max(left, 1.0);
        seen += (light + a) * (light + b);
        same += light * (2 * light + a + b) / 2;
    }
    out.brightness = seen > 0 ? same / seen : std::numeric_limits<double>::infinity();
    return out;
}

ViewVerdict judge(const Validation& fresh, const Misfit& found) {
    const double noise = std::sqrt(found.noise + kSmall * kSmall);
    return {.name = fresh.observation->name,
            .level = level_of(found),
            .ratio = root(found.power) / noise,
            .misfit = root(found.misfit),
            .noise = noise,
            .brightness = found.brightness,
            .outliers = found.outliers,
            .certainty = found.certainty};
}

Verdict judge(const std::vector<Validation>& validations) {
    Verdict out;
    double ratios = 0;
    double misfits = 0;
    for (const Validation& fresh : validations) {
        ViewVerdict own = judge(fresh, measure(fresh));
        out.level = std::max(out.level, own.level);
        ratios += own.ratio * own.ratio;
        misfits += own.misfit * own.misfit;
        out.views.push_back(std::move(own));
    }
    const auto count = static_cast<double>(std::max<std::size_t>(validations.size(), 1));
    out.ratio = std::sqrt(ratios / count);
    out.misfit = std::sqrt(misfits / count);
    return out;
}

} // namespace weft::fit
