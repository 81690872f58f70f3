// SPDX-License-Identifier: Apache-2.0
#include "fit/texture_regions.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/fit_kernels.hpp"
#include "scene/layouts.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>

namespace weft::fit {

namespace {

using core::ArgumentError;
using core::text;
using scene::layouts::TextureWord;

void require_valid(const TextureParameter& parameter) {
    const auto [low, high] = parameter.bounds;
    if (!std::isfinite(low) || !std::isfinite(high) || !(low < high)) {
        throw ArgumentError(text("TextureParameter '", parameter.name,
                                 "': bounds must be two finite numbers with low < high, got ", low,
                                 " and ", high));
    }
    if (!(parameter.smoothness >= 0) || !std::isfinite(parameter.smoothness)) {
        throw ArgumentError(text("TextureParameter '", parameter.name,
                                 "': smoothness must be a finite number of at least 0, got ",
                                 parameter.smoothness));
    }
}

/// Number of the texture that drives an input.
std::size_t find_texture(const scene::MaterialTable& table, const std::string& name) {
    const std::string normal = name.empty() ? name : scene::join_name(scene::split_name(name));
    const auto use = std::ranges::find_if(table.texture_uses, [&](const scene::TextureUse& own) {
        return own.name == name || own.name == normal;
    });
    if (use == table.texture_uses.end()) {
        std::vector<std::string> known;
        std::ranges::transform(table.texture_uses, std::back_inserter(known),
                               &scene::TextureUse::name);
        throw ArgumentError(text("Fit: no texture drives '", name, "'; textures drive ",
                                 known.empty() ? "no input of this scene" : core::join(known, ", "),
                                 ". Give the input a texture of the resolution that the fit shall "
                                 "have"));
    }
    if (table.textures[use->texture]->filter == scene::TextureFilter::mipmap) {
        throw ArgumentError(text("Fit: the texture of '", name,
                                 "' has levels, which a fit cannot keep in step; give it "
                                 "TextureFilter::linear"));
    }
    if (std::ranges::binary_search(table.fixed_textures, use->texture)) {
        throw ArgumentError(text("Fit: the texture of '", name,
                                 "' drives a normal, and normals have no derivative; give the "
                                 "input a texture of its own"));
    }
    return use->texture;
}

} // namespace

tensor::TensorRef TextureRegion::part_of(const tensor::TensorRef& texels) const {
    return slice(texels, first, size());
}

std::vector<std::string> names_of(std::span<const TextureParameter> textures) {
    std::vector<std::string> out;
    out.reserve(textures.size());
    std::ranges::transform(textures, std::back_inserter(out), &TextureParameter::name);
    return out;
}

std::vector<TextureRegion> find_regions(const render::SceneTables& tables,
                                        std::span<const TextureParameter> parameters) {
    std::vector<TextureRegion> out;
    for (const TextureParameter& parameter : parameters) {
        require_valid(parameter);
        const std::size_t number = find_texture(*tables.materials(), parameter.name);
        const scene::TextureRecord& record = tables.textures().records.at(number);
        const auto first = static_cast<std::int64_t>(record[TextureWord::kFirst]);
        if (std::ranges::find(out, first, &TextureRegion::first) != out.end()) {
            throw ArgumentError(
                text("Fit: the texture of '", parameter.name, "' is given twice; leave one out"));
        }
        out.push_back({.parameter = parameter,
                       .first = first,
                       .shape = {.height = record[TextureWord::kHeight],
                                 .width = record[TextureWord::kWidth],
                                 .channels = record[TextureWord::kChannels]}});
    }
    return out;
}

} // namespace weft::fit
