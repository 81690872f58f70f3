// SPDX-License-Identifier: Apache-2.0
// Values, surfaces and materials of files.
#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/material_checks.hpp"
#include "scene_files/fields.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace weft::scene_files {

using core::ArgumentError;
using core::text;

namespace {

using Reader = Made (*)(Fields&);

struct PartReader {
    std::string_view type;
    Reader read;
};

Made read_constant(Fields& fields) {
    const std::string name = fields.text("name");
    const double low = fields.number("low", 0);
    const double high = fields.number("high", 1);
    const Json& given = fields.require("value");
    const scene::Value value = fields.value("value");
    scene::Numbers numbers;
    if (const auto* const number = std::get_if<double>(&value)) {
        numbers = {*number};
    } else if (const auto* const several = std::get_if<scene::Numbers>(&value)) {
        numbers = *several;
    }
    scene::require_constant(name, numbers, shown(given));
    return scene::Value(std::make_shared<const scene::Constant>(
        scene::Constant{.name = name, .value = value, .low = low, .high = high}));
}

/// Numbers of pixels; integers are divided by their largest value.
scene::MeshArray<float> pixels_of(const NumberArray& array) {
    scene::MeshArray<float> pixels = converted<float>(array);
    if (array.kind != 'u' && array.kind != 'i') {
        return pixels;
    }
    const auto bits = static_cast<int>(8 * array.width) - (array.kind == 'i' ? 1 : 0);
    const float scale = static_cast<float>(std::ldexp(1.0, bits) - 1);
    std::vector<float> out(pixels.values.begin(), pixels.values.end());
    std::ranges::transform(out, out.begin(), [scale](float value) { return value / scale; });
    return out;
}

Made read_texture(Fields& fields) {
    auto texture = std::make_shared<scene::Texture>();
    texture->name = fields.text("name", "texture");
    const std::string owner = text("Texture '", texture->name, "'");
    const NumberArray array = fields.require_numbers("pixels");
    const bool is_grey = array.has_shape({0, 0});
    const std::uint64_t channels = is_grey || array.shape.empty() ? 1 : array.shape.back();
    if ((!is_grey && !array.has_shape({0, 0, 0})) || array.size() == 0 ||
        (channels != 1 && channels != 3 && channels != 4)) {
        throw ArgumentError(text(owner,
                                 ": pixels must be (height, width, channels) with 1, 3 or 4 "
                                 "channels, got shape ",
                                 array.shape_text()));
    }
    const auto pixels = std::make_shared<scene::MeshArray<float>>(pixels_of(array));
    texture->height = static_cast<std::uint32_t>(array.shape[0]);
    texture->width = static_cast<std::uint32_t>(array.shape[1]);
    texture->channels = static_cast<std::uint32_t>(channels);
    scene::require_pixels(owner, pixels->values, texture->width, texture->channels);
    texture->pixels = pixels->values;
    texture->owner = pixels;
    texture->image = pixels;
    texture->wrap = static_cast<scene::TextureWrap>(fields.choice("wrap", scene::kTextureWraps));
    texture->filter =
        static_cast<scene::TextureFilter>(fields.choice("filter", scene::kTextureFilters));
    texture->uv = fields.optional_value("uv");
    return scene::Value(std::move(texture));
}

Made read_call(Fields& fields) {
    scene::SlangCall call;
    call.function = fields.text("function");
    call.source = fields.text("source", "");
    call.arguments = fields.values("arguments");
    const std::int64_t size = fields.integer("size", 1);
    call.is_differentiable = fields.truth("is_differentiable", true);
    call.module = fields.text("module", "");
    scene::require_slang_call(call.function, call.source, call.module, size);
    call.size = static_cast<std::size_t>(size);
    return scene::Value(std::make_shared<scene::SlangCall>(std::move(call)));
}

Made read_normal_map(Fields& fields) {
    scene::NormalMap map{.color = fields.value("color")};
    map.strength = fields.optional_value("strength").value_or(map.strength);
    if (const Json* const space = fields.find("space")) {
        map.space = scene::normal_space(
            space->is_string() ? space->get_ref<const std::string&>() : "", shown(*space));
    }
    map.uv_set = fields.position("uv_set", 0);
    return scene::Value(scene::normal_map(std::move(map)));
}

Made read_bump(Fields& fields) {
    scene::Bump bump{.height = fields.value("height")};
    bump.strength = fields.optional_value("strength").value_or(bump.strength);
    bump.distance = fields.optional_value("distance").value_or(bump.distance);
    bump.normal = fields.optional_value("normal");
    bump.step = fields.optional_number("step");
    bump.filter_width = fields.number("filter_width", bump.filter_width);
    bump.is_surface = fields.truth("is_surface", false);
    return scene::Value(scene::bump(std::move(bump)));
}

/// Choices stand among the inputs, as Python's keywords have them.
Made read_closure(Fields& fields) {
    const Json& given = fields.require("kind");
    const scene::ClosureSpec& spec = scene::require_closure(
        given.is_string() ? given.get_ref<const std::string&>() : "", shown(given));
    scene::NamedValues inputs;
    std::vector<std::pair<std::string, std::string>> options;
    static_cast<void>(fields.require("inputs"));
    for (const auto& [name, json] : fields.map("inputs")) {
        const bool is_text = json->is_string();
        if (spec.find_option(name) != nullptr) {
            const std::string choice = is_text ? json->get<std::string>() : std::string();
            scene::require_option(spec, name, choice, shown(*json));
            options.emplace_back(name, choice);
            continue;
        }
        scene::require_input(spec, name);
        if (is_text) {
            scene::refuse_text(spec, name, shown(*json));
        }
        inputs.emplace_back(name, fields.value_of(*json));
    }
    return scene::closure(spec.kind, std::move(inputs), std::move(options));
}

Made read_mix(Fields& fields) {
    const auto first = fields.reference<scene::SurfaceRef>("first", "a surface");
    const auto second = fields.reference<scene::SurfaceRef>("second", "a surface");
    return scene::mix(first, second, fields.optional_value("factor").value_or(scene::Value(0.5)));
}

Made read_add(Fields& fields) {
    const auto first = fields.reference<scene::SurfaceRef>("first", "a surface");
    return scene::add(first, fields.reference<scene::SurfaceRef>("second", "a surface"));
}

constexpr std::array kPartReaders{
    PartReader{"Add", read_add},
    PartReader{"Bump", read_bump},
    PartReader{"Closure", read_closure},
    PartReader{"ColorAttribute",
               [](Fields& fields) -> Made {
                   return scene::Value(scene::ColorAttribute{fields.position("index", 0)});
               }},
    PartReader{"Constant", read_constant},
    PartReader{"Mix", read_mix},
    PartReader{"NormalMap", read_normal_map},
    PartReader{"SlangCall", read_call},
    PartReader{"Texture", read_texture},
    PartReader{"UVSet",
               [](Fields& fields) -> Made {
                   return scene::Value(scene::UvSet{fields.position("index", 0)});
               }},
    PartReader{"UVTangent",
               [](Fields& fields) -> Made {
                   return scene::Value(scene::UvTangent{fields.position("index", {})});
               }},
};

} // namespace

std::optional<Made> read_part(std::string_view type, Fields& fields) {
    const auto* const found = std::ranges::find(kPartReaders, type, &PartReader::type);
    return found == kPartReaders.end() ? std::nullopt : std::optional(found->read(fields));
}

scene::MaterialRef read_material(Fields& fields) {
    const auto* const volume = fields.optional_reference<scene::SurfaceRef>("volume", "a surface");
    const auto surface = fields.reference<scene::SurfaceRef>("surface", "a surface");
    return scene::material(fields.text("name"), surface, volume == nullptr ? nullptr : *volume,
                           fields.truth("transparent_shadows", true));
}

} // namespace weft::scene_files
