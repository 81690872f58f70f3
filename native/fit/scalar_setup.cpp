// SPDX-License-Identifier: Apache-2.0
#include "fit/scalar_setup.hpp"

#include "fit/noise_meter.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace weft::fit {

namespace {

constexpr double kStartDeviation =
    1.0; ///< of the range: how far from its start a number may be while nothing is known

} // namespace

std::vector<std::string> names_of(std::span<const Observation> observations) {
    std::vector<std::string> names;
    names.reserve(observations.size());
    for (const Observation& observation : observations) {
        names.push_back(observation.name);
    }
    return names;
}

std::vector<std::string> all_names(std::span<const Parameter> parameters) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) {
        names.push_back(parameter.name);
        names.insert(names.end(), parameter.tied.begin(), parameter.tied.end());
    }
    return names;
}

SolverSettings solver_settings(const Unknowns& unknowns, const FitSettings& settings) {
    const std::vector<bool> open = unknowns.open_range();
    std::vector<bool> held = open;
    held.flip();
    SolverSettings out{.low = unknowns.low, .high = unknowns.high};
    out.tolerance = settings.tolerance;
    out.prior = unknowns.prior;
    out.hold = Prior::none(held.size())
                   .holding(held, unknowns.start, unknowns.range_fraction(kStartDeviation));
    out.starts = settings.starts;
    out.open_range = open;
    out.groups = unknowns.groups();
    out.cluster_size = kChannels;
    out.max_iterations = settings.max_iterations;
    return out;
}

std::vector<std::vector<float>> loss_weights(const std::vector<View>& views) {
    std::vector<std::vector<float>> out;
    out.reserve(views.size());
    for (const View& view : views) {
        out.push_back(view.noise_weights());
    }
    return out;
}

std::vector<DrawnView> drawn_views(const std::vector<View>& views) {
    std::vector<DrawnView> out;
    out.reserve(views.size());
    for (const View& view : views) {
        out.push_back({.pixels = view.pixels(), .weights = view.weights()});
    }
    return out;
}

std::vector<CountedView> counted_views(const std::vector<View>& views) {
    std::vector<CountedView> out;
    out.reserve(views.size());
    for (const View& view : views) {
        out.push_back({.trust = view.trust(), .lost = &view.lost()});
    }
    return out;
}

std::int64_t drawn_pixels(const std::vector<View>& views) {
    std::int64_t out = 0;
    for (const View& view : views) {
        out += std::ssize(view.pixels());
    }
    return out;
}

void record_loss(LossMeter& meter, const std::vector<View>& views, const ResidualPair& residuals) {
    meter.record(drawn_views(views), residuals);
}

void begin_loss(LossMeter& meter, const std::vector<View>& views, const ResidualPair& residuals) {
    NoiseMeter noise(views);
    noise.add(residuals);
    meter.set_noise(noise.relative_noise());
    record_loss(meter, views, residuals);
}

std::vector<FittedValue> fitted_values(const Unknowns& unknowns, const Vector& x,
                                       const Vector& errors) {
    const Vector values = unknowns.values(x);
    const Vector derivatives = unknowns.derivatives(x);
    std::vector<FittedValue> out;
    for (const UnknownBlock& block : unknowns.blocks) {
        FittedValue value{.name = block.name, .value = {}, .error = {}};
        for (std::size_t i = block.first; i < block.first + block.size; ++i) {
            value.value.push_back(values[i]);
            value.error.push_back(errors[i] * derivatives[i]);
        }
        out.push_back(std::move(value));
    }
    return out;
}

bool are_shared(const Verdict& verdict, std::span<const Observation> observations) {
    return std::ranges::any_of(
               verdict.views,
               [](const ViewVerdict& own) { return own.certainty > kMisfitSigmas; }) ||
           std::ranges::any_of(observations, [](const Observation& own) { return own.grain > 1; });
}

void add_errors(Verdict& verdict, const std::vector<FittedValue>& values, const Vector& factors) {
    verdict.inflation = *std::ranges::max_element(factors);
    std::size_t unknown = 0;
    for (const FittedValue& found : values) {
        Vector errors = found.error;
        for (double& error : errors) {
            error *= factors[unknown++];
        }
        verdict.errors.push_back(std::move(errors));
    }
}

} // namespace weft::fit
