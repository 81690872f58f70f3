// SPDX-License-Identifier: Apache-2.0
#include "fit/smooth_glass.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/closures.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <limits>
#include <string_view>
#include <variant>

namespace weft::fit {

namespace {

constexpr double kMirror =
    0.0038; ///< roughness up to which facets are a mirror, see shaders/weft/bsdf/ggx.slang
constexpr std::array<std::string_view, 3> kRefracting{"glass", "refraction", "principled"};

/// The smallest value of an input, or its default; infinite where a function makes it.
double smallest(const scene::Closure& closure, std::string_view name) {
    const scene::Value* const given = closure.find(name);
    if (given == nullptr) {
        return scene::find_closure(closure.kind)->find_input(name)->standard.front();
    }
    const scene::Value& value = scene::plain(*given);
    if (const auto* const number = std::get_if<double>(&value)) {
        return *number;
    }
    if (const auto* const texture = std::get_if<std::shared_ptr<scene::Texture>>(&value)) {
        const std::span<const float> pixels = (*texture)->pixels;
        // Who uploads texels without showing them may have a mirror among them.
        return pixels.empty() ? 0.0 : static_cast<double>(*std::ranges::min_element(pixels));
    }
    return std::numeric_limits<double>::infinity();
}

bool ends_with(std::string_view name, std::string_view input) {
    const std::vector<std::string> parts = scene::split_name(name);
    return parts.back() == input;
}

/// Whether a closure refracts without roughness.
bool is_smooth_glass(const scene::Closure& closure, bool may_transmit) {
    if (std::ranges::find(kRefracting, closure.kind) == kRefracting.end()) {
        return false;
    }
    const bool is_clear = closure.kind != "principled" || may_transmit ||
                          smallest(closure, "transmission_weight") > 0;
    return is_clear && smallest(closure, "roughness") <= kMirror;
}

} // namespace

void require_known_directions(const scene::Scene& scene, std::span<const Parameter> parameters) {
    std::vector<std::string> names;
    for (const Parameter& parameter : parameters) {
        names.push_back(parameter.name);
        names.insert(names.end(), parameter.tied.begin(), parameter.tied.end());
    }
    const auto has = [&names](const std::string& owner, std::string_view input) {
        return std::ranges::any_of(names, [&](const std::string& name) {
            return scene::split_owner(name).owner == owner && ends_with(name, input);
        });
    };
    for (const scene::MaterialRef& material : scene::materials_of(scene)) {
        if (!has(material->name, "ior") || has(material->name, "roughness")) {
            continue;
        }
        const bool may_transmit = has(material->name, "transmission_weight");
        scene::for_each_closure(*material->surface, [&](const scene::Closure& closure) {
            if (is_smooth_glass(closure, may_transmit)) {
                throw core::ArgumentError(core::text(
                    "Fit: the ior of material '", material->name,
                    "' bends the light of a surface without roughness, and the direction has no "
                    "derivative; give its roughness 0.02 or more, or leave ior out"));
            }
        });
    }
}

} // namespace weft::fit
