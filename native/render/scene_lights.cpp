// SPDX-License-Identifier: Apache-2.0
#include "render/scene_lights.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/media.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

namespace weft::render {

using scene::LightRow;
using scene::layouts::LightWord;

namespace {

using EmissiveLightsRef = std::shared_ptr<const scene::EmissiveLights>;

/// What the images of an environment were made from. Large ones are looked at once for an owner.
PartKey images_key(KeptParts& kept, const scene::Environment& environment) {
    const auto make = [&] {
        PartKey key("environment images");
        key.add(environment.width).add(environment.height);
        key.add_content(std::as_bytes(environment.image));
        for (const scene::EnvironmentView& view : environment.views) {
            key.add_content(std::as_bytes(view.image));
        }
        return key;
    };
    if (!environment.owner) {
        return make();
    }
    PartKey owner("images of an owner");
    owner.add_identity(environment.owner);
    return kept.get<PartKey>(std::move(owner), make);
}

EnvironmentImagesRef environment_images(KeptParts& kept, const scene::Environment& environment) {
    return kept.get<EnvironmentImagesRef>(images_key(kept, environment), [&] {
        std::vector<std::span<const float>> images{environment.image};
        for (const scene::EnvironmentView& view : environment.views) {
            images.push_back(view.image);
        }
        return std::make_shared<const scene::EnvironmentImages>(
            scene::build_environment_images(images, environment.width, environment.height));
    });
}

void add_environment(SceneLights& lights, KeptParts& kept, const SceneGeometry& geometry) {
    const auto& environment = geometry.scene.environment;
    if (!environment) {
        return;
    }
    lights.images = environment_images(kept, *environment);
    lights.placed = scene::place_environment(*environment);
    lights.environment_power =
        scene::environment_power(lights.placed, lights.images->mean, geometry.extent);
}

void add_emissive_meshes(SceneLights& lights, KeptParts& kept, const SceneGeometry& geometry,
                         const scene::MaterialTable& materials) {
    lights.meshes = emissive_meshes(kept, geometry.scene, geometry.table,
                                    static_cast<std::uint32_t>(lights.analytic_light_count));
    PartKey key("emissive lights");
    key.add_identity(lights.meshes);
    const auto own = kept.get<EmissiveLightsRef>(std::move(key), [&] {
        return std::make_shared<const scene::EmissiveLights>(
            scene::emissive_lights(*lights.meshes, geometry.table));
    });
    lights.rows.insert(lights.rows.end(), own->rows.begin(), own->rows.end());
    lights.materials.assign(lights.analytic_light_count, scene::kNoLight);
    std::ranges::copy(scene::materials_of_lights(geometry.scene, *lights.meshes),
                      std::back_inserter(lights.materials));
    lights.emitters = {.lights = own->textured, .places = own->places};
    for (const std::uint32_t light : own->textured) {
        lights.emitters.programs.push_back(materials.records[lights.materials[light]].program);
    }
}

/// Lights at finite distance, and emissive objects.
std::size_t count_near(const SceneLights& lights) {
    const auto analytic = std::span(lights.rows).first(lights.analytic_light_count);
    const auto near = std::ranges::count_if(
        analytic, [](const LightRow& row) { return row.bounds.has_value() && row.power > 0; });
    const auto objects =
        std::ranges::count_if(lights.meshes->first_of_instance, [](std::uint32_t first) {
            return first != scene::InstanceRow::kDark;
        });
    return static_cast<std::size_t>(near + objects);
}

/// A mean that was measured; what is no number counts as 0.
double finite_mean(double mean) {
    return std::isnan(mean) ? 0.0 : std::clamp(mean, 0.0, std::numeric_limits<double>::max());
}

bool has_light(const SceneLights& lights, const scene::Scene& scene,
               const scene::MaterialTable& materials) {
    return scene.environment != nullptr ||
           std::ranges::any_of(lights.rows, [](const LightRow& row) { return row.power > 0; }) ||
           std::ranges::any_of(materials.programs,
                               [](const auto& program) { return program->is_emissive; }) ||
           scene::has_emissive_media(scene);
}

} // namespace

LightSampling require_light_sampling(std::string_view name, std::string_view owner) {
    const auto found = std::ranges::find(kLightSamplings, name);
    if (found == kLightSamplings.end()) {
        const std::vector<std::string> known(kLightSamplings.begin(), kLightSamplings.end());
        throw core::ArgumentError(core::text(owner, ": light_sampling must be one of ",
                                             core::join(known, ", "), ", got '", name, "'"));
    }
    return static_cast<LightSampling>(found - kLightSamplings.begin());
}

scene::LightTable SceneLights::table(std::span<const std::uint8_t> left_out) const {
    return scene::build_light_table(
        rows, {.environment_power = environment_power, .left_out = left_out, .has_tree = has_tree});
}

scene::LightTraits SceneLights::traits(const scene::LightTable& table) const {
    scene::LightTraits traits{.has_profiles = profiles.size() > 1,
                              .has_textured_emission = !emitters.lights.empty(),
                              .has_light_tree = has_tree,
                              .placed = placed};
    for (const scene::LightWords& words : std::span(table.records).first(count())) {
        traits.kinds |= std::uint32_t{1} << words[LightWord::kKind];
    }
    return traits;
}

void SceneLights::set_mean_emission(std::span<const std::array<double, 2>> means) {
    for (std::size_t k = 0; k < emitters.lights.size(); ++k) {
        LightRow& row = rows[emitters.lights[k]];
        row.power =
            row.area * std::numbers::pi * (finite_mean(means[k][0]) + finite_mean(means[k][1]));
    }
}

SceneLights scene_lights(KeptParts& kept, const SceneGeometry& geometry,
                         const scene::MaterialTable& materials, LightSampling sampling) {
    SceneLights lights;
    scene::AnalyticLightRows analytic =
        scene::analytic_light_rows(geometry.scene.lights, geometry.extent);
    lights.rows = std::move(analytic.rows);
    lights.profiles = std::move(analytic.profiles);
    lights.analytic_light_count = lights.rows.size();
    add_emissive_meshes(lights, kept, geometry, materials);
    add_environment(lights, kept, geometry);
    const std::size_t near = count_near(lights);
    lights.has_tree =
        near > 0 && (sampling == LightSampling::tree ||
                     (sampling == LightSampling::automatic && near >= kMinTreeLights));
    lights.is_lit = has_light(lights, geometry.scene, materials);
    return lights;
}

} // namespace weft::render
