// SPDX-License-Identifier: Apache-2.0
// What is inside of objects, and the transparency of surfaces.
#include "scene/material_printer.hpp"

#include "core/text.hpp"

namespace weft::scene {

namespace {

constexpr std::array<std::string_view, 3> kFields{"absorption", "scattering", "emission"};
constexpr std::size_t kScattering = 1;
constexpr std::size_t kEmission = 2;

MediumText nothing() {
    const std::string black(kBlack);
    return {{black, black, black}, "0.f"};
}

} // namespace

/// The Slang function mediumOf(); "" if nothing is inside.
std::string MaterialPrinter::medium() {
    if (!m_material.volume) {
        return "";
    }
    std::vector<std::string> outer_lines = std::exchange(m_lines, {});
    m_scopes++;
    const std::size_t outer_scope = std::exchange(m_scope, m_scopes);
    m_is_medium = true;
    const MediumText sums = coefficients("volume.", *m_material.volume);
    m_is_medium = false;
    for (std::size_t k = 0; k < kFields.size(); k++) {
        m_lines.push_back(core::text("medium.", kFields[k], " = ", sums.fields[k], ";"));
    }
    m_lines.push_back(core::text("medium.anisotropy = ", sums.anisotropy, ";"));
    m_lines.insert(m_lines.begin(), "Medium medium;");
    m_lines.emplace_back("return medium;");
    const std::string body = core::join(m_lines, "\n    ");
    m_lines = std::move(outer_lines);
    m_scope = outer_scope;
    return core::text("[Differentiable]\nMedium mediumOf(no_diff MaterialContext m)\n{\n    ", body,
                      "\n}");
}

MediumText MaterialPrinter::coefficients(const std::string& prefix, const Surface& volume) {
    if (const auto* const leaf = std::get_if<Closure>(&volume.node)) {
        return closure_coefficients(prefix, *leaf);
    }
    if (const auto* const mixed = std::get_if<Mix>(&volume.node)) {
        return mixed_coefficients(prefix, *mixed->first, *mixed->second, &mixed->factor);
    }
    const auto& sum = std::get<Add>(volume.node);
    return mixed_coefficients(prefix, *sum.first, *sum.second, nullptr);
}

MediumText MaterialPrinter::mixed_coefficients(const std::string& prefix, const Surface& first,
                                               const Surface& second, const Value* factor) {
    MediumText one = coefficients(prefix + "first.", first);
    MediumText other = coefficients(prefix + "second.", second);
    if (factor != nullptr) {
        const std::string weight =
            local(1, core::text("saturate(", converted(prefix + "factor", *factor, 1), ")"));
        for (std::size_t k = 0; k < kFields.size(); k++) {
            one.fields[k] += core::text(" * (1.f - ", weight, ")");
            other.fields[k] += core::text(" * ", weight);
        }
    }
    MediumText sums;
    for (std::size_t k = 0; k < kFields.size(); k++) {
        sums.fields[k] = local(3, core::text(one.fields[k], " + ", other.fields[k]));
    }
    const auto total = [](const MediumText& entry) {
        return core::text("dot(", entry.fields[kScattering], ", float3(1.f))");
    };
    sums.anisotropy = local(1, core::text("meanAnisotropy(", one.anisotropy, ", ", total(one), ", ",
                                          other.anisotropy, ", ", total(other), ")"));
    return sums;
}

MediumText MaterialPrinter::closure_coefficients(const std::string& prefix,
                                                 const Closure& closure) {
    MediumText result = nothing();
    if (closure.kind != "medium" && closure.kind != "emission") {
        return result;
    }
    TemplateValues values;
    for (const auto& [name, input] : find_closure(closure.kind)->inputs) {
        if (name == "both_sides") {
            continue;
        }
        const std::size_t wanted = input.size();
        const Value* const given = closure.find(name);
        const Value standard = wanted == 1 ? Value(input.standard.front()) : Value(input.standard);
        const Value& own = given == nullptr ? standard : *given;
        const std::string text =
            value(prefix + name, own, input, wanted == 3 && input.is_separable);
        values[name] = local(wanted, convert(text, size_of(own), wanted));
    }
    if (closure.kind == "emission") {
        result.fields[kEmission] = local(3, core::text(values["color"], " * ", values["strength"]));
        return result;
    }
    for (std::size_t k = 0; k < kFields.size(); k++) {
        result.fields[k] = core::text("atLeastZero3(", values[std::string(kFields[k])], ")");
    }
    result.anisotropy = values["anisotropy"];
    return result;
}

/// The transparency of the surface, once that is printed.
std::string MaterialPrinter::transparency(const std::string& prefix, const Surface& surface) {
    if (!is_transparent(surface)) {
        return std::string(kBlack);
    }
    if (const auto* const leaf = std::get_if<Closure>(&surface.node)) {
        return closure_transparency(prefix, *leaf);
    }
    if (const auto* const sum = std::get_if<Add>(&surface.node)) {
        const std::string first = transparency(prefix + "first.", *sum->first);
        const std::string second = transparency(prefix + "second.", *sum->second);
        return core::text("(", first, " + ", second, ")");
    }
    const auto& mixed = std::get<Mix>(surface.node);
    const std::string first = transparency(prefix + "first.", *mixed.first);
    const std::string second = transparency(prefix + "second.", *mixed.second);
    const std::string factor = converted(prefix + "factor", mixed.factor, 1);
    return core::text("lerp(", first, ", ", second, ", float3(saturate(", factor, ")))");
}

std::string MaterialPrinter::closure_transparency(const std::string& prefix,
                                                  const Closure& closure) {
    if (closure.kind == "transparent") {
        const Value* const given = closure.find("color");
        const Value standard(find_closure("transparent")->find_input("color")->standard);
        return local(3, converted(prefix + "color", given == nullptr ? standard : *given, 3));
    }
    const std::string alpha = converted(prefix + "alpha", *closure.find("alpha"), 1);
    return local(3, core::text("float3(1.f - saturate(", alpha, "))"));
}

} // namespace weft::scene
