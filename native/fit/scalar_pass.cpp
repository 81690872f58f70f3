// SPDX-License-Identifier: Apache-2.0
#include "fit/scalar_pass.hpp"

#include "core/text.hpp"
#include "fit/forecast.hpp"
#include "fit/scalar_setup.hpp"
#include "fit/view_pixels.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace weft::fit {

namespace {

/// Of the range: standard error that passes before the polish aim at.
constexpr double kEarlyTolerance = 0.02;
constexpr std::size_t kEarlyIterations = 20; ///< that such a pass takes at most
constexpr std::size_t kEarlyAverages = 6;    ///< averaged iterations that are enough for it
constexpr double kPolishFactor = 1.5; ///< of the iterations of an early pass, that the polish takes
/// The number that seeds the draw of the first loss: none of the fit.
constexpr std::uint64_t kLossDraw = (std::uint64_t{1} << 20U) - 1;
/// Of the range: how far numbers may move that a pass leaves alone.
constexpr double kFrozenDeviation = 1e-3;

std::string name_of(std::size_t number) {
    if (number == kPolish) {
        return "polish";
    }
    return number == 0 ? "scalars" : core::text("scalars ", number + 1);
}

} // namespace

FitSettings early_settings(const FitSettings& settings) {
    FitSettings out = settings;
    out.tolerance = std::max(settings.tolerance, kEarlyTolerance);
    out.max_iterations = std::min(settings.max_iterations, kEarlyIterations);
    return out;
}

GaussNewton make_solver(JointStage& stage, std::size_t number, const Vector& x) {
    const Unknowns& unknowns = stage.unknowns;
    FitSettings settings = number == kPolish ? stage.settings() : early_settings(stage.settings());
    if (number == 0) {
        return {stage.scalars, x, solver_settings(unknowns, settings)};
    }
    std::vector<bool> moving = stage.model.numbers().fixed();
    moving.flip();
    settings.starts = 1;
    SolverSettings own = solver_settings(unknowns, settings);
    own.prior =
        unknowns.prior_or_none().holding(moving, x, unknowns.range_fraction(kFrozenDeviation));
    return {stage.scalars, x, std::move(own)};
}

ScalarPass::ScalarPass(JointStage& stage, std::size_t number)
    : Phase(name_of(number), PhaseKind::scalars), m_stage(stage), m_number(number) {}

std::size_t ScalarPass::limit() const {
    const std::size_t limit = m_stage.settings().max_iterations;
    return is_polish() ? limit : std::min(limit, kEarlyIterations);
}

std::optional<std::size_t> ScalarPass::enough_averages() const {
    return is_polish() ? std::nullopt : std::optional(kEarlyAverages);
}

/// Whether a number is fixed while textures move; not known before the first pass.
bool ScalarPass::is_needed() const {
    const std::vector<bool>& fixed = m_stage.model.numbers().fixed();
    return m_stage.passes == 0 || std::ranges::find(fixed, true) != fixed.end();
}

bool ScalarPass::is_done() const {
    if (!m_has_pixels) {
        return true;
    }
    const GaussNewton& solver = m_stage.solver;
    const bool has_averaged = !is_polish() && solver.averaged() >= kEarlyAverages;
    return solver.state().is_done || has_averaged || solver.state().iterations >= limit();
}

double ScalarPass::remaining() const {
    if (m_has_begun) {
        return is_done() ? 0 : remaining_iterations(m_stage.solver, limit(), enough_averages());
    }
    // As many as the pass under way or before took.
    const std::size_t made = m_stage.solver.state().iterations;
    const auto before = static_cast<double>(made == 0 ? kEarlyIterations : made);
    return std::min(is_polish() ? kPolishFactor * before : before, static_cast<double>(limit()));
}

void ScalarPass::begin() {
    if (m_number == 0) {
        m_stage.attempt([this] { select_pixels(); });
        return;
    }
    show_textures();
    m_stage.restore_views(m_stage.scalar_views);
    m_stage.set_samples();
    m_stage.solver = make_solver(m_stage, m_number, m_stage.model.numbers().x());
    m_stage.solver_pass = m_number;
    m_stage.is_scalar_pass = m_has_begun = true;
}

/// Gives the scene the textures that the numbers are looked for beside.
void ScalarPass::show_textures() {
    TextureModel& images = m_stage.images;
    if (is_polish()) {
        images.write_result();
    } else {
        images.replay().give(images.replay().state().texels());
    }
}

/// Looks for pixels that show the numbers alone.
void ScalarPass::select_pixels() {
    JointStage& stage = m_stage;
    m_has_pixels = stage.scalars.select_pixels(stage.unknowns.start, stage.settings().information,
                                               stage.shown());
    if (m_has_pixels) {
        measure_loss();
        stage.scalar_views = stage.save_views();
        stage.set_samples();
        m_has_begun = true;
    }
}

/// Draws once the pixels of all phases, at the start, for the loss alone.
void ScalarPass::measure_loss() {
    const std::vector<ViewState> selected = m_stage.save_views();
    for (std::size_t number = 0; number < m_stage.views().size(); ++number) {
        View& view = m_stage.views()[number];
        std::vector<std::uint32_t> textured = view.counted_pixels();
        std::erase_if(textured,
                      [&](std::uint32_t pixel) { return !m_stage.shown()[number][pixel]; });
        view.set_pixels(united_pixels(view.pixels(), textured));
    }
    m_stage.begin_loss(m_stage.look()(m_stage.settings().samples, kLossDraw));
    m_stage.restore_views(selected);
}

void ScalarPass::step() {
    m_stage.solver.step();
    m_stage.record(m_stage.solver.residuals());
}

void ScalarPass::end() {
    m_stage.passes = m_number + 1;
    if (!m_has_pixels) {
        return;
    }
    const Candidate* const best = m_stage.best_candidate();
    m_stage.found =
        best == nullptr ? m_stage.solver.state().information : std::optional(best->information);
    if (m_number > 0) {
        m_stage.model.numbers().move_fixed(m_stage.solver.state().x);
    }
}

SavedArrays ScalarPass::save() const {
    SavedArrays out;
    out.add_flags("pass", {m_has_begun, m_has_pixels});
    return out;
}

void ScalarPass::restore(const SavedArrays& saved) {
    const std::vector<bool> flags = saved.flags("pass", 2);
    m_has_begun = flags[0];
    m_has_pixels = flags[1];
    if (m_has_begun && m_number > 0) {
        show_textures();
    }
}

} // namespace weft::fit
