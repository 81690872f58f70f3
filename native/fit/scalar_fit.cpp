// SPDX-License-Identifier: Apache-2.0
#include "fit/scalar_fit.hpp"

#include "core/error.hpp"
#include "fit/scalar_stage.hpp"
#include "fit/scene_parts.hpp"
#include "fit/smooth_glass.hpp"

#include <memory>
#include <utility>

namespace weft::fit {

namespace {

using Parts = std::unique_ptr<SceneFit::Parts>;

Parts make_parts(render::Renderer& renderer, std::vector<Observation> observations,
                 const Sought& sought, const FitSettings& settings, core::InterruptPoll check) {
    require_valid(settings);
    require_valid(observations);
    if (!sought.has_numbers()) {
        throw core::ArgumentError("Fit: there is nothing to find; give at least one parameter");
    }
    require_known_directions(renderer.scene(), sought.parameters);
    auto parts = std::make_unique<SceneFit::Parts>(renderer, std::move(observations), sought,
                                                   settings, std::move(check));
    parts->make_models(sought);
    parts->stage = std::make_unique<ScalarStage>(*parts->scalars, settings);
    return parts;
}

} // namespace

ScalarFit::ScalarFit(render::Renderer& renderer, std::vector<Observation> observations,
                     const Sought& sought, const FitSettings& settings, core::InterruptPoll check)
    : SceneFit(make_parts(renderer, std::move(observations), sought, settings, std::move(check))) {}

} // namespace weft::fit
