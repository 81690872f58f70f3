// SPDX-License-Identifier: Apache-2.0
#include "fit/texture_fit.hpp"

#include "core/error.hpp"
#include "fit/scene_parts.hpp"
#include "fit/texture_regions.hpp"
#include "fit/texture_stage.hpp"

#include <memory>
#include <utility>

namespace weft::fit {

namespace {

using Parts = std::unique_ptr<SceneFit::Parts>;

Parts make_parts(render::Renderer& renderer, std::vector<Observation> observations,
                 const std::vector<TextureParameter>& textures, const FitSettings& settings,
                 core::InterruptPoll check) {
    require_valid(settings);
    require_valid(observations);
    if (textures.empty()) {
        throw core::ArgumentError("Fit: there is nothing to find; give at least one texture");
    }
    // Before there are recorders, which say less of what is wrong.
    static_cast<void>(find_regions(*renderer.tables(), textures));
    const Sought sought{.textures = textures};
    auto parts = std::make_unique<SceneFit::Parts>(renderer, std::move(observations), sought,
                                                   settings, std::move(check));
    parts->make_models(sought);
    parts->stage = std::make_unique<TextureStage>(*parts->textures, settings);
    return parts;
}

} // namespace

TextureFit::TextureFit(render::Renderer& renderer, std::vector<Observation> observations,
                       const std::vector<TextureParameter>& textures, const FitSettings& settings,
                       core::InterruptPoll check)
    : SceneFit(
          make_parts(renderer, std::move(observations), textures, settings, std::move(check))) {}

} // namespace weft::fit
