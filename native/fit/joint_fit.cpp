// SPDX-License-Identifier: Apache-2.0
#include "fit/joint_fit.hpp"

#include "core/error.hpp"
#include "fit/build_views.hpp"
#include "fit/joint_stage.hpp"
#include "fit/phases.hpp"
#include "fit/saved_parts.hpp"
#include "fit/scalar_pass.hpp"
#include "fit/scalar_setup.hpp"
#include "fit/smooth_glass.hpp"
#include "fit/texture_pass.hpp"
#include "fit/validation.hpp"

#include <algorithm>
#include <utility>

namespace weft::fit {

using core::ArgumentError;

namespace {

using Phases = std::vector<std::unique_ptr<Phase>>;

/// Scalar passes with texture passes between them.
Phases build_phases(JointStage& stage) {
    Phases out;
    out.push_back(std::make_unique<ScalarPass>(stage, 0));
    for (std::size_t number = 0; number < kPolish; ++number) {
        out.push_back(std::make_unique<TexturePass>(stage, number));
        out.push_back(std::make_unique<ScalarPass>(stage, number + 1));
    }
    return out;
}

std::vector<Phase*> pointers(const Phases& phases) {
    std::vector<Phase*> out;
    std::ranges::transform(phases, std::back_inserter(out), &std::unique_ptr<Phase>::get);
    return out;
}

} // namespace

class JointFit::Implementation {
public:
    Implementation(render::Renderer& renderer, std::vector<Observation> observations,
                   const Sought& sought, const FitSettings& settings,
                   const core::InterruptPoll& check)
        : m_stage(renderer, std::move(observations), sought, settings, check) {}

    void step() {
        require_same_scene(m_stage.renderer, m_stage.tables);
        put_back_texels();
        m_phases.step();
    }

    [[nodiscard]] FitState state() const {
        const std::vector<CountedView> counted = counted_views(m_stage.views);
        FitState out{.iterations = m_phases.iterations(),
                     .loss = m_stage.meter.loss(counted),
                     .noise_floor = m_stage.meter.noise_floor(counted),
                     .is_done = m_phases.is_done()};
        // Textures were averaged enough, where the numbers stay, and the loss does not fall.
        out.has_converged = out.is_done && have_averaged(m_stage) && m_stage.images.is_settled();
        out.values = fitted_values(m_stage.unknowns, m_stage.x(), m_stage.errors());
        out.problems = m_stage.images.replay().problems();
        m_phases.describe(out);
        return out;
    }

    [[nodiscard]] std::vector<FittedTexture> textures() { return m_stage.images.result(); }

    [[nodiscard]] Verdict judge() {
        write();
        Verdict out =
            fit::judge(draw_validations(m_stage.look(), m_stage.views, m_stage.settings.samples));
        // What residuals share among neighbours is not known: Birge's ratio (1932) stands for it.
        const double factor =
            are_shared(out, m_stage.observations) ? std::max(out.ratio, 1.0) : 1.0;
        add_errors(out, state().values, Vector(m_stage.unknowns.start.size(), factor));
        return out;
    }

    void write() {
        if (!m_before) {
            m_before = m_stage.images.replay().kernels().copy_of(m_stage.tables->textures().texels);
        }
        m_stage.scalars.write(m_stage.x());
        m_stage.images.write_result();
    }

    [[nodiscard]] const std::vector<Observation>& observations() const noexcept {
        return m_stage.observations;
    }

    [[nodiscard]] SavedArrays save_all() const {
        require_same_scene(m_stage.renderer, m_stage.tables);
        SavedArrays out;
        out.add_part("stage", m_stage.save());
        out.add_part("views", fit::save(m_stage.views));
        out.add_part("phases", m_phases.save());
        return out;
    }

    void restore_all(const SavedArrays& saved) {
        const std::vector<ViewState> views = restored_views(saved.part("views"), m_stage.views);
        m_before.reset();
        m_stage.restore(saved.part("stage"));
        m_phases.restore(saved.part("phases"));
        m_stage.restore_views(views);
    }

private:
    /// Passes that move numbers alone look at the texels that the scene has.
    void put_back_texels() {
        if (m_before) {
            m_stage.images.replay().give(m_before);
            m_before.reset();
        }
    }

    JointStage m_stage;
    Phases m_owned = build_phases(m_stage);
    PhaseList m_phases{pointers(m_owned)};
    tensor::TensorRef m_before; ///< texels of the scene before write(); null: those are there
};

JointFit::JointFit(render::Renderer& renderer, std::vector<Observation> observations,
                   const Sought& sought, const FitSettings& settings,
                   const core::InterruptPoll& check) {
    require_valid(settings);
    require_valid(observations);
    const bool has_numbers =
        !sought.parameters.empty() || !sought.exposures.empty() || !sought.lights.empty();
    if (sought.textures.empty() || !has_numbers) {
        throw ArgumentError("JointFit: there is nothing to find together; give at least one "
                            "texture and one number, exposure or light");
    }
    require_known_directions(renderer.scene(), sought.parameters);
    // Before there are recorders, which say less of what is wrong.
    static_cast<void>(find_regions(*renderer.tables(), sought.textures));
    m_implementation = std::make_unique<Implementation>(renderer, std::move(observations), sought,
                                                        settings, check);
}

JointFit::~JointFit() = default;
JointFit::JointFit(JointFit&&) noexcept = default;
JointFit& JointFit::operator=(JointFit&&) noexcept = default;

void JointFit::step() {
    m_implementation->step();
}

FitState JointFit::state() const {
    return m_implementation->state();
}

std::vector<FittedTexture> JointFit::textures() {
    return m_implementation->textures();
}

Verdict JointFit::judge() {
    return m_implementation->judge();
}

void JointFit::write() {
    m_implementation->write();
}

const std::vector<Observation>& JointFit::observations() const noexcept {
    return m_implementation->observations();
}

SavedArrays JointFit::save() const {
    return m_implementation->save_all();
}

void JointFit::restore(const SavedArrays& saved) {
    restore_or_stay(*m_implementation, saved);
}

} // namespace weft::fit
