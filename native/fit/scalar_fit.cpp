// SPDX-License-Identifier: Apache-2.0
#include "fit/scalar_fit.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/build_views.hpp"
#include "fit/forecast.hpp"
#include "fit/gauss_newton.hpp"
#include "fit/inflation.hpp"
#include "fit/phases.hpp"
#include "fit/reweighting.hpp"
#include "fit/sample_counts.hpp"
#include "fit/saved_parts.hpp"
#include "fit/scalar_model.hpp"
#include "fit/scalar_setup.hpp"
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

} // namespace

class ScalarFit::Implementation : public Phase {
public:
    Implementation(render::Renderer& renderer, std::vector<Observation> observations,
                   const Sought& sought, FitSettings settings, core::InterruptPoll check)
        : Phase("scalars", PhaseKind::scalars), m_renderer(renderer), m_tables(renderer.tables()),
          m_settings(settings), m_observations(std::move(observations)),
          m_unknowns(build_unknowns(*renderer.tables()->materials(), sought.parameters,
                                    sought.exposures, names_of(m_observations), sought.lights)),
          m_views(build_views(renderer, sought.parameters, sought.lights)),
          m_meter(loss_weights(m_views)), m_model(renderer.tables(), m_views, m_unknowns,
                                                  {.samples = settings.samples,
                                                   .bounces = settings.bounces,
                                                   .seed = settings.seed,
                                                   .check = std::move(check)}),
          m_solver(m_model, m_unknowns.start, solver_settings(m_unknowns, settings)) {}

    void go_on() {
        require_same_scene(m_renderer, m_tables);
        m_phases.step();
    }

    void begin() override {
        if (!m_model.select_pixels(m_unknowns.start, m_settings.information)) {
            throw ArgumentError("Fit: no pixel changes with the parameters; look whether the "
                                "cameras see the materials that have them");
        }
    }

    [[nodiscard]] bool is_done() const override {
        return (m_solver.state().is_done && m_weighing.is_over()) ||
               m_solver.state().iterations >= m_settings.max_iterations;
    }

    [[nodiscard]] double remaining() const override {
        return is_done() ? 0.0
                         : std::max(remaining_iterations(m_solver, m_settings.max_iterations), 1.0);
    }

    void step() override {
        // The numbers stand nearly still: residuals tell which pixels nothing explains.
        if (!m_weighing.is_over() && m_solver.averaged() >= kAveragesToWeigh &&
            m_weighing.go_on(look(), m_views, m_settings.samples)) {
            m_solver.forget();
        }
        m_model.set_samples(samples());
        m_solver.step();
        record_loss(m_meter, m_views, m_solver.residuals());
    }

    [[nodiscard]] FitState state() const {
        const SolverState& solver = m_solver.state();
        FitState out{.iterations = solver.iterations,
                     .loss = m_meter.loss(counted_views(m_views)),
                     .noise_floor = m_meter.noise_floor(counted_views(m_views)),
                     .is_done = is_done(),
                     .has_converged = solver.is_done};
        out.values =
            fitted_values(m_unknowns, x(), best() == nullptr ? solver.errors : best()->errors);
        m_phases.describe(out);
        for (const View& view : m_views) {
            if (std::string problem = view.problem(); !problem.empty()) {
                out.problems.push_back(std::move(problem));
            }
        }
        return out;
    }

    [[nodiscard]] Verdict judge() {
        Verdict out = fit::judge(draw_validations(look(), m_views, m_settings.samples));
        const bool is_shared = are_shared(out, m_observations);
        add_errors(out, state().values,
                   is_shared ? error_factors(out.ratio) : Vector(m_unknowns.start.size(), 1.0));
        return out;
    }

    void write() { m_model.write(x()); }

    [[nodiscard]] const std::vector<Observation>& observations() const noexcept {
        return m_observations;
    }

    [[nodiscard]] SavedArrays save_all() const {
        require_same_scene(m_renderer, m_tables);
        SavedArrays out;
        out.add_counts("counts", {m_model.iterations(), static_cast<std::size_t>(m_model.samples()),
                                  m_weighing.rounds()});
        out.add_part("views", fit::save(m_views));
        out.add_part("loss", fit::save(m_meter));
        out.add_part("solver", m_solver.save());
        out.add_part("phases", m_phases.save());
        return out;
    }

    void restore_all(const SavedArrays& saved) {
        const std::vector<std::size_t> counts = saved.counts("counts", 3);
        const std::vector<ViewState> views = restored_views(saved.part("views"), m_views);
        m_solver.restore(saved.part("solver"));
        fit::restore(m_meter, saved.part("loss"));
        m_phases.restore(saved.part("phases"));
        m_model.set_iterations(counts[0]);
        m_model.set_samples(static_cast<std::int64_t>(counts[1]));
        m_weighing.set_rounds(counts[2]);
        fit::restore(m_views, views);
    }

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
        drawn.reserve(m_views.size());
        for (const View& view : m_views) {
            drawn.push_back({.pixels = view.pixels(), .width = view.width()});
        }
        return inflation({.a = {model->residual_a, model->jacobian_a},
                          .b = {model->residual_b, model->jacobian_b}},
                         drawn, information->matrix);
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
    [[nodiscard]] const Candidate* best() const noexcept {
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
    PhaseList m_phases{{this}};
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
    m_implementation->go_on();
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

const std::vector<Observation>& ScalarFit::observations() const noexcept {
    return m_implementation->observations();
}

SavedArrays ScalarFit::save() const {
    return m_implementation->save_all();
}

void ScalarFit::restore(const SavedArrays& saved) {
    restore_or_stay(*m_implementation, saved);
}

} // namespace weft::fit
