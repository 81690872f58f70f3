// SPDX-License-Identifier: Apache-2.0
#include "fit/texture_fit.hpp"

#include "core/error.hpp"
#include "fit/best_texels.hpp"
#include "fit/build_views.hpp"
#include "fit/misfit.hpp"
#include "fit/phases.hpp"
#include "fit/reweighting.hpp"
#include "fit/saved_parts.hpp"
#include "fit/texture_model.hpp"
#include "fit/validation.hpp"

#include <algorithm>
#include <utility>

namespace weft::fit {

using core::ArgumentError;

class TextureFit::Implementation : public Phase {
public:
    Implementation(render::Renderer& renderer, std::vector<Observation> observations,
                   const std::vector<TextureParameter>& textures, const FitSettings& settings,
                   core::InterruptPoll check)
        : Phase("textures", PhaseKind::textures), m_renderer(renderer), m_tables(renderer.tables()),
          m_settings(settings), m_observations(std::move(observations)),
          m_views(build_views(textures)),
          m_model(renderer.film().modules()->context(), renderer.tables(), m_views, textures,
                  {.bounces = settings.bounces, .seed = settings.seed, .check = std::move(check)}) {
    }

    void go_on() {
        require_same_scene(m_renderer, m_tables);
        m_phases.step();
    }

    /// Draws are those of a fit that was never interrupted: a beginning that was given up leaves no trace.
    void begin() override {
        m_model.replay().restart_draws();
        m_model.replay().select_pixels();
        m_model.weigh_by_noise(m_settings.samples);
    }

    [[nodiscard]] bool is_done() const override {
        return iterations() >= m_settings.texture_iterations;
    }

    [[nodiscard]] double remaining() const override {
        return is_done() ? 0 : static_cast<double>(m_settings.texture_iterations - iterations());
    }

    void step() override {
        const double done =
            static_cast<double>(iterations()) / static_cast<double>(m_settings.texture_iterations);
        if (m_weighing.is_due(std::min(done, 1.0))) {
            m_weighing.go_on(look(), m_views, m_settings.samples);
            m_best.restart();
        }
        const TextureStep schedule =
            m_model.schedule_alone(iterations(), m_settings.texture_iterations, m_settings.samples);
        m_model.replay().draw(schedule.maps.samples);
        m_model.step(schedule.maps, schedule.tied);
        if (!m_best.note() && schedule.maps.is_averaged) {
            m_model.average();
        }
    }

    [[nodiscard]] FitState state() const {
        FitState out{.iterations = iterations(),
                     .loss = m_model.loss(),
                     .noise_floor = m_model.noise_floor(),
                     .is_done = is_done()};
        out.has_converged = out.is_done && m_model.is_settled();
        out.problems = m_model.replay().problems();
        m_phases.describe(out);
        return out;
    }

    [[nodiscard]] std::vector<FittedTexture> textures() { return m_model.result(); }

    [[nodiscard]] Verdict judge() {
        return fit::judge(draw_validations(look(), m_views, m_settings.samples));
    }

    void write() { m_model.write_result(); }

    [[nodiscard]] SavedArrays save() const override { return m_best.save(); }
    void restore(const SavedArrays& saved) override { m_best.restore(saved); }

    [[nodiscard]] const std::vector<Observation>& observations() const noexcept {
        return m_observations;
    }

    [[nodiscard]] SavedArrays save_all() const {
        require_same_scene(m_renderer, m_tables);
        SavedArrays out;
        out.add_counts("weighing", {m_weighing.rounds()});
        out.add_part("views", fit::save(m_views));
        out.add_part("textures", m_model.save());
        out.add_part("phases", m_phases.save());
        return out;
    }

    void restore_all(const SavedArrays& saved) {
        const std::size_t rounds = saved.counts("weighing", 1).front();
        const std::vector<ViewState> views = restored_views(saved.part("views"), m_views);
        m_model.restore(saved.part("textures"));
        m_phases.restore(saved.part("phases"));
        m_weighing.set_rounds(rounds);
        fit::restore(m_views, views);
    }

private:
    /// Draws the views' pixels at what was found.
    [[nodiscard]] Look look() {
        return [this](std::int64_t samples, std::uint64_t draw) {
            m_model.write_result();
            return m_model.replay().look(samples, draw);
        };
    }

    std::vector<View> build_views(const std::vector<TextureParameter>& textures) const {
        const std::vector<std::uint32_t> materials =
            owning_materials(m_renderer.scene(), names_of(textures));
        const auto light = find_light_parts(m_renderer, m_observations, {}, {});
        return fit::build_views(m_renderer, m_observations, light,
                                {.materials = materials, .with_texels = true});
    }

    render::Renderer& m_renderer;
    render::SceneTablesRef m_tables;
    FitSettings m_settings;
    std::vector<Observation> m_observations;
    std::vector<View> m_views;
    TextureModel m_model;
    BestTexels m_best{m_model, m_settings.texture_iterations};
    MapReweighting m_weighing{m_views};
    PhaseList m_phases{{this}};
};

TextureFit::TextureFit(render::Renderer& renderer, std::vector<Observation> observations,
                       const std::vector<TextureParameter>& textures, const FitSettings& settings,
                       core::InterruptPoll check) {
    require_valid(settings);
    require_valid(observations);
    if (textures.empty()) {
        throw ArgumentError("Fit: there is nothing to find; give at least one texture");
    }
    // Before there are recorders, which say less of what is wrong.
    static_cast<void>(find_regions(*renderer.tables(), textures));
    m_implementation = std::make_unique<Implementation>(renderer, std::move(observations), textures,
                                                        settings, std::move(check));
}

TextureFit::~TextureFit() = default;
TextureFit::TextureFit(TextureFit&&) noexcept = default;
TextureFit& TextureFit::operator=(TextureFit&&) noexcept = default;

void TextureFit::step() {
    m_implementation->go_on();
}

FitState TextureFit::state() const {
    return m_implementation->state();
}

std::vector<FittedTexture> TextureFit::textures() {
    return m_implementation->textures();
}

Verdict TextureFit::judge() {
    return m_implementation->judge();
}

void TextureFit::write() {
    m_implementation->write();
}

const std::vector<Observation>& TextureFit::observations() const noexcept {
    return m_implementation->observations();
}

SavedArrays TextureFit::save() const {
    return m_implementation->save_all();
}

void TextureFit::restore(const SavedArrays& saved) {
    restore_or_stay(*m_implementation, saved);
}

} // namespace weft::fit
