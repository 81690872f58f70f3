// SPDX-License-Identifier: Apache-2.0
// Where a descent ends: the linear model of the residuals, averaged over iterations and solved.
#include "fit/gauss_newton_state.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

void GaussNewton::Implementation::add_to_average() {
    SolverState& state = progress.state;
    SamplePair pair = linearize(state.x);
    const bool is_elsewhere_now = is_astray(pair);
    if (is_elsewhere_now) {
        pair = return_to_seen();
    }
    // The model is not asked again in this step.
    renew_average(pair, is_elsewhere_now);
    core::ThreadPool* threads = pool(pair);
    average->add(state.x, pair, threads);
    const Quadratic quadratic =
        averaged_quadratic(average->residuals_at(state.x, threads), threads);
    state.x = bounded_step(quadratic, state.x);
    residuals = average->residuals_at(state.x, threads);
    state.loss = estimate_loss(residuals.view(), settings.cluster_size).loss;
    learn(m_equations, residuals, threads);
    if (progress.is_mixed && average->count() >= kMinAverages && leaves_mixture()) {
        return;
    }
    if (!progress.is_asked && is_due(is_still(quadratic))) {
        progress.is_asked = true;
        if (question(pair)) {
            return;
        }
    }
    state.is_done = average->count() >= 2 && progress.is_asked && is_exact();
}

/// A linear model serves a neighbourhood only: what was averaged elsewhere is forgotten.
void GaussNewton::Implementation::renew_average(const SamplePair& pair, bool is_new) {
    const Vector& x = progress.state.x;
    if (is_new) {
        average.emplace(x);
        return;
    }
    if (average->count() == 0) {
        if (has_left()) {
            average.emplace(x);
        }
        return;
    }
    const OwnedResiduals expected = average->residuals_at(x, pool(pair));
    if (expected.a.size() != pair.residual_count()) {
        average.emplace(x);
    } else if (differ(expected.view(), {pair.a.residual, pair.b.residual})) {
        progress.reach = std::max(progress.reach / 2, kMinRadius);
        average.emplace(x);
    } else if (has_left()) {
        average.emplace(x);
    }
}

/// The averaged model's, where the parameters are.
Quadratic GaussNewton::Implementation::averaged_quadratic(const OwnedResiduals& own,
                                                          core::ThreadPool* threads) {
    m_equations = normal_equations(average->pair_with(own), settings.cluster_size, threads);
    NormalEquations total = m_equations;
    add_priors(total, progress.state.x, residual_variance(own.view()));
    // The noise of an average stays: it is no reason to wait for the next iteration.
    const double count = static_cast<double>(average->count());
    return safe_quadratic(total, kCaution / (count * count));
}

/// Whether steps have led, by more than noise, to where the derivatives may be others. Not where too few iterations
/// are left to average anew: results of a line that is a little bent are better than those that nothing tells.
bool GaussNewton::Implementation::has_left() const {
    if (is_late()) {
        return false;
    }
    for (std::size_t i = 0; i < start.size(); ++i) {
        const double far =
            std::max(kMovedDistance * extent(i), kSignificantDeviations * progress.state.errors[i]);
        if (std::abs(progress.state.x[i] - average->origin()[i]) > far) {
            return true;
        }
    }
    return false;
}

/// Whether errors are as small as was asked for, or as the target allows.
bool GaussNewton::Implementation::is_exact() const {
    const SolverState& state = progress.state;
    bool are_small = true;
    bool are_final = true;
    for (std::size_t i = 0; i < start.size(); ++i) {
        const bool is_small = state.errors[i] <= settings.tolerance * extent(i);
        are_small = are_small && is_small;
        are_final =
            are_final && (is_small || state.information->drawn_fraction[i] <= kDrawnFraction);
    }
    return are_small || (average->count() > kAveragesBeforeQuestion && are_final);
}

/// Finds what the averaged model says at the parameters. @param equations of its derivatives, with any residuals.
void GaussNewton::Implementation::learn(NormalEquations equations, const OwnedResiduals& own,
                                        core::ThreadPool* threads) {
    SolverState& state = progress.state;
    Vector known;
    if (settings.prior.has_value()) {
        const double variance = residual_variance(own.view());
        settings.prior->add_to(equations, state.x, variance);
        known = settings.prior->precision;
        for (double& each : known) {
            each *= variance;
        }
    }
    const Vector extent_of_all = extents();
    state.information = gather_information(equations, average->pair_with(own),
                                           {.known = known,
                                            .cluster_size = settings.cluster_size,
                                            .extent = extent_of_all,
                                            .noise_of_pair = true},
                                           threads);
    state.errors = standard_errors(state.information->covariance, state.information->lost);
}

} // namespace weft::fit
