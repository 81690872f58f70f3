// SPDX-License-Identifier: Apache-2.0
#include "fit/scalar_fit.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/build_views.hpp"
#include "fit/gauss_newton.hpp"
#include "fit/inflation.hpp"
#include "fit/loss_meter.hpp"
#include "fit/reweighting.hpp"
#include "fit/sample_counts.hpp"
#include "fit/scalar_model.hpp"
#include "fit/smooth_glass.hpp"
#include "fit/validation.hpp"

#include <algorithm>
#include <cmath>
#include <optional>

namespace weft::fit {

namespace {

using core::ArgumentError;
using core::text;

constexpr std::size_t kAveragesToWeigh =
    2; ///< averaged iterations: pixels of photos are weighed then
constexpr double kStartDeviation =
    1.0; ///< of the range: how far from its start a number may be while nothing is known

std::vector<std::string> names_of(const std::vector<Observation>& observations) {
    std::vector<std::string> names;
    names.reserve(observations.size());
    for (const Observation& observation : observations) {
        names.push_back(observation.name);
    }
    return names;
}

/// Names of parameters, and of those that are tied to them.
std::vector<std::string> all_names(const std::vector<Parameter>& parameters) {
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
    Vector deviation(unknowns.start.size());
    for (std::size_t i = 0; i < deviation.size(); ++i) {
        deviation[i] = kStartDeviation * (unknowns.high[i] - unknowns.low[i]);
    }
    SolverSettings out{.low = unknowns.low, .high = unknowns.high};
    out.tolerance = settings.tolerance;
    out.prior = unknowns.prior;
    out.hold = Prior::none(deviation.size()).holding(held, unknowns.start, deviation);
    out.starts = settings.starts;
    out.open_range = open;
    out.groups = unknowns.groups();
    out.cluster_size = kChannels;
    out.max_iterations = settings.max_iterations;
    return out;
}

std::vector<std::vector<float>> loss_weights(const std::vector<View>& views) {
    std::vector<std::vector<float>> out;
    for (const View& view : views) {
        out.push_back(view.noise_weights());
    }
    return out;
}

} // namespace

class ScalarFit::Implementation {
public:
    Implementation(render::Renderer& renderer, std::vector<Observation> observations,
                   const Sought& sought, FitSettings settings, core::InterruptPoll check)
        : m_renderer(renderer), m_tables(renderer.tables()), m_settings(settings),
          m_observations(std::move(observations)),
          m_unknowns(build_unknowns(*renderer.tables()->materials(), sought.parameters,
                                    sought.exposures, names_of(m_observations), sought.lights)),
          m_views(build_views(renderer, sought.parameters, sought.lights)),
          m_meter(loss_weights(m_views)), m_model(renderer.tables(), m_views, m_unknowns,
                                                  {.samples = settings.samples,
                                                   .bounces = settings.bounces,
                                                   .seed = settings.seed,
                                                   .check = std::move(check)}),
          m_solver(m_model, m_unknowns.start, solver_settings(m_unknowns, settings)) {}

    void step() {
        require_same_scene(m_renderer, m_tables);
        if (!m_has_begun) {
            m_has_begun = m_model.select_pixels(m_unknowns.start, m_settings.information);
            if (!m_has_begun) {
                throw ArgumentError("Fit: no pixel changes with the parameters; look whether the "
                                    "cameras see the materials that have them");
            }
        }
        // The numbers stand nearly still: residuals tell which pixels nothing explains.
        if (!m_weighing.is_over() && m_solver.averaged() >= kAveragesToWeigh &&
            m_weighing.go_on(look(), m_views, m_settings.samples)) {
            m_solver.forget();
        }
        m_model.set_samples(samples());
        m_solver.step();
        record_loss();
    }

    [[nodiscard]] FitState state() const {
        const SolverState& solver = m_solver.state();
        FitState out{.iterations = solver.iterations,
                     .loss = m_meter.loss(counted()),
                     .noise_floor = m_meter.noise_floor(counted()),
                     .is_done = (solver.is_done && m_weighing.is_over()) ||
                                solver.iterations >= m_settings.max_iterations,
                     .has_converged = solver.is_done};
        const Vector values = m_unknowns.values(x());
        const Vector derivatives = m_unknowns.derivatives(x());
        const Vector& errors = best() == nullptr ? solver.errors : best()->errors;
        for (const UnknownBlock& block : m_unknowns.blocks) {
            FittedValue value{.name = block.name, .value = {}, .error = {}};
            for (std::size_t i = block.first; i < block.first + block.size; ++i) {
                value.value.push_back(values[i]);
                value.error.push_back(errors[i] * derivatives[i]);
            }
            out.values.push_back(std::move(value));
        }
        for (const View& view : m_views) {
            if (std::string problem = view.problem(); !problem.empty()) {
                out.problems.push_back(std::move(problem));
            }
        }
        return out;
    }

    [[nodiscard]] Verdict judge() {
        Verdict out = fit::judge(draw_validations(look(), m_views, m_settings.samples));
        const bool is_shared =
            std::ranges::any_of(
                out.views, [](const ViewVerdict& own) { return own.certainty > kMisfitSigmas; }) ||
            std::ranges::any_of(m_observations,
                                [](const Observation& own) { return own.grain > 1; });
        const Vector factors =
            is_shared ? error_factors(out.ratio) : Vector(m_unknowns.start.size(), 1.0);
        out.inflation = *std::ranges::max_element(factors);
        std::size_t unknown = 0;
        for (const FittedValue& found : state().values) {
            Vector errors = found.error;
            for (double& error : errors) {
                error *= factors[unknown++];
            }
            out.errors.push_back(std::move(errors));
        }
        return out;
    }

    void write() { m_model.write(x()); }

private:
    [[nodiscard]] Look look() {
        return [this](std::int64_t samples, std::uint64_t draw) {
            return m_model.look(x(), samples, draw);
        };
    }

    /// By which errors grow where neighbours share residuals.
    /// @param ratio of residuals to noise: what they grow by if nothing better is known (Birge 1932).
    [[nodiscard]] Vector error_factors(double ratio) const {
        const std::optional<GaussNewton::AveragedModel> model = m_solver.averaged_model();
        const std::optional<Information>& information = m_solver.state().information;
        if (!model || !information || m_solver.is_elsewhere()) {
            return Vector(m_unknowns.start.size(), std::max(ratio, 1.0));
        }
        std::vector<ViewPixels> drawn;
        for (const View& view : m_views) {
            drawn.push_back({.pixels = view.pixels(), .width = view.width()});
        }
        return inflation({.a = {model->residual_a, model->jacobian_a},
                          .b = {model->residual_b, model->jacobian_b}},
                         drawn, information->matrix);
    }

    void record_loss() {
        std::vector<DrawnView> drawn;
        for (const View& view : m_views) {
            drawn.push_back({.pixels = view.pixels(), .weights = view.weights()});
        }
        m_meter.record(drawn, m_solver.residuals());
    }

    [[nodiscard]] std::vector<CountedView> counted() const {
        std::vector<CountedView> out;
        for (const View& view : m_views) {
            out.push_back({.trust = view.trust(), .lost = &view.lost()});
        }
        return out;
    }

    std::vector<View> build_views(render::Renderer& renderer,
                                  const std::vector<Parameter>& parameters,
                                  const std::vector<LightParameter>& lights) const {
        const UnknownDirections directions =
            m_unknowns.directions(m_tables->materials()->values.size());
        const std::vector<std::uint32_t> materials =
            owning_materials(renderer.scene(), all_names(parameters));
        const auto light = find_light_parts(renderer, m_observations, lights, parameters);
        return fit::build_views(renderer, m_observations, light,
                                {.materials = materials, .rows = directions.rows});
    }

    /// Paths a pixel of the next iteration: more where pixels are few. Steps far from the end outweigh noise: half as many
    /// do, if that is enough.
    [[nodiscard]] std::int64_t samples() const {
        const std::int64_t wanted = m_settings.samples;
        const std::int64_t least = m_solver.state().is_averaging ? wanted : (wanted + 1) / 2;
        std::int64_t pixels = 0;
        for (const View& view : m_views) {
            pixels += std::ssize(view.pixels());
        }
        return iteration_samples(pixels, std::ssize(m_unknowns.start), wanted, least);
    }

    /// The best place so far, while another start is tried of which less is known; else null.
    [[nodiscard]] const Place* best() const noexcept {
        return m_solver.is_elsewhere() ? m_solver.best() : nullptr;
    }
    [[nodiscard]] const Vector& x() const noexcept {
        return best() == nullptr ? m_solver.state().x : best()->x;
    }

    render::Renderer& m_renderer;
    render::SceneTablesRef m_tables;
    FitSettings m_settings;
    std::vector<Observation> m_observations;
    Unknowns m_unknowns;
    std::vector<View> m_views;
    LossMeter m_meter;
    ScalarModel m_model;
    GaussNewton m_solver;
    Reweighting m_weighing{m_views};
    bool m_has_begun = false;
};

ScalarFit::ScalarFit(render::Renderer& renderer, std::vector<Observation> observations,
                     const Sought& sought, FitSettings settings, core::InterruptPoll check) {
    require_valid(settings);
    require_valid(observations);
    if (sought.parameters.empty() && sought.exposures.empty() && sought.lights.empty()) {
        throw ArgumentError("Fit: there is nothing to find; give at least one parameter");
    }
    require_known_directions(renderer.scene(), sought.parameters);
    m_implementation = std::make_unique<Implementation>(renderer, std::move(observations), sought,
                                                        settings, std::move(check));
}

ScalarFit::~ScalarFit() = default;
ScalarFit::ScalarFit(ScalarFit&&) noexcept = default;
ScalarFit& ScalarFit::operator=(ScalarFit&&) noexcept = default;

void ScalarFit::step() {
    m_implementation->step();
}

FitState ScalarFit::state() const {
    return m_implementation->state();
}

Verdict ScalarFit::judge() {
    return m_implementation->judge();
}

void ScalarFit::write() {
    m_implementation->write();
}

} // namespace weft::fit
