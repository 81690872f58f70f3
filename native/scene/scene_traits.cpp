// SPDX-License-Identifier: Apache-2.0
#include "scene/scene_traits.hpp"

#include "scene/layouts.hpp"

#include <algorithm>

namespace weft::scene {

namespace {

constexpr std::uint32_t bit(std::uint32_t kind) noexcept {
    return std::uint32_t{1} << kind;
}

bool has_program(const MaterialTable& materials, bool (*has)(const MaterialProgram&)) {
    return std::ranges::any_of(materials.programs,
                               [has](const auto& program) { return has(*program); });
}

std::uint32_t light_kinds_of(const Scene& scene, const LightTraits& lights) {
    std::uint32_t kinds = lights.kinds;
    if (scene.environment) { // whether it is sampled or not
        kinds |= bit(layouts::LightKind::kEnvironment);
    }
    if (lights.has_profiles) {
        kinds |= bit(layouts::LightKind::kProfiled);
    }
    return kinds;
}

} // namespace

SceneTraits scene_traits(const Scene& scene, const GeometryTable& geometry,
                         const MaterialTable& materials, const LightTraits& lights) {
    SceneTraits traits;
    traits.light_kinds = light_kinds_of(scene, lights);
    const auto is_hidden = [](const auto& entry) { return entry.hidden_from != 0; };
    const bool hides_lights = std::ranges::any_of(scene.lights, is_hidden);
    traits.has_baked_transforms = geometry.has_baked_transforms;
    traits.has_hidden = std::ranges::any_of(scene.objects, is_hidden);
    traits.has_media = has_media(scene);
    traits.has_walks = has_program(
        materials, [](const MaterialProgram& program) { return program.subsurface_closures > 0; });
    traits.has_transparency = traits.has_hidden || traits.has_media || traits.has_walks ||
                              has_program(materials, [](const MaterialProgram& program) {
                                  return !program.transparency.empty();
                              });
    traits.has_textured_emission = lights.has_textured_emission;
    traits.has_cones = std::ranges::any_of(materials.textures, [](const auto& texture) {
        return texture->filter == TextureFilter::mipmap;
    });
    traits.has_bumps =
        has_program(materials, [](const MaterialProgram& program) { return program.has_bumps; });
    traits.has_light_tree = lights.has_light_tree;
    traits.has_kinds =
        traits.has_hidden || hides_lights ||
        has_program(materials, [](const MaterialProgram& program) { return program.reads_ray; }) ||
        (scene.environment &&
         std::ranges::any_of(lights.placed.layers, [](std::uint32_t layer) { return layer != 0; }));
    traits.has_terminators = std::ranges::any_of(scene.objects, lifts_light_rays);
    traits.has_limits = scene.light_paths != LightPaths{};
    traits.has_light_rules =
        hides_lights ||
        std::ranges::any_of(scene.lights, [](const Light& light) { return !light.casts_shadow; });
    return traits;
}

SceneTraits joined_traits(std::span<const SceneTraits> traits) {
    SceneTraits joined = traits.front();
    for (const SceneTraits& other : traits.subspan(1)) {
        joined.light_kinds |= other.light_kinds;
        joined.has_textured_emission |= other.has_textured_emission;
        joined.has_kinds |= other.has_kinds;
        joined.has_light_tree |= other.has_light_tree;
        joined.has_limits |= other.has_limits;
        joined.has_light_rules |= other.has_light_rules;
    }
    return joined;
}

} // namespace weft::scene
