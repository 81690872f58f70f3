// SPDX-License-Identifier: Apache-2.0
#include "scene/light_changes.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/closures.hpp"
#include "scene/emission.hpp"
#include "scene/material_changes.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

namespace weft::scene {

namespace {

struct EmissionInputs {
    std::string_view color;
    std::string_view strength;
};

/// The inputs of what a closure gives off; not set: it is no light.
std::optional<EmissionInputs> emission_of(const Closure& closure) {
    const bool is_source = closure.kind == "emission";
    const EmissionInputs names{is_source ? "color" : "emission_color",
                               is_source ? "strength" : "emission_strength"};
    if (find_closure(closure.kind)->find_input(names.strength) == nullptr) {
        return std::nullopt;
    }
    const Value strength = input_of(closure, names.strength);
    const auto* const number = std::get_if<double>(&plain(strength));
    return number != nullptr && *number == 0 ? std::nullopt : std::optional(names);
}

void add_names(const std::string& prefix, const Surface& surface, std::vector<std::string>& names) {
    if (const auto* const leaf = std::get_if<Closure>(&surface.node)) {
        if (const std::optional<EmissionInputs> found = emission_of(*leaf)) {
            names.push_back(core::text(prefix, found->color));
            names.push_back(core::text(prefix, found->strength));
        }
        return;
    }
    const auto* const mixed = std::get_if<Mix>(&surface.node);
    const auto* const sum = std::get_if<Add>(&surface.node);
    add_names(prefix + "first.", *(mixed != nullptr ? mixed->first : sum->first), names);
    add_names(prefix + "second.", *(mixed != nullptr ? mixed->second : sum->second), names);
}

bool is_grey(const Rgb& color) {
    return color[0] == color[1] && color[1] == color[2];
}

/// Three numbers; not set: the value is no constant.
std::optional<Rgb> color_of(const Value& value) {
    if (const auto* const number = std::get_if<double>(&value)) {
        return Rgb{*number, *number, *number};
    }
    const auto* const numbers = std::get_if<Numbers>(&value);
    if (numbers == nullptr || numbers->empty()) {
        return std::nullopt;
    }
    const bool is_color = numbers->size() >= 3;
    return Rgb{numbers->front(), numbers->at(is_color ? 1 : 0), numbers->at(is_color ? 2 : 0)};
}

/// Copies a material with other emission; what does not change stays the same object.
class Scaler {
public:
    Scaler(const Material& material, const Rgb& factor) : m_material(material), m_factor(factor) {}

    MaterialRef scaled() {
        return material(m_material.name, scaled(m_material.surface), m_material.volume,
                        m_material.transparent_shadows);
    }

private:
    SurfaceRef scaled(const SurfaceRef& surface) {
        if (const auto* const leaf = std::get_if<Closure>(&surface->node)) {
            const std::optional<EmissionInputs> found = emission_of(*leaf);
            return found ? scaled(*leaf, *found) : surface;
        }
        if (const auto* const mixed = std::get_if<Mix>(&surface->node)) {
            return mix(scaled(mixed->first), scaled(mixed->second), mixed->factor);
        }
        const auto& sum = std::get<Add>(surface->node);
        return add(scaled(sum.first), scaled(sum.second));
    }

    SurfaceRef scaled(const Closure& leaf, const EmissionInputs& names) {
        const Value strength = input_of(leaf, names.strength);
        if (const auto* const number = std::get_if<double>(&plain(strength));
            is_grey(m_factor) && number != nullptr) {
            return with(leaf, names.strength, strength, *number * m_factor[0]);
        }
        const Value color = input_of(leaf, names.color);
        const std::optional<Rgb> known = color_of(plain(color));
        if (!known) {
            const std::string_view changed = is_grey(m_factor) ? "strength" : "colour";
            throw core::ArgumentError(
                core::text("the light of material '", m_material.name, "' cannot be scaled: its ",
                           changed, " is no constant; give '",
                           is_grey(m_factor) ? names.strength : names.color, "' a value"));
        }
        Numbers numbers(3);
        std::ranges::transform(*known, m_factor, numbers.begin(), std::multiplies());
        return with(leaf, names.color, color, std::move(numbers));
    }

    SurfaceRef with(const Closure& leaf, std::string_view name, const Value& before, Value after) {
        if (const auto* const named = std::get_if<std::shared_ptr<const Constant>>(&before)) {
            after = renamed(*named, std::move(after));
        }
        NamedValues inputs = leaf.inputs;
        set_input(inputs, name, std::move(after));
        return closure(leaf.kind, std::move(inputs), leaf.options);
    }

    /// A constant is one parameter wherever it is: its uses share the one that stands for it.
    std::shared_ptr<const Constant> renamed(const std::shared_ptr<const Constant>& before,
                                            Value after) {
        std::shared_ptr<const Constant>& own = m_constants[before];
        if (own == nullptr) {
            own = constant(before->name, std::move(after), before->low, before->high);
        }
        return own;
    }

    const Material& m_material;
    const Rgb& m_factor;
    std::map<std::shared_ptr<const Constant>, std::shared_ptr<const Constant>> m_constants;
};

void scale_light(Light& light, const Rgb& factor) {
    std::visit(
        [&factor]<typename AnalyticLight>(AnalyticLight& own) {
            if (!is_grey(factor)) {
                std::ranges::transform(own.color, factor, own.color.begin(), std::multiplies());
            } else if constexpr (std::is_same_v<AnalyticLight, SunLight>) {
                own.strength *= factor[0];
            } else {
                own.power *= factor[0];
            }
        },
        light.kind);
}

std::string listed(const std::vector<std::string>& names) {
    return names.empty() ? "none" : core::text("'", core::join(names, "', '"), "'");
}

void require_once(const std::vector<std::string>& names, const std::string& name) {
    const auto count = std::ranges::count(names, name);
    if (count != 1) {
        throw core::ArgumentError(core::text(
            count == 0 ? std::string("no light") : core::text(count, " lights"), " of the scene ",
            count == 0 ? "is" : "are", " called '", name, "'; there are ", listed(names)));
    }
}

std::map<MaterialRef, MaterialRef> scaled_materials(const Scene& scene,
                                                    const LightFactors& factors) {
    std::map<MaterialRef, MaterialRef> scaled;
    for (const MaterialRef& material : materials_of(scene)) {
        const auto found = factors.find(material->name);
        if (found != factors.end() && !emission_names(*material).empty()) {
            scaled[material] = Scaler(*material, found->second).scaled();
        }
    }
    return scaled;
}

} // namespace

std::vector<std::string> emission_names(const Material& material) {
    std::vector<std::string> names;
    add_names(quoted_part(material.name) + ".", *material.surface, names);
    return names;
}

std::vector<std::string> light_names(const Scene& scene) {
    std::vector<std::string> names;
    names.reserve(scene.lights.size());
    for (const Light& light : scene.lights) {
        names.push_back(light.name);
    }
    if (scene.environment) {
        names.push_back(scene.environment->name);
    }
    for (const MaterialRef& material : materials_of(scene)) {
        if (!emission_names(*material).empty()) {
            names.push_back(material->name);
        }
    }
    return names;
}

Scene with_light_factors(const Scene& scene, const LightFactors& factors) {
    const std::vector<std::string> names = light_names(scene);
    for (const auto& [name, factor] : factors) {
        require_once(names, name);
    }
    Scene out = with_materials(scene, scaled_materials(scene, factors));
    for (Light& light : out.lights) {
        if (const auto found = factors.find(light.name); found != factors.end()) {
            scale_light(light, found->second);
        }
    }
    if (out.environment) {
        if (const auto found = factors.find(out.environment->name); found != factors.end()) {
            auto other = std::make_shared<Environment>(*out.environment);
            std::ranges::transform(other->strength, found->second, other->strength.begin(),
                                   std::multiplies());
            out.environment = std::move(other);
        }
    }
    return out;
}

} // namespace weft::scene
