// SPDX-License-Identifier: Apache-2.0
#include "scene/emission.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/closures.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace weft::scene {

namespace {

/// Inputs of what lies above the light of the Principled BSDF and dims it.
constexpr std::array<std::string_view, 3> kLayers{"alpha", "coat_weight", "sheen_weight"};

using Color = std::array<double, 3>;

std::optional<double> number_of(const Value& value) {
    const auto* const number = std::get_if<double>(&plain(value));
    return number == nullptr ? std::nullopt : std::optional(*number);
}

std::optional<Color> color_of(const Numbers& numbers) {
    return numbers.size() < 3 ? Color{numbers.at(0), numbers.at(0), numbers.at(0)}
                              : Color{numbers[0], numbers[1], numbers[2]};
}

std::optional<Color> color_of(const Value& value) {
    const Value& known = plain(value);
    if (const auto* const numbers = std::get_if<Numbers>(&known)) {
        return numbers->empty() ? std::nullopt : color_of(*numbers);
    }
    const std::optional<double> number = number_of(known);
    return number ? std::optional(Color{*number, *number, *number}) : std::nullopt;
}

struct LightInputs {
    std::optional<Color> color;
    std::optional<double> strength;
};

LightInputs light_inputs(const Closure& closure) {
    const std::string prefix = closure.kind == "emission" ? "" : "emission_";
    return {.color = color_of(input_of(closure, prefix + "color")),
            .strength = number_of(input_of(closure, prefix + "strength"))};
}

double largest(const Color& color) {
    return std::ranges::max(color);
}

bool is_black(const Closure& closure) {
    const LightInputs light = light_inputs(closure);
    return light.strength == 0.0 || (light.color && largest(*light.color) <= 0);
}

/// Whether a surface may give off light that emitted_radiance() does not tell.
bool may_emit(const Surface& surface) {
    bool found = false;
    for_each_closure(surface, [&](const Closure& closure) {
        const bool is_source = closure.kind == "emission" ||
                               (closure.kind == "principled" && closure.has("emission_strength"));
        found = found || (is_source && !is_black(closure));
    });
    return found;
}

std::optional<Emission> emitted_by(const Closure& closure) {
    if (find_closure(closure.kind)->emission.empty() ||
        std::ranges::any_of(kLayers, [&](std::string_view name) { return closure.has(name); })) {
        return std::nullopt;
    }
    const LightInputs light = light_inputs(closure);
    // Written so that NaN counts as light, which is found where it is evaluated.
    if (!light.strength || !light.color || *light.strength * largest(*light.color) <= 0) {
        return std::nullopt;
    }
    const bool both =
        closure.kind != "emission" || number_of(input_of(closure, "both_sides")) != 0.0;
    const Color& color = *light.color;
    const double strength = *light.strength;
    return Emission{.radiance = {strength * color[0], strength * color[1], strength * color[2]},
                    .both_sides = both};
}

struct Weighted {
    const Surface* surface;
    double weight;
};

std::optional<Emission> emitted_by(std::array<Weighted, 2> parts) {
    Emission sum;
    std::optional<bool> both;
    for (const auto& [surface, weight] : parts) {
        const std::optional<Emission> found = emitted_radiance(*surface);
        if (!found || !(weight > 0)) {
            continue;
        }
        if (both.value_or(found->both_sides) != found->both_sides) {
            return std::nullopt;
        }
        both = found->both_sides;
        for (std::size_t k = 0; k < 3; ++k) {
            sum.radiance[k] += found->radiance[k] * weight;
        }
    }
    if (!both) {
        return std::nullopt;
    }
    sum.both_sides = *both;
    return sum;
}

} // namespace

Value input_of(const Closure& closure, std::string_view name) {
    if (const Value* const given = closure.find(name)) {
        return *given;
    }
    const ClosureInput* const known = find_closure(closure.kind)->find_input(name);
    if (known == nullptr) {
        throw core::InternalError(
            core::text("emission: '", closure.kind, "' has no input '", name, "'"));
    }
    return known->size() == 1 ? Value(known->standard.front()) : Value(known->standard);
}

std::optional<Emission> emitted_radiance(const Surface& surface) {
    if (const auto* const leaf = std::get_if<Closure>(&surface.node)) {
        return emitted_by(*leaf);
    }
    if (const auto* const mixed = std::get_if<Mix>(&surface.node)) {
        const std::optional<double> factor = number_of(mixed->factor);
        if (!factor) {
            return std::nullopt;
        }
        return emitted_by(
            {Weighted{mixed->first.get(), 1 - *factor}, Weighted{mixed->second.get(), *factor}});
    }
    const auto& sum = std::get<Add>(surface.node);
    return emitted_by({Weighted{sum.first.get(), 1}, Weighted{sum.second.get(), 1}});
}

std::optional<Emission> light_of(const Surface& surface) {
    const std::optional<Emission> same = emitted_radiance(surface);
    if (same || !may_emit(surface)) {
        return same;
    }
    return Emission{.radiance = {1, 1, 1}, .both_sides = true, .varies = true};
}

} // namespace weft::scene
