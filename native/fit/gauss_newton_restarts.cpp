// SPDX-License-Identifier: Apache-2.0
// Whether a descent has ended where it should, and where else to begin.
#include "fit/gauss_newton_state.hpp"
#include "fit/starts.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

/// Averaged iterations after which the question is asked even if steps go on.
constexpr std::size_t kLatestQuestionAverages = 12;
constexpr double kLostError = 0.25; ///< of the range: an error of what the residuals do not tell
constexpr double kBoundDistance = 0.01; ///< of the range: at a bound

} // namespace

/// Whether enough iterations are averaged to ask whether this is the place.
bool GaussNewton::Implementation::is_due(bool is_still_here) const {
    const std::size_t averaged = average->count();
    if (!progress.attempts.candidates().empty()) {
        return progress.attempts.is_over(progress.state.iterations, averaged, is_still_here);
    }
    return averaged >= kLatestQuestionAverages ||
           (averaged >= kAveragesBeforeQuestion && is_still_here);
}

/// Asks whether this is the place; returns whether to go on elsewhere. Steps may end in another valley, where more than
/// noise is left of the residuals, or take parameters to where nothing tells them, such as a bound where derivatives
/// vanish: nothing there leads back. Other starts are tried then, and the best place counts.
/// @param pair of the last iteration.
bool GaussNewton::Implementation::question(const SamplePair& pair) {
    Attempts& attempts = progress.attempts;
    const std::vector<float> derivatives = averaged_derivatives();
    attempts.add(here(derivatives));
    const Vector products =
        neighbor_products({pair.a.residual, pair.b.residual}, settings.cluster_size);
    std::vector<bool> left =
        find_left(products, derivatives, attempts.groups(), settings.cluster_size);
    const std::vector<bool> returned = attempts.returned();
    const std::vector<bool> lost = doubtful();
    bool any = false;
    for (std::size_t i = 0; i < left.size(); ++i) {
        left[i] = left[i] && !returned[i];
        any = any || left[i] || lost[i];
    }
    Vector gathered = attempts.gathered();
    if (any && attempts.may_go_on(progress.state.iterations)) {
        begin_elsewhere(left, lost, gathered);
        return true;
    }
    if (gathered == progress.state.x) {
        return false;
    }
    progress.is_mixed = std::none_of(attempts.candidates().begin(), attempts.candidates().end(),
                                     [&](const auto& place) { return place->x == gathered; });
    progress.state.x = std::move(gathered);
    progress.seen.reset();
    average.emplace(progress.state.x);
    return true;
}

void GaussNewton::Implementation::begin_elsewhere(const std::vector<bool>& left,
                                                  const std::vector<bool>& lost,
                                                  const Vector& gathered) {
    const std::size_t number = progress.attempts.candidates().size();
    const Vector other = other_start(number, settings.low, settings.high);
    std::vector<bool> moved(left.size());
    for (std::size_t i = 0; i < left.size(); ++i) {
        moved[i] = left[i] || lost[i];
        if (left[i]) {
            progress.state.x[i] = settings.open_range[i] ? start[i] : other[i];
        } else if (lost[i]) {
            progress.state.x[i] = number == 1 ? start[i] : (settings.low[i] + settings.high[i]) / 2;
        } else {
            progress.state.x[i] = gathered[i];
        }
    }
    progress.attempts.begin(std::move(moved), progress.state.iterations);
    average.reset();
    progress.seen.reset();
    progress.state.is_averaging = progress.is_asked = progress.is_mixed = false;
    progress.reach = settings.radius;
}

/// Returns from parameters of several places to the best of these, if it is for sure better: groups that share
/// residuals may explain them best with others than they were found with.
bool GaussNewton::Implementation::leaves_mixture() {
    progress.is_mixed = false;
    const Candidate& best = *progress.attempts.best();
    const LossEstimate loss = estimate_loss(residuals.view(), settings.cluster_size);
    if (!BestIterate{best.x, {best.loss, best.deviation}}.is_below(loss)) {
        return false;
    }
    SolverState& state = progress.state;
    state.x = best.x;
    state.errors = best.errors;
    state.loss = best.loss;
    state.information = best.information;
    average.emplace(best.x);
    return true;
}

Candidate GaussNewton::Implementation::here(const std::vector<float>& derivatives) const {
    const SolverState& state = progress.state;
    return {state.loss,
            estimate_loss(residuals.view(), settings.cluster_size).deviation,
            group_losses(residuals.view(), derivatives, progress.attempts.groups()),
            state.x,
            state.errors,
            *state.information,
            progress.attempts.moved()};
}

/// Which parameters have moved to where residuals tell nothing of them.
std::vector<bool> GaussNewton::Implementation::doubtful() const {
    const SolverState& state = progress.state;
    std::vector<bool> out(start.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const double range = extent(i);
        const double to_bound =
            std::min(state.x[i] - settings.low[i], settings.high[i] - state.x[i]);
        const double most = to_bound < kBoundDistance * range ? kDoubtfulError : kLostError;
        out[i] = std::abs(state.x[i] - start[i]) > kMovedDistance * range &&
                 state.errors[i] > most * range;
    }
    return out;
}

/// The derivatives of the averaged model by parameters in units of their ranges.
std::vector<float> GaussNewton::Implementation::averaged_derivatives() const {
    const OwnedResiduals& jacobians = average->jacobians();
    std::vector<float> halves(start.size());
    for (std::size_t i = 0; i < halves.size(); ++i) {
        halves[i] = static_cast<float>(extent(i) / 2);
    }
    std::vector<float> out(jacobians.a.size());
    for (std::size_t row = 0; row < out.size(); row += halves.size()) {
        for (std::size_t i = 0; i < halves.size(); ++i) {
            out[row + i] = (jacobians.a[row + i] + jacobians.b[row + i]) * halves[i];
        }
    }
    return out;
}

} // namespace weft::fit
