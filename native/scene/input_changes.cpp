// SPDX-License-Identifier: Apache-2.0
#include "scene/input_changes.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/material_changer.hpp"

#include <iterator>
#include <memory>
#include <optional>
#include <utility>

namespace weft::scene {

namespace {

using core::ArgumentError;

std::vector<std::string> names_of(const InputValues& values) {
    std::vector<std::string> out;
    for (const auto& [name, value] : values) {
        out.push_back(name);
    }
    return out;
}

/// Notes all values, and changes none.
class InputReader : public MaterialChanger {
public:
    InputValues values;

protected:
    std::optional<Value> replaced(const std::string& name, const Value& value) override {
        values.insert_or_assign(name, plain(value));
        return std::nullopt;
    }
};

class InputChanger : public MaterialChanger {
public:
    explicit InputChanger(const InputValues& inputs) : m_inputs(inputs) {}

protected:
    std::optional<Value> replaced(const std::string& name, const Value& /*value*/) override {
        const auto given = m_inputs.find(name);
        return given == m_inputs.end() ? std::nullopt : std::optional(given->second);
    }

private:
    const InputValues& m_inputs;
};

using TextureRef = std::shared_ptr<Texture>;

class TextureChanger : public MaterialChanger {
public:
    explicit TextureChanger(std::map<TextureRef, TextureRef> textures)
        : m_textures(std::move(textures)) {}

protected:
    std::optional<Value> replaced(const std::string& name, const Value& value) override {
        const auto* const image = std::get_if<TextureRef>(&value);
        const auto found = image == nullptr ? m_textures.end() : m_textures.find(*image);
        if (found == m_textures.end()) {
            return std::nullopt;
        }
        const std::optional<Value>& before = (*image)->uv;
        std::optional<Value> uv = before ? changed_value(name + ".uv", *before) : std::nullopt;
        if (!uv) {
            return found->second;
        }
        TextureRef copy = copy_of(*found->second);
        copy->uv = std::move(uv);
        return copy;
    }

private:
    std::map<TextureRef, TextureRef> m_textures;
};

/// The texture with another image.
TextureRef with_image(const Texture& before, const TextureImage& image) {
    const TextureRef own = texture(image.pixels, image.width, image.height, image.channels);
    TextureRef out = copy_of(before);
    out->pixels = own->pixels;
    out->width = own->width;
    out->height = own->height;
    out->channels = own->channels;
    out->owner = own->owner;
    out->image = own->image;
    return out;
}

} // namespace

InputValues inputs_of(const Scene& scene) {
    InputReader reader;
    static_cast<void>(reader.changed(scene));
    return std::move(reader.values);
}

Scene with_inputs(const Scene& scene, const InputValues& inputs) {
    const InputValues known = inputs_of(scene);
    for (const auto& [name, value] : inputs) {
        if (!known.contains(name)) {
            throw ArgumentError(core::text("with_inputs: the scene has no input '", name, "'",
                                           core::suggestion(name, names_of(known))));
        }
    }
    return InputChanger(inputs).changed(scene);
}

Scene with_textures(const Scene& scene, const TextureImages& images) {
    const InputValues known = inputs_of(scene);
    std::map<TextureRef, TextureRef> textures;
    for (const auto& [name, image] : images) {
        const auto input = known.find(name);
        const auto* const before =
            input == known.end() ? nullptr : std::get_if<TextureRef>(&input->second);
        if (before == nullptr) {
            std::vector<std::string> driven;
            for (const auto& [other, value] : known) {
                if (std::holds_alternative<TextureRef>(value)) {
                    driven.push_back(other);
                }
            }
            throw ArgumentError(
                core::text("with_textures: no texture drives '", name, "'; textures drive ",
                           driven.empty() ? "no input of this scene" : core::join(driven, ", ")));
        }
        textures[*before] = with_image(**before, image);
    }
    return TextureChanger(std::move(textures)).changed(scene);
}

} // namespace weft::scene
