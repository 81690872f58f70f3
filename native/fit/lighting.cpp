// SPDX-License-Identifier: Apache-2.0
#include "fit/lighting.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/light_changes.hpp"

#include <algorithm>
#include <string>
#include <string_view>

namespace weft::fit {

namespace {

constexpr scene::Rgb kDark{0, 0, 0};

bool is_chosen(std::span<const LightParameter> lights, std::string_view name) {
    return std::ranges::find(lights, name, &LightParameter::light) != lights.end();
}

/// Refuses parameters that would light again what a part of the light leaves dark.
void require_own_emissions(const scene::Scene& scene, std::span<const LightParameter> lights,
                           std::span<const Parameter> parameters) {
    std::vector<std::string> changed;
    for (const Parameter& parameter : parameters) {
        changed.push_back(parameter.name);
        changed.insert(changed.end(), parameter.tied.begin(), parameter.tied.end());
    }
    for (const scene::MaterialRef& material : scene::materials_of(scene)) {
        for (const std::string& name : scene::emission_names(*material)) {
            if (is_chosen(lights, material->name) &&
                std::ranges::find(changed, name) != changed.end()) {
                throw core::ArgumentError(
                    core::text("Fit: '", name, "' changes the light of '", material->name,
                               "', which a LightParameter scales; leave one of them out"));
            }
        }
    }
}

/// The scene with only some of its lights.
scene::Scene lit_by(const scene::Scene& scene, std::span<const std::string> names,
                    const auto& shines) {
    scene::LightFactors dark;
    for (const std::string& name : names) {
        if (!shines(name)) {
            dark.emplace(name, kDark);
        }
    }
    try {
        return scene::with_light_factors(scene, dark);
    } catch (const core::ArgumentError& error) {
        throw core::ArgumentError(core::text("Fit: ", error.what()));
    }
}

} // namespace

std::vector<LightPart> find_light_parts(const render::Renderer& renderer,
                                        std::span<const LightParameter> lights,
                                        std::span<const Parameter> parameters) {
    if (lights.empty()) {
        return {{.tables = nullptr}};
    }
    const scene::Scene& scene = renderer.scene();
    const std::vector<std::string> names = scene::light_names(scene);
    for (const LightParameter& light : lights) {
        if (std::ranges::find(names, light.light) == names.end()) {
            throw core::ArgumentError(core::text("Fit: no light of the scene is called '",
                                                 light.light, "'; there are ",
                                                 names.empty() ? "none" : core::join(names, ", ")));
        }
    }
    require_own_emissions(scene, lights, parameters);
    std::vector<LightPart> parts;
    for (std::size_t number = 0; number < lights.size(); ++number) {
        const auto is_own = [&](std::string_view name) { return name == lights[number].light; };
        parts.push_back({.tables = renderer.relit(lit_by(scene, names, is_own)), .light = number});
    }
    if (names.size() > lights.size()) {
        const auto is_other = [&](std::string_view name) { return !is_chosen(lights, name); };
        LightPart others{.tables = renderer.relit(lit_by(scene, names, is_other))};
        if (others.tables->lights().is_lit) {
            parts.push_back(std::move(others));
        }
    }
    return parts;
}

} // namespace weft::fit
