// SPDX-License-Identifier: Apache-2.0
#include "scene/parameter_changes.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/closures.hpp"
#include "scene/emission.hpp"
#include "scene/material_changes.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace weft::scene {

namespace {

Value value_of(const Numbers& numbers) {
    return numbers.size() == 1 ? Value(numbers.front()) : Value(numbers);
}

bool is_number(const Value& value) {
    return std::holds_alternative<double>(value) || std::holds_alternative<Numbers>(value);
}

/// What a value is that has no number of its own.
std::string_view kind_of(const Value& value) {
    if (std::holds_alternative<std::shared_ptr<Texture>>(value)) {
        return "a texture";
    }
    if (std::holds_alternative<std::shared_ptr<SlangCall>>(value)) {
        return "a Slang function, whose parameters have names below it";
    }
    return "a quantity of the point";
}

/// Copies materials with other numbers; what does not change stays the same object.
class Changer {
public:
    explicit Changer(const ParameterValues& values) : m_values(values) {}

    MaterialRef changed(const MaterialRef& given) {
        m_owner = quoted_part(given->name);
        m_constants.clear();
        auto [surface, volume] = changed_surfaces(*given);
        if (!m_constants.empty()) { // uses of a constant may come before the one that has its name
            std::tie(surface, volume) = changed_surfaces(*given);
        }
        if (surface == given->surface && volume == given->volume) {
            return given;
        }
        return material(given->name, std::move(surface), std::move(volume),
                        given->transparent_shadows);
    }

    /// @throws ArgumentError for the first name that no material has.
    void require_all_found() const {
        const std::vector<std::string> known(m_known.begin(), m_known.end());
        for (const auto& [name, numbers] : m_values) {
            if (!m_known.contains(name)) {
                throw core::ArgumentError(
                    core::text("with_parameters: the scene has no parameter '", name, "'",
                               core::suggestion(name, known),
                               known.empty() ? "; its materials have none" : ""));
            }
        }
    }

private:
    std::pair<SurfaceRef, SurfaceRef> changed_surfaces(const Material& given) {
        m_calls.clear();
        SurfaceRef surface = changed(m_owner + ".", given.surface);
        return {std::move(surface),
                given.volume ? changed(m_owner + ".volume.", given.volume) : nullptr};
    }

    SurfaceRef changed(const std::string& prefix, const SurfaceRef& surface) {
        if (const auto* const leaf = std::get_if<Closure>(&surface->node)) {
            return changed_closure(prefix, surface, *leaf);
        }
        const auto* const mixed = std::get_if<Mix>(&surface->node);
        const auto* const sum = std::get_if<Add>(&surface->node);
        const SurfaceRef& before_first = mixed != nullptr ? mixed->first : sum->first;
        const SurfaceRef& before_second = mixed != nullptr ? mixed->second : sum->second;
        SurfaceRef first = changed(prefix + "first.", before_first);
        SurfaceRef second = changed(prefix + "second.", before_second);
        const std::optional<Value> factor =
            mixed != nullptr ? changed_value(prefix + "factor", mixed->factor) : std::nullopt;
        if (first == before_first && second == before_second && !factor) {
            return surface;
        }
        return mixed != nullptr
                   ? mix(std::move(first), std::move(second), factor.value_or(mixed->factor))
                   : add(std::move(first), std::move(second));
    }

    SurfaceRef changed_closure(const std::string& prefix, const SurfaceRef& surface,
                               const Closure& leaf) {
        NamedValues inputs = leaf.inputs;
        bool is_same = true;
        for (const auto& [key, input] : find_closure(leaf.kind)->inputs) {
            std::optional<Value> other = changed_value(prefix + key, input_of(leaf, key));
            if (!other) {
                continue;
            }
            is_same = false;
            set_input(inputs, key, std::move(*other));
        }
        return is_same ? surface : closure(leaf.kind, std::move(inputs), leaf.options);
    }

    /// Not set: it stays as it is.
    std::optional<Value> changed_value(const std::string& name, const Value& value) {
        m_known.insert(name);
        if (const auto* const held = std::get_if<std::shared_ptr<const Constant>>(&value)) {
            return changed_constant(name, *held);
        }
        if (const auto given = m_values.find(name); given != m_values.end()) {
            require_number(name, value, given->second);
            return value_of(given->second);
        }
        if (const auto* const called = std::get_if<std::shared_ptr<SlangCall>>(&value)) {
            return changed_call(name, *called);
        }
        if (const auto* const image = std::get_if<std::shared_ptr<Texture>>(&value);
            image != nullptr && (*image)->uv) {
            return changed_texture(name, **image);
        }
        return std::nullopt;
    }

    std::optional<Value> changed_constant(const std::string& place,
                                          const std::shared_ptr<const Constant>& held) {
        const std::string name = core::text(m_owner, ".", held->name);
        m_known.insert(name);
        auto given = m_values.find(place);
        if (given == m_values.end()) {
            given = m_values.find(name);
        }
        auto& own = m_constants[name];
        if (own == nullptr && given != m_values.end()) {
            require_number(name, held->value, given->second);
            own = constant(held->name, value_of(given->second), held->low, held->high);
        }
        return own == nullptr ? std::nullopt : std::optional<Value>(own);
    }

    std::optional<Value> changed_call(const std::string& name,
                                      const std::shared_ptr<SlangCall>& called) {
        if (const auto known = m_calls.find(called); known != m_calls.end()) {
            return known->second;
        }
        NamedValues arguments = called->arguments;
        bool is_same = true;
        for (auto& [key, argument] : arguments) {
            if (std::optional<Value> other = changed_value(core::text(name, ".", key), argument)) {
                is_same = false;
                argument = std::move(*other);
            }
        }
        std::optional<Value>& out = m_calls[called];
        if (!is_same) {
            SlangCall copy;
            copy.function = called->function;
            copy.source = called->source;
            copy.arguments = std::move(arguments);
            copy.size = called->size;
            copy.is_differentiable = called->is_differentiable;
            copy.module = called->module;
            copy.origin = called->origin;
            out = slang_call(std::move(copy));
        }
        return out;
    }

    std::optional<Value> changed_texture(const std::string& name, const Texture& image) {
        std::optional<Value> uv = changed_value(name + ".uv", *image.uv);
        if (!uv) {
            return std::nullopt;
        }
        auto copy = std::make_shared<Texture>();
        copy->pixels = image.pixels;
        copy->width = image.width;
        copy->height = image.height;
        copy->channels = image.channels;
        copy->wrap = image.wrap;
        copy->filter = image.filter;
        copy->uv = std::move(uv);
        copy->name = image.name;
        copy->owner = image.owner;
        copy->image = image.image;
        return copy;
    }

    static void require_number(const std::string& name, const Value& before, const Numbers& after) {
        if (!is_number(before)) {
            throw core::ArgumentError(core::text("with_parameters: '", name, "' is driven by ",
                                                 kind_of(before), ", not by a number"));
        }
        if (after.size() != size_of(before)) {
            throw core::ArgumentError(core::text("with_parameters: '", name, "' has ",
                                                 size_of(before), " numbers, got ", after.size()));
        }
    }

    const ParameterValues& m_values;
    std::string m_owner;
    std::set<std::string> m_known;
    std::map<std::string, std::shared_ptr<const Constant>> m_constants;
    std::map<std::shared_ptr<SlangCall>, std::optional<Value>> m_calls;
};

} // namespace

Scene with_parameters(const Scene& scene, const ParameterValues& values) {
    Changer changer(values);
    std::map<MaterialRef, MaterialRef> changed;
    for (const MaterialRef& material : materials_of(scene)) {
        changed[material] = changer.changed(material);
    }
    changer.require_all_found();
    return with_materials(scene, changed);
}

} // namespace weft::scene
