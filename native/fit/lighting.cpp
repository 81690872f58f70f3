// SPDX-License-Identifier: Apache-2.0
#include "fit/lighting.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/scalar_setup.hpp"
#include "scene/closures.hpp"
#include "scene/light_changes.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace weft::fit {

namespace {

constexpr scene::Rgb kDark{0, 0, 0};

/// A scene as some observations show it.
struct LitScene {
    render::SceneTablesRef tables;
    std::vector<std::string> lights; ///< names of what shines
};

/// By the places of RendererDesc::lit_by.
using LitScenes = std::map<std::size_t, LitScene>;

bool is_chosen(std::span<const LightParameter> lights, std::string_view name) {
    return std::ranges::find(lights, name, &LightParameter::light) != lights.end();
}

std::size_t lights_of(const render::Renderer& renderer, const Observation& observation) {
    return observation.lights.value_or(renderer.lights());
}

LitScenes find_lit_scenes(const render::Renderer& renderer,
                          std::span<const Observation> observations) {
    LitScenes scenes;
    for (const Observation& observation : observations) {
        const std::size_t which = lights_of(renderer, observation);
        LitScene lit{.tables = renderer.lit_tables(which), .lights = {}};
        lit.lights = scene::light_names(lit.tables->scene());
        if (which != 0 && (lit.lights.empty() || !lit.tables->lights().is_lit)) {
            throw core::ArgumentError(core::text("Observation '", observation.name,
                                                 "': nothing shines in it; give its scene of "
                                                 "RendererDesc::lit_by a light or an environment"));
        }
        scenes.try_emplace(which, std::move(lit));
    }
    return scenes;
}

void require_known(const render::Renderer& renderer, const LitScenes& scenes,
                   std::span<const LightParameter> lights) {
    std::vector<std::string> shining;
    for (const auto& [which, lit] : scenes) {
        std::ranges::copy_if(lit.lights, std::back_inserter(shining), [&](const std::string& name) {
            return !scene::has_name(shining, name);
        });
    }
    for (const LightParameter& light : lights) {
        if (scene::has_name(shining, light.light)) {
            continue;
        }
        if (scene::has_name(scene::light_names(renderer.lit_tables(0)->scene()), light.light)) {
            throw core::ArgumentError(core::text("Fit: light '", light.light,
                                                 "' shines in no observation; leave its parameter "
                                                 "out, or give one that shows it"));
        }
        throw core::ArgumentError(core::text("Fit: no light of the scene is called '", light.light,
                                             "'; there are ",
                                             shining.empty() ? "none" : core::join(shining, ", ")));
    }
}

/// Refuses parameters that would light again what a part of the light leaves dark.
void require_own_emissions(const render::Renderer& renderer, const LitScenes& scenes,
                           std::span<const LightParameter> lights,
                           std::span<const Parameter> parameters) {
    const std::vector<std::string> changed = all_names(parameters);
    for (const scene::MaterialRef& material :
         scene::materials_of(renderer.lit_tables(0)->scene())) {
        const bool is_scaled = is_chosen(lights, material->name);
        const bool is_dark = std::ranges::any_of(scenes, [&](const auto& entry) {
            return !scene::has_name(entry.second.lights, material->name);
        });
        const std::vector<std::string> emissions = scene::emission_names(*material);
        const auto found = std::ranges::find_if(
            emissions, [&](const std::string& name) { return scene::has_name(changed, name); });
        if (found != emissions.end() && (is_scaled || is_dark)) {
            throw core::ArgumentError(core::text(
                "Fit: '", *found, "' changes the light of '", material->name, "', which ",
                is_scaled ? "a LightParameter scales" : "an observation leaves dark",
                "; leave one of them out"));
        }
    }
}

/// The scene with only some of its lights.
scene::Scene lit_by(const LitScene& lit, const auto& shines) {
    scene::LightFactors dark;
    for (const std::string& name : lit.lights) {
        if (!shines(name)) {
            dark.emplace(name, kDark);
        }
    }
    try {
        return scene::with_light_factors(lit.tables->scene(), dark);
    } catch (const core::ArgumentError& error) {
        throw core::ArgumentError(core::text("Fit: ", error.what()));
    }
}

std::vector<LightPart> parts_of(const render::Renderer& renderer, const LitScene& lit,
                                std::span<const LightParameter> lights) {
    std::vector<LightPart> parts;
    for (std::size_t number = 0; number < lights.size(); ++number) {
        if (scene::has_name(lit.lights, lights[number].light)) {
            const auto is_own = [&](std::string_view name) { return name == lights[number].light; };
            parts.push_back({.tables = renderer.relit(lit_by(lit, is_own)), .light = number});
        }
    }
    if (parts.empty()) {
        return {{.tables = lit.tables}};
    }
    if (lit.lights.size() > parts.size()) {
        const auto is_other = [&](std::string_view name) { return !is_chosen(lights, name); };
        LightPart others{.tables = renderer.relit(lit_by(lit, is_other))};
        if (others.tables->lights().is_lit) {
            parts.push_back(std::move(others));
        }
    }
    return parts;
}

} // namespace

std::vector<std::vector<LightPart>> find_light_parts(const render::Renderer& renderer,
                                                     std::span<const Observation> observations,
                                                     std::span<const LightParameter> lights,
                                                     std::span<const Parameter> parameters) {
    const LitScenes scenes = find_lit_scenes(renderer, observations);
    require_known(renderer, scenes, lights);
    require_own_emissions(renderer, scenes, lights, parameters);
    std::map<std::size_t, std::vector<LightPart>> known;
    std::vector<std::vector<LightPart>> parts;
    for (const Observation& observation : observations) {
        const std::size_t which = lights_of(renderer, observation);
        if (!known.contains(which)) {
            known.emplace(which, parts_of(renderer, scenes.at(which), lights));
        }
        parts.push_back(known.at(which));
    }
    return parts;
}

} // namespace weft::fit
