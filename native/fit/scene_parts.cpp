// SPDX-License-Identifier: Apache-2.0
#include "fit/scene_parts.hpp"

#include "fit/build_views.hpp"
#include "fit/lighting.hpp"
#include "fit/scalar_setup.hpp"
#include "fit/shown_pixels.hpp"
#include "fit/texture_regions.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

namespace weft::fit {

namespace {

/// All that may change what lights give off.
std::vector<Parameter> changing_inputs(const Sought& sought) {
    std::vector<Parameter> out = sought.parameters;
    for (const TextureParameter& texture : sought.textures) {
        if (!texture.is_light) { // an unknown environment, which observations may leave dark
            out.push_back({.name = texture.name});
        }
    }
    return out;
}

std::vector<View> views_of(const SceneFit::Parts& parts, const Sought& sought) {
    std::vector<std::string> names = all_names(sought.parameters);
    std::ranges::copy(names_of(sought.textures), std::back_inserter(names));
    const UnknownDirections directions =
        parts.unknowns.directions(parts.tables->materials()->values.size());
    const auto light = find_light_parts(parts.renderer, parts.observations, sought.lights,
                                        changing_inputs(sought));
    return build_views(parts.renderer, parts.observations, light,
                       {.materials = owning_materials(parts.renderer.scene(), names),
                        .rows = directions.rows,
                        .with_texels = !sought.textures.empty()});
}

} // namespace

SceneFit::Parts::Parts(render::Renderer& own, std::vector<Observation> pictures,
                       const Sought& sought, const FitSettings& given, core::InterruptPoll check)
    : renderer(own), tables(own.tables()), settings(given), poll(std::move(check)),
      observations(std::move(pictures)),
      unknowns(build_unknowns(*own.tables()->materials(), sought.parameters, sought.exposures,
                              names_of(observations), sought.lights)),
      textured(owning_materials(own.scene(), names_of(sought.textures))) {}

void SceneFit::Parts::make_models(const Sought& sought) {
    views = views_of(*this, sought);
    if (sought.has_numbers()) {
        scalars.emplace(tables, views, unknowns,
                        ScalarModelDesc{.samples = settings.samples,
                                        .bounces = settings.bounces,
                                        .seed = settings.seed,
                                        .check = poll});
    }
    if (!sought.textures.empty()) {
        dispatch::Context context = renderer.film().modules()->context();
        if (scalars) {
            context.poll = {}; // what both move together cannot be given up half-way
        }
        textures.emplace(
            std::move(context), tables, views, sought.textures,
            TextureReplayDesc{.bounces = settings.bounces, .seed = settings.seed, .check = poll});
    }
}

std::vector<std::vector<bool>> SceneFit::Parts::find_shown() const {
    std::vector<std::vector<bool>> out;
    out.reserve(views.size());
    for (const View& view : views) {
        out.push_back(fit::find_shown(renderer, view.observation().camera, textured));
    }
    return out;
}

} // namespace weft::fit
