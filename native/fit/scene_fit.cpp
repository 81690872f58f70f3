// SPDX-License-Identifier: Apache-2.0
#include "fit/scene_fit.hpp"

#include "fit/build_views.hpp"
#include "fit/scalar_setup.hpp"
#include "fit/scene_parts.hpp"
#include "fit/validation.hpp"

#include <string>
#include <utility>

namespace weft::fit {

namespace {

/// What did not count of the pictures, and of textures.
std::vector<std::string> problems_of(const SceneFit::Parts& parts) {
    if (parts.textures) {
        return parts.textures->replay().problems();
    }
    std::vector<std::string> out;
    for (const View& view : parts.views) {
        if (std::string problem = view.problem(); !problem.empty()) {
            out.push_back(std::move(problem));
        }
    }
    return out;
}

} // namespace

SceneFit::SceneFit(std::unique_ptr<Parts> parts) : m_parts(std::move(parts)) {}
SceneFit::~SceneFit() = default;
SceneFit::SceneFit(SceneFit&&) noexcept = default;
SceneFit& SceneFit::operator=(SceneFit&&) noexcept = default;

void SceneFit::step() {
    require_same_scene(m_parts->renderer, m_parts->tables);
    m_parts->stage->step();
}

FitState SceneFit::state() const {
    const Stage& stage = *m_parts->stage;
    FitState out{.iterations = stage.phases().iterations(),
                 .loss = stage.loss(),
                 .noise_floor = stage.noise_floor(),
                 .is_done = stage.is_done(),
                 .has_converged = stage.has_converged()};
    if (m_parts->scalars) {
        out.values = fitted_values(m_parts->unknowns, stage.x(), stage.errors());
    }
    out.problems = problems_of(*m_parts);
    stage.phases().describe(out);
    return out;
}

std::vector<FittedTexture> SceneFit::textures() {
    return m_parts->textures ? m_parts->textures->result() : std::vector<FittedTexture>();
}

Verdict SceneFit::judge() {
    Stage& stage = *m_parts->stage;
    Verdict out = fit::judge(draw_validations(stage.look_at_result(std::nullopt), m_parts->views,
                                              m_parts->settings.samples));
    if (m_parts->scalars) {
        const bool is_shared = are_shared(out, m_parts->observations);
        add_errors(out, state().values,
                   is_shared ? stage.error_factors(out.ratio) : Vector(stage.x().size(), 1.0));
    }
    return out;
}

void SceneFit::write() {
    m_parts->stage->write();
}

const std::vector<Observation>& SceneFit::observations() const noexcept {
    return m_parts->observations;
}

SavedArrays SceneFit::save() const {
    require_same_scene(m_parts->renderer, m_parts->tables);
    return m_parts->stage->save();
}

void SceneFit::restore(const SavedArrays& saved) {
    require_same_scene(m_parts->renderer, m_parts->tables);
    m_parts->stage->restore(saved);
}

} // namespace weft::fit
