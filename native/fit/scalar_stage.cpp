// SPDX-License-Identifier: Apache-2.0
#include "fit/scalar_stage.hpp"

#include "fit/forecast.hpp"
#include "fit/inflation.hpp"
#include "fit/sample_counts.hpp"
#include "fit/saved_parts.hpp"
#include "fit/scalar_setup.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace weft::fit {

namespace {

/// Averaged iterations: pixels of photos are weighed then.
constexpr std::size_t kAveragesToWeigh = 2;

} // namespace

ScalarPhase::ScalarPhase(ScalarModel& model, const FitSettings& settings)
    : Phase("scalars", PhaseKind::scalars), m_model(model), m_settings(settings),
      m_meter(loss_weights(model.views())),
      m_solver(model, model.unknowns().start, solver_settings(model.unknowns(), settings)),
      m_weighing(model.views()) {}

/// Selects the pixels that hold the information about the numbers; all, where none tells anything.
void ScalarPhase::begin() {
    static_cast<void>(m_model.select_pixels(m_model.unknowns().start, m_settings.information));
}

bool ScalarPhase::is_done() const {
    return (m_solver.state().is_done && m_weighing.is_over()) ||
           m_solver.state().iterations >= m_settings.max_iterations;
}

double ScalarPhase::remaining() const {
    return is_done() ? 0.0
                     : std::max(remaining_iterations(m_solver, m_settings.max_iterations), 1.0);
}

void ScalarPhase::step() {
    std::vector<View>& views = m_model.views();
    // The numbers stand nearly still: residuals tell which pixels nothing explains.
    if (!m_weighing.is_over() && m_solver.averaged() >= kAveragesToWeigh) {
        const Look look = [this](std::int64_t samples, std::uint64_t draw) {
            return m_model.look(x(), samples, draw);
        };
        if (m_weighing.go_on(look, views, m_settings.samples)) {
            m_solver.forget();
        }
    }
    m_model.set_samples(samples());
    m_solver.step();
    record_loss(m_meter, views, m_solver.residuals());
}

SavedArrays ScalarPhase::save() const {
    SavedArrays out;
    out.add_counts("counts", {m_model.iterations(), static_cast<std::size_t>(m_model.samples()),
                              m_weighing.rounds()});
    out.add_part("loss", fit::save(m_meter));
    out.add_part("solver", m_solver.save());
    return out;
}

void ScalarPhase::restore(const SavedArrays& saved) {
    const std::vector<std::size_t> counts = saved.counts("counts", 3);
    m_solver.restore(saved.part("solver"));
    fit::restore(m_meter, saved.part("loss"));
    m_model.set_iterations(counts[0]);
    m_model.set_samples(static_cast<std::int64_t>(counts[1]));
    m_weighing.set_rounds(counts[2]);
}

const Candidate* ScalarPhase::best_candidate() const noexcept {
    return m_solver.is_elsewhere() ? m_solver.best() : nullptr;
}

const Vector& ScalarPhase::x() const noexcept {
    return best_candidate() == nullptr ? m_solver.state().x : best_candidate()->x;
}

/// Paths a pixel of the next iteration: more where pixels are few. Steps far from the end outweigh noise: half as many do,
/// if that is enough.
std::int64_t ScalarPhase::samples() const {
    const std::int64_t wanted = m_settings.samples;
    const std::int64_t least = m_solver.state().is_averaging ? wanted : (wanted + 1) / 2;
    return iteration_samples(drawn_pixels(m_model.views()), std::ssize(m_model.unknowns().start),
                             wanted, least);
}

ScalarStage::ScalarStage(ScalarModel& model, const FitSettings& settings)
    : Stage(model.views(), settings), m_phase(nullptr) {
    auto phase = std::make_unique<ScalarPhase>(model, settings);
    m_phase = phase.get();
    std::vector<std::unique_ptr<Phase>> phases;
    phases.push_back(std::move(phase));
    set_phases(std::move(phases));
}

bool ScalarStage::has_converged() const {
    return solver().state().is_done;
}

double ScalarStage::loss() const {
    return m_phase->meter().loss(counted_views(m_phase->model().views()));
}

double ScalarStage::noise_floor() const {
    return m_phase->meter().noise_floor(counted_views(m_phase->model().views()));
}

Vector ScalarStage::errors() const {
    const Candidate* const best = m_phase->best_candidate();
    return best == nullptr ? solver().state().errors : best->errors;
}

std::optional<Information> ScalarStage::information() const {
    const Candidate* const best = m_phase->best_candidate();
    return best == nullptr ? solver().state().information : std::optional(best->information);
}

Vector ScalarStage::error_factors(double ratio) const {
    const std::optional<GaussNewton::AveragedModel> model = solver().averaged_model();
    const std::optional<Information>& known = solver().state().information;
    if (!model || !known || solver().is_elsewhere()) {
        return Stage::error_factors(ratio);
    }
    std::vector<ViewPixels> drawn;
    for (const View& view : m_phase->model().views()) {
        drawn.push_back({.pixels = view.pixels(), .width = view.width()});
    }
    return inflation(
        {.a = {model->residual_a, model->jacobian_a}, .b = {model->residual_b, model->jacobian_b}},
        drawn, known->matrix);
}

Look ScalarStage::look_at_result(std::optional<std::int64_t> bounces) {
    return [this, bounces](std::int64_t samples, std::uint64_t draw) {
        return m_phase->model().look(x(), samples, draw, bounces);
    };
}

} // namespace weft::fit
