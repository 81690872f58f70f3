// SPDX-License-Identifier: Apache-2.0
#include "scene/material_printer.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <cctype>

namespace weft::scene {

namespace {

bool has_any(const Closure& closure, const std::vector<std::string>& names) {
    return std::ranges::any_of(names, [&](const std::string& name) { return closure.has(name); });
}

const ClosureSpec& spec_of(const Closure& closure) {
    return *find_closure(closure.kind);
}

/// The flags of the BSDF's features that the given inputs and choices need: "kPlain | kAnisotropy".
std::string features_of(const Closure& closure) {
    const ClosureSpec& spec = spec_of(closure);
    std::vector<std::string> flags;
    for (const auto& [flag, names] : spec.features) {
        if (flag.empty()) {
            std::ranges::copy(names, std::back_inserter(flags));
        }
    }
    for (const ClosureOption& option : spec.options) {
        const std::string_view given = closure.option(option.name);
        const auto chosen = std::ranges::find_if(option.values, [&](const auto& value) {
            return given.empty() || value.first == given;
        });
        std::ranges::copy(chosen->second, std::back_inserter(flags));
    }
    for (const auto& [flag, names] : spec.features) {
        if (!flag.empty() && has_any(closure, names)) {
            flags.push_back(flag);
        }
    }
    return core::join(flags, " | ");
}

/// Whether sharp lobes see the smooth normal; closures with normals of their own raise them.
bool needs_valid_reflection(const Surface& surface) {
    bool has_own = false;
    bool ensures_valid_reflection = false;
    for_each_closure(surface, [&](const Closure& closure) {
        has_own |= closure.has("normal") || closure.has("coat_normal");
        ensures_valid_reflection |= spec_of(closure).ensures_valid_reflection;
    });
    return ensures_valid_reflection && !has_own;
}

std::string camel_case(std::string_view name) {
    std::string result;
    bool is_first_letter = false;
    for (const char letter : name) {
        if (letter == '_') {
            is_first_letter = true;
            continue;
        }
        result += is_first_letter
                      ? static_cast<char>(std::toupper(static_cast<unsigned char>(letter)))
                      : letter;
        is_first_letter = false;
    }
    return result;
}

/// What the constructor of a BSDF is called if the closure's frame is not that of the surface.
std::string construct_of(const ClosureSpec& spec, const TemplateValues& values) {
    constexpr std::string_view kPlainCall = "prepare({structure},";
    std::string construct = spec.construct;
    const std::size_t at = construct.find(kPlainCall);
    if (values.contains("normals") && !spec.structure.empty() && at != std::string_view::npos) {
        construct.replace(at, kPlainCall.size(), "preparePerturbed({structure}, {normals},");
    }
    return construct;
}

} // namespace

MaterialPrinter::MaterialPrinter(const Material& material)
    : m_material(material), m_ensures_valid_reflection(needs_valid_reflection(*material.surface)) {}

SurfaceText MaterialPrinter::surface(const std::string& prefix, const Surface& surface) {
    if (const auto* const leaf = std::get_if<Closure>(&surface.node)) {
        return closure(prefix, *leaf);
    }
    if (const auto* const mixed = std::get_if<Mix>(&surface.node)) {
        return mix(prefix, *mixed);
    }
    const auto& sum = std::get<Add>(surface.node);
    const SurfaceText first = this->surface(prefix + "first.", *sum.first);
    const SurfaceText second = this->surface(prefix + "second.", *sum.second);
    const std::string kind = core::text("AddBSDF<", first.type, ", ", second.type, ">");
    const bool is_black = first.emission == kBlack && second.emission == kBlack;
    return {kind, core::text(kind, ".prepare(", first.value, ", ", second.value, ")"),
            is_black ? std::string(kBlack)
                     : core::text("(", first.emission, " + ", second.emission, ")")};
}

SurfaceText MaterialPrinter::mix(const std::string& prefix, const Mix& mix) {
    const SurfaceText first = surface(prefix + "first.", *mix.first);
    const SurfaceText second = surface(prefix + "second.", *mix.second);
    const std::string factor = local(1, free_value(prefix + "factor", mix.factor));
    const std::string kind = core::text("MixBSDF<", first.type, ", ", second.type, ">");
    const bool is_black = first.emission == kBlack && second.emission == kBlack;
    return {kind, core::text(kind, ".prepare(", first.value, ", ", second.value, ", ", factor, ")"),
            is_black ? std::string(kBlack)
                     : core::text("lerp(", first.emission, ", ", second.emission, ", float3(",
                                  factor, "))")};
}

void MaterialPrinter::add_rotation(const std::string& rotation, const std::string& structure,
                                   TemplateValues& values) {
    if (structure.empty()) {
        values["rotation"] = core::text("(", values["rotation"], " + ", rotation, ")");
    } else {
        m_lines.push_back(core::text(structure, ".anisotropicRotation += ", rotation, ";"));
    }
}

SurfaceText MaterialPrinter::closure(const std::string& prefix, const Closure& closure) {
    const ClosureSpec& spec = spec_of(closure);
    TemplateValues values{{"wi", "wi"}, {"features", features_of(closure)}};
    const std::string structure = values["structure"] = numbered("inputs");
    if (!spec.structure.empty()) {
        m_lines.push_back(
            core::text(spec.structure, " ", structure, " = ", spec.structure, ".standard();"));
    }
    const std::string perturbed = turn(prefix, closure, values);
    if (perturbed.empty() && m_ensures_valid_reflection && !spec.structure.empty()) {
        values["features"] += " | kValidReflection";
        values["normals"] =
            "no_diff ShadingNormals.ofValidReflection(surface.frame.toLocal(s.normal))";
    }
    const std::string rotation = tangent(prefix, closure, perturbed);
    inputs(prefix, closure, values);
    values["walks"] = subsurface(closure, structure);
    if (!rotation.empty()) {
        add_rotation(rotation, spec.structure.empty() ? "" : structure, values);
    }
    std::string type = fill_template(spec.bsdf, values);
    const std::string name = values["bsdf"] = numbered("bsdf");
    m_lines.push_back(core::text("const ", type, " ", name, " = ",
                                 fill_template(construct_of(spec, values), values), ";"));
    std::string emission =
        is_emissive(closure) ? fill_template(spec.emission, values) : std::string(kBlack);
    if (perturbed.empty()) {
        return {std::move(type), name, std::move(emission)};
    }
    const std::string_view sides =
        has_any(closure, spec.normals) ? std::string_view(spec.sides) : "kOwnSides";
    std::string outer = core::text("PerturbedNormalBSDF<", type, ", ", sides, ">");
    return {outer, core::text(outer, ".prepare(", name, ", ", perturbed, ")"), std::move(emission)};
}

/// Prints the inputs of a closure, each a local variable.
void MaterialPrinter::inputs(const std::string& prefix, const Closure& closure,
                             TemplateValues& values) {
    const ClosureSpec& spec = spec_of(closure);
    for (const auto& [name, input] : spec.inputs) {
        const Value* const given = closure.find(name);
        if (!spec.structure.empty() && given == nullptr && !has_name(spec.always, name)) {
            continue;
        }
        const std::size_t wanted = input.size();
        const Value standard = wanted == 1 ? Value(input.standard.front()) : Value(input.standard);
        const Value& own = given == nullptr ? standard : *given;
        m_drives_transparency = input.drives_transparency;
        m_is_walk = input.is_walk;
        const std::string text =
            value(prefix + name, own, input, wanted == 3 && input.is_separable);
        m_drives_transparency = m_is_walk = false;
        values[name] = local(wanted, convert(text, size_of(own), wanted));
        if (!spec.structure.empty()) {
            m_lines.push_back(
                core::text(values["structure"], ".", camel_case(name), " = ", values[name], ";"));
        }
    }
}

/// Prints the rotation of a closure's tangent; "" if that is the x axis of the frame.
std::string MaterialPrinter::tangent(const std::string& prefix, const Closure& closure,
                                     const std::string& perturbed) {
    if (!closure.has("anisotropic") && !closure.has("anisotropy")) {
        return "";
    }
    const Value* const given = closure.find("tangent");
    if (given == nullptr) {
        m_needs_tangent = true;
        return "";
    }
    const std::string name = function(3, [&] { return free_value(prefix + "tangent", *given); });
    const std::string in_frame = core::text("surface.frame.toLocal(", name, "(m, s))");
    return local(
        1,
        core::text("no_diff tangentTurn(",
                   perturbed.empty() ? in_frame : core::text(perturbed, ".toLocal(", in_frame, ")"),
                   ")"));
}

/// Prints the frame of a closure with normals of its own; "" if it has none.
std::string MaterialPrinter::turn(const std::string& prefix, const Closure& closure,
                                  TemplateValues& values) {
    const ClosureSpec& spec = spec_of(closure);
    // Where sharp closures beside it raise the normal, a diffuse one turns back.
    if (!has_any(closure, spec.normals) &&
        (!m_ensures_valid_reflection || spec.ensures_valid_reflection || spec.normals.empty())) {
        return "";
    }
    const std::string frame = perturbed_frame(prefix, closure, spec.ensures_valid_reflection);
    values["wi"] = local(3, core::text("no_diff ", frame, ".toLocal(wi)"));
    values["normals"] = frame + ".normals";
    const std::string coat = spec.structure.empty() ? "" : coat_normal(prefix, closure, frame);
    if (!coat.empty()) {
        values["features"] += " | kCoatNormal";
        m_lines.push_back(core::text(values["structure"], ".coatNormal = ", coat, ";"));
    }
    return frame;
}

/// Whether light goes below a closure whose inputs have been printed, 0 or 1.
std::string MaterialPrinter::subsurface(const Closure& closure, const std::string& structure) {
    if (closure.option("subsurface_after_diffuse") != "diffuse" || !has_subsurface(closure)) {
        return "1.f";
    }
    m_program.reads_ray = true;
    if (closure.kind == "principled") {
        m_lines.push_back(structure + ".subsurfaceWeight *= no_diff walksFrom(s);");
    }
    return "no_diff walksFrom(s)";
}

MaterialProgram MaterialPrinter::print() {
    const SurfaceText surface = this->surface("", *m_material.surface);
    const std::string_view normal =
        m_ensures_valid_reflection ? "validReflectionNormal(s)" : "s.normal";
    // A tangent costs loads; only long highlights have use for one.
    const std::string frame = m_needs_tangent ? core::text("Frame.along(", normal, ", s.tangent)")
                                              : core::text("Frame.around(", normal, ")");
    if (is_transparent(*m_material.surface)) {
        m_program.transparency = function(3, [&] {
            return m_material.transparent_shadows ? transparency("", *m_material.surface)
                                                  : std::string(kBlack);
        });
    }
    m_program.medium = medium();
    std::vector<std::string> lines{core::text("Surface<", surface.type, "> surface;"),
                                   core::text("surface.frame = ", frame, ";"),
                                   "const float3 wi = surface.frame.toLocal(s.wi);"};
    std::ranges::copy(m_lines, std::back_inserter(lines));
    lines.insert(lines.end(),
                 {core::text("surface.bsdf = ", surface.value, ";"), "if (weft_has_limits)",
                  "    surface.bsdf.dull(s.dulled);",
                  core::text("surface.emission = ", surface.emission, ";"), "return surface;"});
    m_program.text = core::join(lines, "\n    ");
    m_program.bsdf = surface.type;
    m_program.is_emissive = surface.emission != kBlack;
    m_program.scatters = surface.type != "NullBSDF";
    m_program.is_boundary = is_boundary(m_material);
    m_program.subsurface_closures = count_subsurface(*m_material.surface);
    return std::move(m_program);
}

MaterialProgram print_program(const Material& material) {
    return MaterialPrinter(material).print();
}

} // namespace weft::scene
