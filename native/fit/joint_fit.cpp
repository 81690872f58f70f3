// SPDX-License-Identifier: Apache-2.0
#include "fit/joint_fit.hpp"

#include "core/error.hpp"
#include "fit/joint_stage.hpp"
#include "fit/scene_parts.hpp"
#include "fit/smooth_glass.hpp"
#include "fit/texture_regions.hpp"

#include <memory>
#include <utility>

namespace weft::fit {

namespace {

using Parts = std::unique_ptr<SceneFit::Parts>;

Parts make_parts(render::Renderer& renderer, std::vector<Observation> observations,
                 const Sought& sought, const FitSettings& settings, core::InterruptPoll check) {
    require_valid(settings);
    require_valid(observations);
    if (sought.textures.empty() || !sought.has_numbers()) {
        throw core::ArgumentError("JointFit: there is nothing to find together; give at least one "
                                  "texture and one number, exposure or light");
    }
    require_known_directions(renderer.scene(), sought.parameters);
    // Before there are recorders, which say less of what is wrong.
    static_cast<void>(find_regions(*renderer.tables(), sought.textures));
    auto parts = std::make_unique<SceneFit::Parts>(renderer, std::move(observations), sought,
                                                   settings, std::move(check));
    parts->make_models(sought);
    parts->stage = std::make_unique<JointStage>(*parts->scalars, *parts->textures, settings,
                                                [own = parts.get()] { return own->find_shown(); });
    return parts;
}

} // namespace

JointFit::JointFit(render::Renderer& renderer, std::vector<Observation> observations,
                   const Sought& sought, const FitSettings& settings, core::InterruptPoll check)
    : SceneFit(make_parts(renderer, std::move(observations), sought, settings, std::move(check))) {}

} // namespace weft::fit
