// SPDX-License-Identifier: Apache-2.0
// The descent of Gauss-Newton: steps on the samples of one iteration each, from a start to a valley.
#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/gauss_newton_state.hpp"
#include "fit/starts.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

constexpr double kShortStep = 0.03; ///< of the range: the last one on the samples of an iteration
constexpr double kGrowth = 1.5;     ///< of the largest step, after one that lowered the loss
constexpr double kShrinkage = 3.0;  ///< of the largest step, after one that raised it

/// The change of the loss between residuals on the same samples, and its deviation by noise.
LossEstimate change_of_loss(const ResidualPair& after, const ResidualPair& before) {
    const double count = static_cast<double>(before.a.size());
    double sum = 0;
    double squares = 0;
    for (std::size_t i = 0; i < before.a.size(); ++i) {
        const double change = static_cast<double>(after.a[i]) * static_cast<double>(after.b[i]) -
                              static_cast<double>(before.a[i]) * static_cast<double>(before.b[i]);
        sum += change;
        squares += change * change;
    }
    return {sum, std::sqrt(std::max(squares - sum * sum / count, 0.0))};
}

void require_same_count(const ResidualPair& found, const ResidualPair& expected) {
    if (found.a.size() != expected.a.size() || found.b.size() != expected.b.size()) {
        throw core::ArgumentError(core::text(
            "GaussNewton: the model's residuals() must return as many as its linearize(), ",
            expected.a.size(), ", got ", found.a.size(), " and ", found.b.size()));
    }
}

} // namespace

/// Takes steps on the samples of this iteration, as long as they pay.
void GaussNewton::Implementation::descend() {
    SolverState& state = progress.state;
    SamplePair pair = linearize(state.x);
    if (is_astray(pair)) {
        pair = return_to_seen();
    }
    Vector x = state.x;
    bool is_noise = false;
    for (std::size_t number = 0; number < settings.inner_steps; ++number) {
        if (number > 0) {
            pair = linearize(x);
        }
        const ResidualPair own{pair.a.residual, pair.b.residual};
        NormalEquations equations = normal_equations(pair, settings.cluster_size, pool(pair));
        state.loss = equations.loss / static_cast<double>(own.a.size());
        add_priors(equations, x, residual_variance(own));
        const Quadratic quadratic = safe_quadratic(equations);
        is_noise = is_still(quadratic);
        const std::optional<Vector> candidate = shortened_step(quadratic, x, pair);
        if (!candidate.has_value()) {
            break;
        }
        const double length = step_length(x, *candidate);
        x = *candidate;
        if (length < kShortStep || is_noise) {
            break;
        }
    }
    state.x = x;
    residuals.a.assign(pair.a.residual.begin(), pair.a.residual.end());
    residuals.b.assign(pair.b.residual.begin(), pair.b.residual.end());
    const bool is_long = state.iterations - progress.attempts.began() >= settings.warm_iterations;
    // Without averaged iterations there are no errors.
    if (is_noise || is_long || is_late()) {
        state.is_averaging = true;
        average.emplace(state.x);
    }
}

/// The largest part of a step, of the range of its number.
double GaussNewton::Implementation::step_length(const Vector& from, const Vector& to) const {
    double out = 0;
    for (std::size_t i = 0; i < from.size(); ++i) {
        out = std::max(out, std::abs(to[i] - from[i]) / extent(i));
    }
    return out;
}

/// Whether the best place on the descent is better than this one for sure. Steps are chosen by the samples of one
/// iteration, whose noise may lead astray; those of the next one tell. Both places are compared in its samples, too,
/// before a step is taken back.
bool GaussNewton::Implementation::is_astray(const SamplePair& pair) {
    const ResidualPair own{pair.a.residual, pair.b.residual};
    const LossEstimate loss = estimate_loss(own, settings.cluster_size);
    std::optional<BestIterate>& seen = progress.seen;
    if (!seen.has_value() || loss.loss < seen->loss.loss) {
        seen = BestIterate{progress.state.x, loss};
        return false;
    }
    if (!seen->is_below(loss)) {
        return false;
    }
    const ResidualPair best = model.residuals(seen->x);
    require_same_count(best, own);
    SignificanceSum change;
    for (std::size_t i = 0; i < own.a.size();) {
        double cluster = 0;
        for (std::size_t end = i + settings.cluster_size; i < end; ++i) {
            cluster += static_cast<double>(own.a[i]) * static_cast<double>(own.b[i]) -
                       static_cast<double>(best.a[i]) * static_cast<double>(best.b[i]);
        }
        change.add(cluster);
    }
    return change.is_above(kSignificantDeviations);
}

/// Goes back to the best place on the descent; returns the linearisation there.
SamplePair GaussNewton::Implementation::return_to_seen() {
    progress.state.x = progress.seen->x;
    progress.reach = std::max(progress.reach / 2, kMinRadius);
    return linearize(progress.state.x);
}

/// A step that does not raise the loss on these samples; none: no step is that short.
std::optional<Vector> GaussNewton::Implementation::shortened_step(const Quadratic& quadratic,
                                                                  const Vector& x,
                                                                  const SamplePair& pair) {
    const ResidualPair before{pair.a.residual, pair.b.residual};
    const double variance = residual_variance(before);
    while (true) {
        Vector candidate = bounded_step(quadratic, x);
        const ResidualPair after = model.residuals(candidate);
        require_same_count(after, before);
        const LossEstimate change = change_of_loss(after, before);
        const double rise =
            change.loss + loss_of_priors(candidate, variance) - loss_of_priors(x, variance);
        if (rise <= change.deviation) {
            progress.reach = std::min(progress.reach * kGrowth, settings.radius);
            return candidate;
        }
        progress.reach /= kShrinkage;
        if (progress.reach < kMinRadius) {
            progress.reach = kMinRadius;
            return std::nullopt;
        }
    }
}

double GaussNewton::Implementation::loss_of_priors(const Vector& x, double variance) const {
    double sum = 0;
    for (const std::optional<Prior>* prior : {&settings.prior, &settings.hold}) {
        sum += prior->has_value() ? (*prior)->loss(x, variance) : 0.0;
    }
    return sum;
}

} // namespace weft::fit
