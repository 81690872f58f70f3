// SPDX-License-Identifier: Apache-2.0
#include "fit/environment_search.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/input_changes.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <memory>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

namespace weft::fit {

namespace {

constexpr double kBrightest = 1e4; ///< texel, times where the fit begins
constexpr std::array<std::string_view, 2> kAlbedos{"base_color", "color"};
constexpr std::string_view kTradeOff =
    "the brightness of the environment and the base colours trade off: no material whose colour "
    "is known is seen, nor the environment itself; leave one known colour out of the fit (a grey "
    "card), or give one a prior";
constexpr std::string_view kExposed =
    "the brightness of the environment and the exposures trade off: leave the exposure of one "
    "picture out of the fit";

std::string name_of(const EnvironmentParameter& parameter, std::string input) {
    const std::array<std::string, 2> parts{parameter.name, std::move(input)};
    return scene::join_name(parts);
}

/// As tables write it.
std::string normal_name(const std::string& name) {
    return name.empty() ? name : scene::join_name(scene::split_name(name));
}

/// What the texels of the box are times, on the device.
double strength_of(const scene::Scene& scene, const EnvironmentParameter& parameter) {
    const scene::InputValues inputs = scene::inputs_of(scene);
    const auto color = inputs.find(name_of(parameter, "color"));
    const auto strength = inputs.find(name_of(parameter, "strength"));
    const bool is_box = color != inputs.end() && strength != inputs.end() &&
                        std::holds_alternative<std::shared_ptr<scene::Texture>>(color->second) &&
                        std::holds_alternative<double>(strength->second);
    if (!is_box) {
        throw core::ArgumentError(
            core::text("Fit: nothing in the renderer's scene stands for the unknown environment '",
                       parameter.name, "'; make the renderer of fit::with_unknown_environment()"));
    }
    return std::get<double>(strength->second);
}

/// The inputs of which nothing is known.
std::set<std::string> free_names(const Sought& sought) {
    std::set<std::string> out;
    for (const TextureParameter& texture : sought.textures) {
        out.insert(normal_name(texture.name));
    }
    for (const Parameter& parameter : sought.parameters) {
        if (parameter.prior) {
            continue;
        }
        out.insert(normal_name(parameter.name));
        for (const std::string& tied : parameter.tied) {
            out.insert(normal_name(tied));
        }
    }
    return out;
}

/// The material of which one of some inputs is the colour, or is below the colour; "": none.
std::string owner_of_albedo(const std::string& name) {
    const std::vector<std::string> parts = scene::split_name(name);
    const auto part = std::ranges::find_if(parts.begin() + 1, parts.end(), [](const auto& own) {
        return own != "first" && own != "second";
    });
    const bool is_albedo =
        part != parts.end() && std::ranges::find(kAlbedos, *part) != kAlbedos.end();
    return is_albedo ? parts.front() : std::string();
}

} // namespace

EnvironmentSearch::EnvironmentSearch(render::Renderer& renderer,
                                     std::vector<Observation>& observations, Sought sought)
    : m_renderer(&renderer), m_parameter(sought.environment.value()), m_sought(std::move(sought)) {
    require_valid(m_parameter);
    if (std::ranges::find(m_sought.lights, m_parameter.name, &LightParameter::light) !=
        m_sought.lights.end()) {
        throw core::ArgumentError(core::text("Fit: an EnvironmentParameter looks for '",
                                             m_parameter.name,
                                             "', its brightness included; leave out the "
                                             "LightParameter"));
    }
    m_strength = strength_of(renderer.tables()->scene(), m_parameter);
    m_sought.environment.reset();
    m_sought.textures.push_back({.name = name_of(m_parameter, "color"),
                                 .bounds = {0, kBrightest},
                                 .smoothness = m_parameter.smoothness,
                                 .is_light = true});
    for (Observation& observation : observations) {
        observation.camera.far = std::numeric_limits<double>::infinity();
        m_sights.push_back({observation.name, observation.camera, observation.mask});
    }
}

FittedEnvironment EnvironmentSearch::found(const FittedTexture& texels) const {
    std::vector<float> image = texels.pixels;
    for (float& value : image) {
        value *= static_cast<float>(m_strength);
    }
    FittedEnvironment out{
        .environment =
            scene::environment(std::move(image), static_cast<std::uint32_t>(texels.width),
                               static_cast<std::uint32_t>(texels.height)),
        .undetermined = are_all_exposed() ? std::string(kExposed) : find_trade_off()};
    out.environment.name = m_parameter.name;
    return out;
}

bool EnvironmentSearch::are_all_exposed() const {
    const auto has = [this](const std::string& name) {
        return std::ranges::find(m_sought.exposures, name, &Exposure::observation) !=
               m_sought.exposures.end();
    };
    return has("") || std::ranges::all_of(m_sights, has, &Sight::name);
}

std::string EnvironmentSearch::find_trade_off() const {
    std::set<std::string> unknown; // materials whose colour is
    for (const std::string& name : free_names(m_sought)) {
        unknown.insert(owner_of_albedo(name));
    }
    unknown.erase(m_parameter.name);
    const scene::Scene& scene = m_renderer->scene();
    for (const Sight& sight : m_sights) {
        const render::CentreHits hits = m_renderer->centre_hits(sight.camera);
        for (std::size_t pixel = 0; pixel < hits.instances.size(); ++pixel) {
            const std::uint32_t instance = hits.instances[pixel];
            const bool counts = sight.mask.empty() || sight.mask.at(pixel) > 0;
            if (!counts || instance >= scene.objects.size()) {
                continue;
            }
            const scene::Object& object = scene.objects[instance];
            const auto& material = object.materials.at(object.mesh->slot(hits.triangles[pixel]));
            if (!unknown.contains(material->name)) {
                return {};
            }
        }
    }
    return std::string(kTradeOff);
}

} // namespace weft::fit
