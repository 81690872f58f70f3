// SPDX-License-Identifier: Apache-2.0
#include "fit/misfit.hpp"

#include "fit/picture_noise.hpp"
#include "fit/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace weft::fit {

namespace {

constexpr double kWrongMisfit =
    0.05; ///< of the light: from here on a scene is wrong, not nearly right
constexpr double kManyOutliers = 0.2;
constexpr double kMostRatio =
    3.0; ///< of residuals to noise: more is no noise, even if neighbours differ

/// Pixels that count and are not far off alone; all that count if none is left.
std::vector<bool> kept_pixels(const Validation& fresh, const PictureNoise& noise) {
    const std::vector<bool> outliers = find_outliers(fresh, noise, deviations(fresh, noise));
    std::vector<bool> kept(outliers.size());
    bool is_any = false;
    for (const std::uint32_t pixel : noise.drawn()) {
        const bool is_trusted = fresh.trust.empty() || fresh.trust[pixel] > kLeftOut;
        kept[pixel] = !outliers[pixel] && is_trusted;
        is_any = is_any || kept[pixel];
    }
    return is_any ? kept : fresh.counts;
}

/// How much light of a picture its renders have, which are two: their noise has no mean product.
class Overlap {
public:
    /// Adds a pixel. @return the mean product of its residuals.
    double add(const Validation& fresh, std::size_t pixel) {
        double product = 0;
        for (std::size_t i = pixel * kChannels; i < (pixel + 1) * kChannels; ++i) {
            const double a = static_cast<double>(fresh.a[i]);
            const double b = static_cast<double>(fresh.b[i]);
            const double light = static_cast<double>(fresh.observation->image[i]) *
                                 static_cast<double>(fresh.weights[i]);
            product += a * b / kChannels;
            m_renders += (light + a) * (light + b);
            m_both += light * (2 * light + a + b) / 2;
        }
        return product;
    }

    /// Picture over render.
    [[nodiscard]] double brightness() const noexcept {
        return m_renders > 0 ? m_both / m_renders : std::numeric_limits<double>::infinity();
    }

private:
    double m_renders = 0;
    double m_both = 0;
};

double root(double square) {
    return std::sqrt(std::max(square, 0.0));
}

/// Whether residuals are too large for noise, however they lie. What JPEG does to blocks of pixels does not show from pixel
/// to pixel, and is no part of noise.
bool is_too_much(const Misfit& found) noexcept {
    return found.grain == 1 &&
           found.power > kMostRatio * kMostRatio * (found.noise + kSmall * kSmall);
}

VerdictLevel level_of(const Misfit& found) {
    const bool is_left = found.certainty > kMisfitSigmas;
    const double misfit = std::max(found.misfit, 0.0);
    if ((is_left && misfit > kWrongMisfit * kWrongMisfit + found.rounding) ||
        found.outliers > kManyOutliers) {
        return VerdictLevel::wrong;
    }
    if ((is_left && misfit > kSmall * kSmall + found.rounding) || is_too_much(found) ||
        found.outliers > kFewOutliers) {
        return VerdictLevel::doubtful;
    }
    return VerdictLevel::explained;
}

} // namespace

bool exceeds_noise(const Misfit& found) noexcept {
    return found.certainty > kMisfitSigmas || is_too_much(found);
}

Misfit measure(const Validation& fresh) {
    const PictureNoise noise(fresh);
    const std::vector<bool> kept = kept_pixels(fresh, noise);
    const std::vector<double> variances = noise.variances(kept);
    const SharedResidual shared = find_shared({.height = fresh.height(),
                                               .width = fresh.width(),
                                               .a = fresh.a,
                                               .b = fresh.b,
                                               .grain = fresh.observation->grain},
                                              kept);
    const auto drawn = static_cast<double>(noise.drawn().size());
    const auto left = static_cast<double>(std::ranges::count(kept, true));
    const double share = 1 / std::max(left, 1.0);
    Misfit out{.misfit = shared.product,
               .certainty = shared.certainty,
               .outliers = (drawn - left) / std::max(drawn, 1.0),
               .grain = fresh.observation->grain,
               .pixels = noise.drawn().size()};
    Overlap light;
    for (std::size_t place = 0; place < noise.drawn().size(); ++place) {
        const std::size_t pixel = noise.drawn()[place];
        if (kept[pixel]) {
            out.power += light.add(fresh, pixel) * share;
            out.rounding += noise.rounding_variance(pixel) * share;
            out.noise += variances[place] * share;
        }
    }
    out.brightness = light.brightness();
    return out;
}

ViewVerdict judge(const Misfit& found, std::string name) {
    const double noise = std::sqrt(found.noise + kSmall * kSmall);
    return {.name = std::move(name),
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
        ViewVerdict own = judge(measure(fresh), fresh.observation->name);
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
