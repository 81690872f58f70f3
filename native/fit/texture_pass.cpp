// SPDX-License-Identifier: Apache-2.0
#include "fit/texture_pass.hpp"

#include "core/text.hpp"
#include "fit/noise_meter.hpp"
#include "fit/view_pixels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

namespace weft::fit {

namespace {

constexpr double kTrustedError =
    0.1; ///< of the range: a number with a larger error moves with the textures
/// Of the iterations, that textures take where numbers move with them: 1 to 2.
constexpr double kMovingFactor = 1.5;

std::string name_of(std::size_t number) {
    return number == 0 ? "textures" : core::text("textures ", number + 1);
}

} // namespace

bool have_averaged(const JointStage& stage) {
    const std::size_t wanted = stage.settings().texture_iterations;
    return stage.iterations >= wanted && stage.model.numbers().averaged() >= wanted / 4;
}

TexturePass::TexturePass(JointStage& stage, std::size_t number)
    : Phase(name_of(number), PhaseKind::textures), m_stage(stage), m_number(number),
      m_best(stage.images, stage.settings().texture_iterations, &stage.model.numbers()) {}

bool TexturePass::is_any_fixed() const {
    const std::vector<bool>& fixed = m_stage.model.numbers().fixed();
    return std::ranges::find(fixed, true) != fixed.end();
}

/// The pass goes on to the end: no number is fixed that would be looked for between.
bool TexturePass::is_whole() const {
    return m_number + 1 == kPolish || (m_stage.passes > 0 && !is_any_fixed());
}

/// Whether an earlier pass has not gone on to the end; not known before the first one.
bool TexturePass::is_needed() const {
    return m_number == 0 || m_stage.passes == 0 || is_any_fixed();
}

/// The next scalar pass is due, or enough iterations were averaged, or twice were made.
bool TexturePass::is_done() const {
    if (iterations() == 0) {
        return false;
    }
    const std::size_t wanted = m_stage.settings().texture_iterations;
    if (is_whole()) {
        return have_averaged(m_stage) || m_stage.iterations >= 2 * wanted;
    }
    return static_cast<double>(m_stage.iterations) >=
           kPassFractions.at(m_number + 1) * static_cast<double>(wanted);
}

/// More where numbers still move at the end of the pass.
double TexturePass::remaining() const {
    const auto wanted = static_cast<double>(m_stage.settings().texture_iterations);
    const double made = std::max(static_cast<double>(m_stage.iterations),
                                 std::ceil(kPassFractions.at(m_number) * wanted));
    if (!is_whole()) {
        return std::max(std::ceil(kPassFractions.at(m_number + 1) * wanted) - made, 0.0);
    }
    return iterations() > 0 && is_done() ? 0 : std::max(whole() - made, 1.0);
}

/// After how many iterations enough are expected to be averaged.
double TexturePass::whole() const {
    const std::size_t wanted = m_stage.settings().texture_iterations;
    const std::vector<bool>& fixed = m_stage.model.numbers().fixed();
    const auto made = static_cast<double>(m_stage.iterations);
    const auto averaged = static_cast<double>(m_stage.model.numbers().averaged());
    const std::size_t last_quarter = wanted / 4;
    const double at_rest = made + static_cast<double>(last_quarter) - averaged;
    const auto usual = static_cast<double>(wanted);
    if (m_stage.passes == 0 || std::ranges::find(fixed, false) == fixed.end()) {
        return std::max(usual, made + 1);
    }
    return made < usual || averaged < usual / 8 ? std::max(kMovingFactor * usual, at_rest)
                                                : at_rest;
}

void TexturePass::begin() {
    m_best.restart();
    if (m_number > 0) {
        m_stage.restore_views(m_stage.texture_views);
        m_stage.is_scalar_pass = false;
        return;
    }
    start_numbers();
    m_stage.is_scalar_pass = false;
    m_stage.attempt([this] {
        select_pixels();
        weigh_by_noise();
    });
    m_stage.texture_views = m_stage.save_views();
    keep_selected();
}

/// Fixes the numbers that pixels without textures tell; others begin anew where those have told nothing.
void TexturePass::start_numbers() {
    const Unknowns& unknowns = m_stage.unknowns;
    const SolverState& state = m_stage.solver.state();
    const Candidate* const best = m_stage.best_candidate();
    const Vector& errors = best == nullptr ? state.errors : best->errors;
    const bool is_told = best != nullptr || state.information.has_value();
    Vector x = best == nullptr ? state.x : best->x;
    std::vector<bool> fixed = m_stage.of_textured();
    for (std::size_t i = 0; i < x.size(); ++i) {
        const bool is_trusted = errors[i] <= kTrustedError * (unknowns.high[i] - unknowns.low[i]);
        x[i] = is_told && !is_trusted ? unknowns.start[i] : x[i];
        fixed[i] = is_trusted && !fixed[i];
    }
    m_stage.model.numbers().start_at(x, std::move(fixed));
}

void TexturePass::select_pixels() {
    m_stage.images.replay().select_pixels();
    const std::vector<bool>& fixed = m_stage.model.numbers().fixed();
    if (std::ranges::find(fixed, false) == fixed.end()) {
        leave_out_numbers();
    }
}

/// Selects only pixels that show textures.
void TexturePass::leave_out_numbers() {
    for (std::size_t number = 0; number < m_stage.views().size(); ++number) {
        View& view = m_stage.views()[number];
        const std::vector<bool>& shown = m_stage.shown()[number];
        std::vector<std::uint32_t> kept;
        std::ranges::copy_if(view.pixels(), std::back_inserter(kept),
                             [&](std::uint32_t pixel) { return shown[pixel]; });
        view.set_pixels(kept.empty() ? std::vector{view.pixels().front()} : std::move(kept));
    }
}

/// Lets pixels count by the noise that renders have there.
void TexturePass::weigh_by_noise() {
    NoiseMeter meter(m_stage.views());
    const Vector& x = m_stage.model.numbers().x();
    ResidualPair residuals;
    for (std::size_t draw = 0; draw < kMeasuredDraws; ++draw) {
        m_stage.scalars.draw_samples(x, m_stage.settings().samples);
        residuals = m_stage.scalars.residuals(x);
        meter.add(residuals);
    }
    if (m_stage.meter.state().is_open) {
        m_stage.begin_loss(residuals);
    }
    fit::weigh_by_noise(m_stage.views(), meter);
}

/// Lets the loss count the pixels that the phases have selected.
void TexturePass::keep_selected() {
    const std::vector<ViewState>& of_numbers = m_stage.scalar_views;
    for (std::size_t number = 0; number < m_stage.views().size(); ++number) {
        const std::vector<std::uint32_t>& own = m_stage.views()[number].pixels();
        m_stage.meter.keep(
            number, of_numbers.empty() ? own : united_pixels(own, of_numbers[number].pixels));
    }
}

void TexturePass::step() {
    JointStage& stage = m_stage;
    const std::size_t wanted = stage.settings().texture_iterations;
    if (stage.weighing.is_due(static_cast<double>(stage.iterations) /
                              static_cast<double>(wanted))) {
        weigh_photos();
        m_best.restart();
    }
    const TextureStep schedule =
        stage.images.schedule(stage.iterations, wanted, stage.settings().samples);
    const std::uint64_t draws = stage.scalars.iterations();
    const std::uint64_t of_textures = stage.images.replay().draws();
    try {
        stage.model.step(stage.iterations, schedule.maps, schedule.tied);
    } catch (...) {
        stage.scalars.set_iterations(draws);
        stage.images.replay().set_draws(of_textures);
        throw;
    }
    stage.record(stage.model.residuals());
    m_best.note();
    ++stage.iterations;
}

/// Weighs the pixels of photos anew, also for the numbers that are looked for alone.
void TexturePass::weigh_photos() {
    JointStage& stage = m_stage;
    TextureReplay& replay = stage.images.replay();
    replay.give(replay.state().texels());
    stage.weighing.go_on(stage.look(), stage.views(), stage.settings().samples);
    stage.texture_views = stage.save_views();
    for (std::size_t number = 0; number < stage.scalar_views.size(); ++number) {
        stage.scalar_views[number].trust = stage.views()[number].trust();
    }
}

} // namespace weft::fit
