// SPDX-License-Identifier: Apache-2.0
#include "fit/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::fit {

namespace {

constexpr double kUsualDescent = 6;  ///< iterations before the linear model is averaged
constexpr double kUsualAverages = 8; ///< afterwards, where nothing better is known
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// After how many averaged iterations an error is as small as asked for.
///
/// With n iterations the variance of a parameter is V (d m / n + 1 - d), V that after m and d the fraction of it by noise
/// of the renders; enough is what GaussNewton takes for exact.
/// @param variance V, relative to the range. @param fraction d. @param tolerance of the range.
/// @return as a multiple of m.
double averages_wanted(double variance, double fraction, double tolerance) {
    const double drawn = fraction * variance;
    const double fixed = (1 - fraction) * variance;
    const double room = tolerance * tolerance - fixed;
    const double by_tolerance = room > 0 ? drawn / room : kInfinite;
    const double ratio = (1 - kDrawnFraction) / kDrawnFraction;
    const double by_pictures = fixed > 0 ? ratio * drawn / std::max(fixed, 1e-300) : kInfinite;
    return std::min(by_tolerance, by_pictures);
}

double averages_needed(const GaussNewton& solver) {
    const SolverState& state = solver.state();
    const SolverSettings& settings = solver.settings();
    if (!state.information || state.information->drawn_fraction.size() != state.errors.size()) {
        return kInfinite;
    }
    const Vector& fraction = state.information->drawn_fraction;
    double most = 0;
    for (std::size_t i = 0; i < fraction.size(); ++i) {
        const double error = state.errors[i] / (settings.high[i] - settings.low[i]);
        if (!std::isfinite(error)) {
            return kInfinite;
        }
        most = std::max(most, averages_wanted(error * error, fraction[i], settings.tolerance));
    }
    return std::max(static_cast<double>(solver.averaged()) * most,
                    static_cast<double>(kAveragesBeforeQuestion));
}

} // namespace

double remaining_iterations(const GaussNewton& solver, std::size_t limit,
                            std::optional<std::size_t> averages) {
    const SolverState& state = solver.state();
    if (state.is_done) {
        return 0;
    }
    const double left = static_cast<double>(limit) - static_cast<double>(state.iterations);
    if (!averages && solver.may_start_elsewhere()) {
        return left; // how many starts there will be is not known
    }
    double descent = 0;
    const auto averaged = static_cast<double>(solver.averaged());
    double wanted = static_cast<double>(kAveragesBeforeQuestion) + kUsualAverages;
    if (!state.is_averaging) {
        descent = std::max(kUsualDescent - static_cast<double>(state.iterations), 1.0);
    } else if (averaged > 0) {
        wanted = averages_needed(solver);
    }
    if (averages) {
        wanted = std::min(wanted, static_cast<double>(*averages));
    }
    return std::max(std::min(descent + std::max(wanted - averaged, 1.0), left), 0.0);
}

} // namespace weft::fit
