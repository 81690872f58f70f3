// SPDX-License-Identifier: Apache-2.0
#include "fit/gauss_newton.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/gauss_newton_state.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

constexpr std::size_t kPoolFloats = std::size_t{1} << 20; ///< of a Jacobian, worth threads

void require_ranges(const SolverSettings& settings, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
        if (!(settings.low[i] < settings.high[i])) {
            throw core::ArgumentError(core::text("GaussNewton: low must be below high, got ",
                                                 settings.low[i], " and ", settings.high[i],
                                                 " for parameter ", i));
        }
    }
    for (const std::int64_t group : settings.groups) {
        if (group < 0 || group >= static_cast<std::int64_t>(count)) {
            throw core::ArgumentError(core::text("GaussNewton: groups must be numbers from 0 to ",
                                                 count, " (excluded), got ", group));
        }
    }
}

void require_settings(const SolverSettings& settings, std::size_t count) {
    const auto require_size = [count](std::size_t size, const char* name, bool may_be_empty) {
        if (size != count && (!may_be_empty || size != 0)) {
            throw core::ArgumentError(core::text("GaussNewton: ", name, " must have ", count,
                                                 " entries as the start has, got ", size));
        }
    };
    require_size(settings.low.size(), "low", false);
    require_size(settings.high.size(), "high", false);
    require_size(settings.open_range.size(), "open_range", true);
    require_size(settings.groups.size(), "groups", true);
    for (const auto& [prior, name] :
         {std::pair(&settings.prior, "prior"), std::pair(&settings.hold, "hold")}) {
        if (prior->has_value()) {
            require_size((*prior)->expected.size(), name, false);
            require_size((*prior)->precision.size(), name, false);
        }
    }
    require_ranges(settings, count);
    if (count == 0 || settings.cluster_size == 0 || settings.starts == 0 ||
        !(settings.radius > 0)) {
        throw core::ArgumentError(core::text(
            "GaussNewton: at least one parameter, cluster_size and starts of 1 or more "
            "and a radius above 0 were expected, got ",
            count, ", ", settings.cluster_size, ", ", settings.starts, " and ", settings.radius));
    }
}

SolverSettings checked(SolverSettings settings, std::size_t count) {
    require_settings(settings, count);
    settings.groups.resize(count, 0);
    settings.open_range.resize(count, false);
    return settings;
}

Vector within(Vector x, const SolverSettings& settings) {
    for (std::size_t i = 0; i < x.size(); ++i) {
        x[i] = std::clamp(x[i], settings.low[i], settings.high[i]);
    }
    return x;
}

Attempts attempts_of(const SolverSettings& settings) {
    Vector extent(settings.low.size());
    for (std::size_t i = 0; i < extent.size(); ++i) {
        extent[i] = settings.high[i] - settings.low[i];
    }
    return Attempts({settings.groups, extent, settings.starts, settings.max_iterations});
}

} // namespace

bool BestIterate::is_below(const LossEstimate& other) const noexcept {
    return other.loss - loss.loss >
           kSignificantDeviations *
               std::sqrt(other.deviation * other.deviation + loss.deviation * loss.deviation);
}

bool is_still(const Quadratic& quadratic) noexcept {
    return std::all_of(quadratic.ratios.begin(), quadratic.ratios.end(), [](double ratio) {
        return ratio < kSignificantDeviations * kSignificantDeviations;
    });
}

GaussNewton::Implementation::Implementation(Model& own_model, Vector own_start,
                                            SolverSettings own_settings)
    : model(own_model), settings(checked(std::move(own_settings), own_start.size())),
      start(within(std::move(own_start), settings)), progress{{}, attempts_of(settings)} {
    progress.state.x = start;
    progress.state.errors.assign(start.size(), std::numeric_limits<double>::infinity());
    progress.reach = settings.radius;
}

void GaussNewton::Implementation::step() {
    const Progress before = progress;
    try {
        model.draw(progress.state.x);
        ++progress.state.iterations;
        if (average.has_value()) {
            add_to_average();
        } else {
            descend();
        }
    } catch (...) {
        progress = before;
        throw;
    }
}

void GaussNewton::Implementation::forget() {
    average.reset();
    progress.is_asked = progress.is_mixed = false;
    progress.seen.reset();
    progress.attempts.forget(progress.state.iterations);
    progress.state.is_averaging = progress.state.is_done = false;
}

bool GaussNewton::Implementation::is_elsewhere() const noexcept {
    return !progress.attempts.candidates().empty() && (progress.is_mixed || !progress.is_asked);
}

bool GaussNewton::Implementation::may_start_elsewhere() const noexcept {
    return settings.starts > 1 && (progress.is_mixed || !progress.is_asked);
}

SamplePair GaussNewton::Implementation::linearize(std::span<const double> x) {
    const SamplePair pair = model.linearize(x);
    require_shapes(pair, start.size(), settings.cluster_size, "GaussNewton");
    require_finite(pair, "GaussNewton");
    return pair;
}

core::ThreadPool* GaussNewton::Implementation::pool(const SamplePair& pair) {
    if (m_pool == nullptr && pair.a.jacobian.size() >= kPoolFloats) {
        m_pool = std::make_unique<core::ThreadPool>();
    }
    return m_pool.get();
}

Vector GaussNewton::Implementation::extents() const {
    Vector out(start.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] = extent(i);
    }
    return out;
}

/// Where the loss is smallest within the bounds and not too far from `x`.
Vector GaussNewton::Implementation::bounded_step(const Quadratic& quadratic,
                                                 const Vector& x) const {
    Vector low(x.size());
    Vector high(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
        const double most = progress.reach * extent(i);
        low[i] = std::min(std::max(settings.low[i] - x[i], -most), 0.0);
        high[i] = std::max(std::min(settings.high[i] - x[i], most), 0.0);
    }
    Vector moved = quadratic.step(low, high);
    for (std::size_t i = 0; i < x.size(); ++i) {
        moved[i] += x[i];
    }
    return within(std::move(moved), settings);
}

void GaussNewton::Implementation::add_priors(NormalEquations& equations, const Vector& x,
                                             double variance) const {
    for (const std::optional<Prior>* prior : {&settings.prior, &settings.hold}) {
        if (prior->has_value() && (*prior)->knows_anything()) {
            (*prior)->add_to(equations, x, variance);
        }
    }
}

/// Whether hardly more iterations are left than an average needs.
bool GaussNewton::Implementation::is_late() const noexcept {
    return settings.max_iterations.has_value() &&
           progress.state.iterations + kAveragesBeforeQuestion >= *settings.max_iterations;
}

GaussNewton::GaussNewton(Model& model, Vector start, SolverSettings settings)
    : m_implementation(
          std::make_unique<Implementation>(model, std::move(start), std::move(settings))) {}
GaussNewton::~GaussNewton() = default;
GaussNewton::GaussNewton(GaussNewton&& other) noexcept = default;
GaussNewton& GaussNewton::operator=(GaussNewton&& other) noexcept = default;

const SolverState& GaussNewton::step() {
    m_implementation->step();
    return state();
}

const SolverState& GaussNewton::state() const noexcept {
    return m_implementation->progress.state;
}

const SolverSettings& GaussNewton::settings() const noexcept {
    return m_implementation->settings;
}

const Vector& GaussNewton::start() const noexcept {
    return m_implementation->start;
}

const Attempts& GaussNewton::attempts() const noexcept {
    return m_implementation->progress.attempts;
}

ResidualPair GaussNewton::residuals() const noexcept {
    return m_implementation->residuals.view();
}

std::size_t GaussNewton::averaged() const noexcept {
    const auto& average = m_implementation->average;
    return average.has_value() ? average->count() : 0;
}

const Candidate* GaussNewton::best() const noexcept {
    return attempts().best();
}

bool GaussNewton::is_elsewhere() const noexcept {
    return m_implementation->is_elsewhere();
}

bool GaussNewton::may_start_elsewhere() const noexcept {
    return m_implementation->may_start_elsewhere();
}

std::optional<GaussNewton::AveragedModel> GaussNewton::averaged_model() const {
    if (averaged() == 0) {
        return std::nullopt;
    }
    const LinearAverage& average = *m_implementation->average;
    OwnedResiduals own = average.residuals_at(state().x, nullptr);
    const OwnedResiduals& jacobians = average.jacobians();
    return AveragedModel{std::move(own.a), std::move(own.b), jacobians.a, jacobians.b};
}

void GaussNewton::forget() {
    m_implementation->forget();
}

SavedArrays GaussNewton::save() const {
    return m_implementation->save();
}

void GaussNewton::restore(const SavedArrays& saved) {
    m_implementation->restore(saved);
}

} // namespace weft::fit
