// SPDX-License-Identifier: Apache-2.0
#include "scene/material_printer.hpp"

#include "core/error.hpp"
#include "core/overloaded.hpp"
#include "core/sha256.hpp"
#include "core/text.hpp"
#include "scene/nesting.hpp"

#include <algorithm>
#include <unordered_set>

namespace weft::scene {

namespace {

// Calls in a row from which on a chain is printed from its far end, so that long chains do not nest.
constexpr std::size_t kDeepCalls = 16;
constexpr std::size_t kDigestDigits = 12;

/// What is known of a value that is no input of a closure.
const ClosureInput& free_input() {
    static const ClosureInput input{.standard = {0}};
    return input;
}

std::string digest(std::string_view text) {
    return core::sha256(text).substr(0, kDigestDigits);
}

bool is_first_uv(const Value& uv) {
    const auto* const attribute = std::get_if<Attribute>(&uv);
    return attribute != nullptr && *attribute == Attribute::uv;
}

/// A call that another one's arguments are, or are looked up by, with its name.
struct NamedCall {
    std::string name;
    const SlangCall* call;
    bool is_done = false; ///< all below it is printed
};

std::vector<NamedCall> calls_below(const std::string& name, const SlangCall& call) {
    std::vector<NamedCall> found;
    for (const auto& [key, argument] : call.arguments) {
        std::string path = core::text(name, ".", key);
        const Value* value = &argument;
        const auto* texture = std::get_if<std::shared_ptr<Texture>>(value);
        while (texture != nullptr && (*texture)->uv) {
            path += ".uv";
            value = &*(*texture)->uv;
            texture = std::get_if<std::shared_ptr<Texture>>(value);
        }
        if (const auto* const below = std::get_if<std::shared_ptr<SlangCall>>(value)) {
            found.push_back({path, below->get()});
        }
    }
    return found;
}

void add_once(std::vector<std::string>& list, const std::string& entry) {
    if (std::ranges::find(list, entry) == list.end()) {
        list.push_back(entry);
    }
}

} // namespace

std::string_view float_type(std::size_t size) {
    constexpr std::array<std::string_view, 4> kTypes{"float", "float2", "float3", "float4"};
    return kTypes.at(size - 1);
}

std::string convert(std::string_view text, std::size_t got, std::size_t wanted) {
    if (got == wanted) {
        return std::string(text);
    }
    if (wanted == 3) {
        return got == 1 ? core::text("float3(", text, ")") : core::text("(", text, ").xyz");
    }
    return core::text("dot((", text, ").xyz, float3(1.f / 3.f))");
}

std::string namespace_of(std::string_view source) {
    return "user_" + digest(source);
}

std::string MaterialPrinter::numbered(std::string_view name) const {
    return core::text(name, m_lines.size());
}

std::string MaterialPrinter::local(std::size_t size, std::string_view expression) {
    std::string name = numbered("v");
    m_lines.push_back(core::text("const ", float_type(size), " ", name, " = ", expression, ";"));
    return name;
}

/// Prints a function of the point without derivative whose last expression is that of `body`. Equal functions of several
/// materials are one.
std::string MaterialPrinter::function(std::size_t size, const Body& body) {
    std::vector<std::string> outer_lines = std::exchange(m_lines, {});
    const bool was_fixed = std::exchange(m_is_fixed, true);
    m_scopes++;
    const std::size_t outer_scope = std::exchange(m_scope, m_scopes);
    const std::string result = body();
    m_lines.push_back("return " + result + ";");
    const std::string text = core::join(m_lines, "\n    ");
    m_lines = std::move(outer_lines);
    m_is_fixed = was_fixed;
    m_scope = outer_scope;
    std::string name = "value_" + digest(text);
    add_once(m_program.functions,
             core::text(float_type(size), " ", name, "(MaterialContext m, ShadingPoint s)\n{\n    ",
                        text, "\n}"));
    return name;
}

/// Returns its first float. One that serves several inputs is what all of them allow.
std::size_t MaterialPrinter::add_parameter(MaterialParameter parameter) {
    parameter.drives_transparency = m_drives_transparency;
    parameter.is_medium = m_is_medium;
    parameter.is_walk = m_is_walk;
    parameter.is_fixed = m_is_fixed;
    auto& all = m_program.parameters;
    const auto [found, is_new] =
        m_parameters.try_emplace(parameter.name, std::pair(all.size(), m_floats));
    const auto [index, first] = found->second;
    if (is_new) {
        m_floats += parameter.size;
        all.push_back(std::move(parameter));
        return first;
    }
    MaterialParameter& own = all[index];
    own.is_separable = own.is_separable && parameter.is_separable;
    own.is_fixed = own.is_fixed && parameter.is_fixed;
    own.drives_transparency = own.drives_transparency || parameter.drives_transparency;
    own.is_medium = own.is_medium || parameter.is_medium;
    own.is_walk = own.is_walk || parameter.is_walk;
    own.scale = parameter.scale == Scale::log ? Scale::log : own.scale;
    own.fit_low = parameter.fit_low ? parameter.fit_low : own.fit_low;
    return first;
}

std::string MaterialPrinter::constant(std::string name, const Numbers& numbers,
                                      const ClosureInput& input, bool is_separable) {
    const std::size_t first = add_parameter({.name = std::move(name),
                                             .size = numbers.size(),
                                             .values = numbers,
                                             .bounds = {input.low, input.high},
                                             .is_separable = is_separable,
                                             .scale = input.scale,
                                             .fit_low = input.fit_low});
    std::vector<std::string> loads;
    loads.reserve(numbers.size());
    for (std::size_t k = 0; k < numbers.size(); k++) {
        loads.push_back(core::text("parameter(m, ", first + k, ")"));
    }
    return loads.size() == 1
               ? loads.front()
               : core::text(float_type(loads.size()), "(", core::join(loads, ", "), ")");
}

std::string MaterialPrinter::value(const std::string& name, const Value& value,
                                   const ClosureInput& input, bool is_separable) {
    const Nesting nesting(m_nesting, "values");
    const auto load = [&](std::string_view function, std::uint32_t index) {
        return core::text(no_diff(), function, "(m.scene.geometry, s, ", index, ")");
    };
    const core::Overloaded printed{
        [&](double number) { return constant(name, {number}, input, is_separable); },
        [&](const Numbers& numbers) { return constant(name, numbers, input, is_separable); },
        [&](Attribute attribute) {
            const AttributeInfo& info = attribute_info(attribute);
            m_program.reads_ray |= info.is_of_ray;
            return std::string(info.expression);
        },
        [&](const UvSet& set) { return load("loadUv", set.index); },
        [&](const UvTangent& tangent) {
            m_program.has_tangents = true;
            return load("uvTangent", tangent.index);
        },
        [&](const ColorAttribute& color) { return load("loadColor", color.index); },
        [&](const std::shared_ptr<const Constant>& held) {
            ClosureInput own = input;
            own.low = held->low;
            own.high = held->high;
            const auto* const number = std::get_if<double>(&held->value);
            return constant(held->name, number ? Numbers{*number} : std::get<Numbers>(held->value),
                            own, is_separable);
        },
        [&](const std::shared_ptr<Texture>& image) { return texture(name, image); },
        [&](const std::shared_ptr<SlangCall>& called) { return call(name, *called); },
        [&](const std::shared_ptr<const NormalMap>& map) { return normal_map(name, *map); },
        [&](const std::shared_ptr<const Bump>& height) { return bump(name, *height); },
    };
    return std::visit(printed, value);
}

std::string MaterialPrinter::free_value(const std::string& name, const Value& value) {
    return this->value(name, value, free_input());
}

std::string MaterialPrinter::converted(const std::string& name, const Value& value,
                                       std::size_t wanted) {
    return convert(free_value(name, value), size_of(value), wanted);
}

std::string MaterialPrinter::texture(const std::string& name,
                                     const std::shared_ptr<Texture>& texture) {
    const std::size_t first =
        add_parameter({.name = name + ".texture", .values = {0}, .texture = texture});
    const std::string uv = free_value(name + ".uv", texture->uv.value_or(Value(Attribute::uv)));
    const std::string arguments =
        core::text("m.scene.textures, textureNumber(m, ", first, "), ", uv);
    if (texture->filter == TextureFilter::mipmap) {
        const std::string width = footprint(name, texture->uv);
        return local(texture->channels, core::text("sampleMipmap", texture->channels, "(",
                                                   arguments, ", ", width, ")"));
    }
    return local(texture->channels,
                 core::text("sampleTexture", texture->channels, "(", arguments, ")"));
}

/// The width of the ray where a texture is looked up.
std::string MaterialPrinter::footprint(const std::string& name, const std::optional<Value>& uv) {
    const auto* const set = uv ? std::get_if<UvSet>(&*uv) : nullptr;
    if (!uv || set != nullptr || is_first_uv(*uv)) {
        return core::text(no_diff(), "footprintOnUv(m.scene.geometry, s, ",
                          set == nullptr ? 0 : set->index, ")");
    }
    const std::string place = function(2, [&] { return free_value(name + ".uv", *uv); });
    const std::string beside = numbered("beside");
    m_lines.push_back(core::text("const Beside ", beside, " = ", no_diff(),
                                 "besidePoint(m.scene.geometry, s, 0.f);"));
    const auto at = [&](std::string_view point) {
        return core::text(no_diff(), place, "(m, ", point, ")");
    };
    return core::text(no_diff(), "footprintOnMap(s, ", beside, ", ", at("s"), ", ",
                      at(beside + ".atX"), ", ", at(beside + ".atY"), ")");
}

std::string MaterialPrinter::call(const std::string& name, const SlangCall& call) {
    const std::pair key(m_scope, &call);
    if (!m_known.contains(key)) {
        if (m_depth >= kDeepCalls) {
            print_upstream(name, call);
        }
        m_depth++;
        std::string made = new_call(name, call);
        m_depth--;
        m_known[key] = std::move(made);
    }
    return m_known.at(key);
}

void MaterialPrinter::print_upstream(const std::string& name, const SlangCall& call) {
    std::unordered_set<const SlangCall*> seen;
    std::vector<NamedCall> stack = calls_below(name, call);
    while (!stack.empty()) {
        const NamedCall entry = std::move(stack.back());
        stack.pop_back();
        const std::pair key(m_scope, entry.call);
        if (m_known.contains(key)) {
            continue;
        }
        if (entry.is_done) {
            std::string made = new_call(entry.name, *entry.call);
            m_known[key] = std::move(made);
        } else if (seen.insert(entry.call).second) {
            stack.push_back({entry.name, entry.call, true});
            std::ranges::move(calls_below(entry.name, *entry.call), std::back_inserter(stack));
        }
    }
}

std::string MaterialPrinter::new_call(const std::string& name, const SlangCall& call) {
    std::vector<std::string> arguments;
    arguments.reserve(call.arguments.size());
    for (const auto& [key, argument] : call.arguments) {
        arguments.push_back(free_value(core::text(name, ".", key), argument));
    }
    if (!call.origin.empty()) {
        const std::string code = text_of_code(call.function, call.source, call.module);
        auto& origins = m_program.origins;
        const auto found =
            std::ranges::find(origins, code, &std::pair<std::string, std::string>::first);
        if (found == origins.end()) {
            origins.emplace_back(code, call.origin);
        } else {
            found->second = call.origin;
        }
    }
    std::string scope;
    if (call.module.empty()) {
        add_once(m_program.sources, call.source);
        scope = namespace_of(call.source) + "::";
    } else {
        add_once(m_program.modules, call.module);
    }
    return local(call.size, core::text(call.is_differentiable ? "" : no_diff(), scope,
                                       call.function, "(", core::join(arguments, ", "), ")"));
}

} // namespace weft::scene
