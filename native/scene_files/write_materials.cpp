// SPDX-License-Identifier: Apache-2.0
// Values, surfaces and materials of new files.
#include "core/error.hpp"
#include "core/overloaded.hpp"
#include "core/text.hpp"
#include "scene_files/writer.hpp"

#include <iterator>

namespace weft::scene_files {

Json Writer::indexed(std::string_view type, std::uint32_t index) {
    const auto found = m_indexed.find({type, index});
    if (found != m_indexed.end()) {
        return {{"ref", found->second}};
    }
    Json made = add(type, {{"index", index}});
    m_indexed.emplace(std::pair(type, index), made.at("ref").get<std::size_t>());
    return made;
}

Json Writer::value(const scene::Value& value) {
    return std::visit(
        core::Overloaded{
            [](double number) { return number_json(number); },
            [](const scene::Numbers& numbers) {
                Json list = Json::array();
                for (const double number : numbers) {
                    list.push_back(number_json(number));
                }
                return list;
            },
            [](scene::Attribute attribute) {
                return Json{{"attribute", scene::attribute_info(attribute).name}};
            },
            [this](const scene::UvSet& set) { return indexed("UVSet", set.index); },
            [this](const scene::UvTangent& set) { return indexed("UVTangent", set.index); },
            [this](const scene::ColorAttribute& set) {
                return indexed("ColorAttribute", set.index);
            },
            [this](const std::shared_ptr<const scene::Constant>& held) {
                return shared(held.get(), "Constant", [&] {
                    return Json{{"name", held->name},
                                {"value", this->value(held->value)},
                                {"low", number_json(held->low)},
                                {"high", number_json(held->high)}};
                });
            },
            [this](const std::shared_ptr<scene::Texture>& held) {
                return shared(held.get(), "Texture", [&] { return texture(*held); });
            },
            [this](const std::shared_ptr<scene::SlangCall>& held) {
                return shared(held.get(), "SlangCall", [&] { return call(*held); });
            },
            [this](const std::shared_ptr<const scene::NormalMap>& held) {
                return shared(held.get(), "NormalMap", [&] { return normal_map(*held); });
            },
            [this](const std::shared_ptr<const scene::Bump>& held) {
                return shared(held.get(), "Bump", [&] { return bump(*held); });
            },
        },
        value);
}

Json Writer::named(const scene::NamedValues& values) {
    Json pairs = Json::array();
    for (const auto& [name, entry] : values) {
        pairs.push_back(Json::array({name, value(entry)}));
    }
    return {{"map", std::move(pairs)}};
}

Json Writer::texture(const scene::Texture& texture) {
    const std::uint64_t wanted = std::uint64_t{texture.width} * texture.height * texture.channels;
    if (wanted == 0 || texture.pixels.size() != wanted) {
        throw core::ArgumentError(
            core::text("Scene.save: Texture '", texture.name, "' has no pixels, or not ",
                       texture.height, " x ", texture.width, " x ", texture.channels,
                       " of them; textures that their owner uploads cannot be stored"));
    }
    Json fields;
    fields["pixels"] = array(texture.pixels, {texture.height, texture.width, texture.channels});
    fields["wrap"] = scene::kTextureWraps.at(static_cast<std::size_t>(texture.wrap));
    fields["filter"] = scene::kTextureFilters.at(static_cast<std::size_t>(texture.filter));
    fields["uv"] = texture.uv ? value(*texture.uv) : Json();
    fields["name"] = texture.name;
    return fields;
}

Json Writer::call(const scene::SlangCall& call) {
    Json fields;
    fields["function"] = call.function;
    fields["source"] = call.source;
    fields["arguments"] = named(call.arguments);
    fields["size"] = call.size;
    fields["is_differentiable"] = call.is_differentiable;
    fields["module"] = call.module;
    m_calls.push_back(&call);
    return fields;
}

Json Writer::normal_map(const scene::NormalMap& map) {
    Json fields;
    fields["color"] = value(map.color);
    fields["strength"] = value(map.strength);
    fields["space"] = scene::kNormalSpaces.at(static_cast<std::size_t>(map.space));
    fields["uv_set"] = map.uv_set;
    return fields;
}

Json Writer::bump(const scene::Bump& bump) {
    Json fields;
    fields["height"] = value(bump.height);
    fields["strength"] = value(bump.strength);
    fields["distance"] = value(bump.distance);
    fields["normal"] = bump.normal ? value(*bump.normal) : Json();
    fields["step"] = bump.step ? number_json(*bump.step) : Json();
    fields["filter_width"] = number_json(bump.filter_width);
    fields["is_surface"] = bump.is_surface;
    return fields;
}

Json Writer::surface(const scene::SurfaceRef& surface) {
    if (const auto* const leaf = std::get_if<scene::Closure>(&surface->node)) {
        return shared(surface.get(), "Closure", [&] {
            Json inputs = named(leaf->inputs);
            for (const auto& [name, choice] : leaf->options) {
                inputs["map"].push_back(Json::array({name, choice}));
            }
            return Json{{"kind", leaf->kind}, {"inputs", std::move(inputs)}};
        });
    }
    if (const auto* const mixed = std::get_if<scene::Mix>(&surface->node)) {
        return shared(surface.get(), "Mix", [&] {
            Json fields;
            fields["first"] = this->surface(mixed->first);
            fields["second"] = this->surface(mixed->second);
            fields["factor"] = value(mixed->factor);
            return fields;
        });
    }
    return shared(surface.get(), "Add", [&] {
        const auto& sum = std::get<scene::Add>(surface->node);
        Json fields;
        fields["first"] = this->surface(sum.first);
        fields["second"] = this->surface(sum.second);
        return fields;
    });
}

Json Writer::material(const scene::MaterialRef& material) {
    return shared(material.get(), "Material", [&] {
        Json fields;
        fields["name"] = material->name;
        fields["surface"] = surface(material->surface);
        fields["transparent_shadows"] = material->transparent_shadows;
        fields["volume"] = material->volume ? surface(material->volume) : Json();
        return fields;
    });
}

} // namespace weft::scene_files
