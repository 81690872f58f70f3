// SPDX-License-Identifier: Apache-2.0
#include "fit/texture_stage.hpp"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

namespace weft::fit {

TexturePhase::TexturePhase(TextureModel& model, const FitSettings& settings)
    : Phase("textures", PhaseKind::textures), m_model(model), m_settings(settings),
      m_best(model, settings.texture_iterations), m_weighing(model.replay().views()) {}

bool TexturePhase::is_done() const {
    return iterations() >= m_settings.texture_iterations;
}

double TexturePhase::remaining() const {
    return is_done() ? 0 : static_cast<double>(m_settings.texture_iterations - iterations());
}

/// Draws are those of a fit that was never interrupted: a beginning that was given up leaves no trace.
void TexturePhase::begin() {
    m_model.replay().restart_draws();
    m_model.replay().select_pixels();
    m_model.weigh_by_noise(m_settings.samples);
}

/// Coarse structure first, averages in the second half.
void TexturePhase::step() {
    const std::size_t wanted = m_settings.texture_iterations;
    const double done = static_cast<double>(iterations()) / static_cast<double>(wanted);
    if (m_weighing.is_due(std::min(done, 1.0))) {
        m_weighing.go_on(look_at_textures(m_model, std::nullopt), m_model.replay().views(),
                         m_settings.samples);
        m_best.restart();
    }
    const TextureStep schedule = m_model.schedule_alone(iterations(), wanted, m_settings.samples);
    m_model.replay().draw(schedule.maps.samples);
    m_model.step(schedule.maps, schedule.tied);
    if (!m_best.note() && schedule.maps.is_averaged) {
        m_model.average();
    }
}

SavedArrays TexturePhase::save() const {
    SavedArrays out = m_best.save();
    out.add_counts("weighing", {m_weighing.rounds()});
    return out;
}

void TexturePhase::restore(const SavedArrays& saved) {
    const std::size_t rounds = saved.counts("weighing", 1).front();
    m_best.restore(saved);
    m_weighing.set_rounds(rounds);
}

Look look_at_textures(TextureModel& model, std::optional<std::int64_t> bounces) {
    return [&model, bounces](std::int64_t samples, std::uint64_t draw) {
        model.write_result();
        return model.replay().look(samples, draw, bounces);
    };
}

TextureStage::TextureStage(TextureModel& model, const FitSettings& settings)
    : Stage(model.replay().views(), settings), m_model(model) {
    std::vector<std::unique_ptr<Phase>> phases;
    phases.push_back(std::make_unique<TexturePhase>(model, settings));
    set_phases(std::move(phases));
}

} // namespace weft::fit
