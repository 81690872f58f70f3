// SPDX-License-Identifier: Apache-2.0
#include "fit/reweighting.hpp"

#include "fit/picture_noise.hpp"
#include "fit/quantiles.hpp"
#include "fit/validation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weft::fit {

namespace {

constexpr std::int64_t kPaths = std::int64_t{1} << 18U; ///< of a look between draws, all views
constexpr double kCutoff = 6.0; ///< standard deviations: residuals from here on have no say
constexpr double kTypicalResidual =
    0.888;                            ///< median of the root mean square of three normal numbers
constexpr double kLeastWeight = 1e-6; ///< what none has
constexpr double kChanged = 0.005;    ///< mean change of weights: below it they stand still
constexpr std::size_t kRounds = 4;    ///< of weighing, at most

} // namespace

float biweight(double distance) noexcept {
    const double share = std::min(distance * distance / (kCutoff * kCutoff), 1.0);
    return static_cast<float>(std::max((1 - share) * (1 - share), kLeastWeight));
}

Reweighting::Reweighting(const std::vector<View>& views) {
    const bool is_robust =
        std::ranges::any_of(views, [](const View& view) { return view.observation().robust; });
    m_rounds = is_robust ? 0 : kRounds;
}

bool Reweighting::is_over() const noexcept {
    return m_rounds >= kRounds;
}

bool Reweighting::go_on(ScalarModel& model, std::span<const double> x, std::vector<View>& views,
                        std::int64_t samples) {
    const std::vector<Validation> validations = draw_validations(model, x, views, samples, kPaths);
    // What is usual is the same for all views: one that disagrees with all others gets no scale of its own.
    std::vector<std::pair<std::size_t, std::vector<double>>> found;
    std::vector<double> together;
    for (std::size_t number = 0; number < views.size(); ++number) {
        if (!views[number].observation().robust) {
            continue;
        }
        std::vector<double> far = deviations(validations[number]);
        for (std::size_t pixel = 0; pixel < far.size(); ++pixel) {
            if (validations[number].counts[pixel]) {
                together.push_back(far[pixel]);
            }
        }
        found.emplace_back(number, std::move(far));
    }
    const auto count = static_cast<double>(std::max<std::size_t>(together.size(), 1));
    const double scale = std::max(median(std::move(together)) / kTypicalResidual, 1.0);
    double changes = 0;
    for (const auto& [number, far] : found) {
        std::vector<float> trust = views[number].trust();
        for (std::size_t pixel = 0; pixel < far.size(); ++pixel) {
            if (validations[number].counts[pixel]) {
                const float own = biweight(far[pixel] / scale);
                changes += std::abs(static_cast<double>(own - trust[pixel]));
                trust[pixel] = own;
            }
        }
        views[number].set_trust(std::move(trust));
    }
    const bool has_changed = changes / count > kChanged;
    m_rounds = has_changed ? m_rounds + 1 : kRounds;
    return has_changed;
}

} // namespace weft::fit
