// SPDX-License-Identifier: Apache-2.0
#include "scene/material_changer.hpp"

#include "core/text.hpp"
#include "scene/closures.hpp"
#include "scene/emission.hpp"
#include "scene/material_changes.hpp"
#include "scene/parameter_names.hpp"

#include <tuple>

namespace weft::scene {

Scene MaterialChanger::changed(const Scene& scene) {
    std::map<MaterialRef, MaterialRef> others;
    for (const MaterialRef& material : materials_of(scene)) {
        others[material] = changed(material);
    }
    return with_materials(scene, others);
}

MaterialRef MaterialChanger::changed(const MaterialRef& given) {
    m_owner = quoted_part(given->name);
    begin_material();
    auto [surface, volume] = changed_surfaces(*given);
    if (wants_another_visit()) {
        std::tie(surface, volume) = changed_surfaces(*given);
    }
    if (surface == given->surface && volume == given->volume) {
        return given;
    }
    return material(given->name, std::move(surface), std::move(volume), given->transparent_shadows);
}

std::pair<SurfaceRef, SurfaceRef> MaterialChanger::changed_surfaces(const Material& given) {
    m_calls.clear();
    SurfaceRef surface = changed(m_owner + ".", given.surface);
    return {std::move(surface),
            given.volume ? changed(m_owner + ".volume.", given.volume) : nullptr};
}

SurfaceRef MaterialChanger::changed(const std::string& prefix, const SurfaceRef& surface) {
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

SurfaceRef MaterialChanger::changed_closure(const std::string& prefix, const SurfaceRef& surface,
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

std::optional<Value> MaterialChanger::changed_value(const std::string& name, const Value& value) {
    if (std::optional<Value> other = replaced(name, value)) {
        return other;
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

std::optional<Value> MaterialChanger::changed_call(const std::string& name,
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

std::optional<Value> MaterialChanger::changed_texture(const std::string& name,
                                                      const Texture& image) {
    std::optional<Value> uv = changed_value(name + ".uv", *image.uv);
    if (!uv) {
        return std::nullopt;
    }
    std::shared_ptr<Texture> copy = copy_of(image);
    copy->uv = std::move(uv);
    return copy;
}

std::shared_ptr<Texture> copy_of(const Texture& texture) {
    auto copy = std::make_shared<Texture>();
    copy->pixels = texture.pixels;
    copy->width = texture.width;
    copy->height = texture.height;
    copy->channels = texture.channels;
    copy->wrap = texture.wrap;
    copy->filter = texture.filter;
    copy->uv = texture.uv;
    copy->name = texture.name;
    copy->owner = texture.owner;
    copy->image = texture.image;
    return copy;
}

} // namespace weft::scene
