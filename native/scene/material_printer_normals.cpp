// SPDX-License-Identifier: Apache-2.0
// Normal maps and bumps: functions without derivative that return world-space normals.
#include "scene/material_printer.hpp"

#include "core/text.hpp"

namespace weft::scene {

namespace {

/// Bounds of numbers that no fit moves.
const ClosureInput& any_number() {
    static const ClosureInput input{.standard = {0}, .low = -1e6, .high = 1e6};
    return input;
}

/// The bump that replaces the normal of the mesh, of those that a normal starts from; nullptr: none does.
const Value* surface_below(const Value* normal) {
    while (normal != nullptr) {
        const auto* const held = std::get_if<std::shared_ptr<const Bump>>(normal);
        if (held == nullptr) {
            return nullptr;
        }
        if ((*held)->is_surface) {
            return normal;
        }
        normal = (*held)->normal ? &*(*held)->normal : nullptr;
    }
    return nullptr;
}

} // namespace

std::string MaterialPrinter::normal_number(const std::string& name, const Value& value,
                                           std::size_t wanted) {
    const std::string text = this->value(name, value, any_number());
    return local(wanted, convert(text, size_of(value), wanted));
}

std::string MaterialPrinter::normal_map(const std::string& name, const NormalMap& map) {
    const std::string_view prefix = no_diff();
    const std::string made = function(3, [&] {
        const std::string color = normal_number(name + ".color", map.color, 3);
        const std::string strength = normal_number(name + ".strength", map.strength, 1);
        if (map.space == NormalSpace::tangent) {
            m_program.has_tangents = true;
            return core::text("tangentNormal(m.scene.geometry, s, ", color, ", ", strength, ", ",
                              map.uv_set, ")");
        }
        return core::text("plainNormal(m.scene.geometry, s, ", color, ", ", strength, ", ",
                          static_cast<int>(map.space), ")");
    });
    return core::text(prefix, made, "(m, s)");
}

std::string MaterialPrinter::bump(const std::string& name, const Bump& bump) {
    const std::string_view prefix = no_diff();
    const std::string made = function(3, [&] {
        const std::string height =
            function(1, [&] { return normal_number(name + ".height", bump.height, 1); });
        const std::string strength = normal_number(name + ".strength", bump.strength, 1);
        const std::string distance = normal_number(name + ".distance", bump.distance, 1);
        const std::string normal =
            bump.normal ? local(3, free_value(name + ".normal", *bump.normal)) : "s.normal";
        const std::string step = bump_step(name, bump);
        const std::string beside = numbered("beside");
        m_lines.push_back(core::text("const Beside ", beside,
                                     " = besidePoint(m.scene.geometry, s, ", step, ");"));
        return core::text("bumpNormal(s, ", normal, ", ", beside, ", float3(", height, "(m, s), ",
                          height, "(m, ", beside, ".atX), ", height, "(m, ", beside, ".atY)), ",
                          strength, ", ", distance, ")");
    });
    return core::text(prefix, made, "(m, s)");
}

/// The step in metres.
std::string MaterialPrinter::bump_step(const std::string& name, const Bump& bump) {
    if (bump.step) {
        return constant(name + ".step", {*bump.step}, any_number(), false);
    }
    m_program.has_bumps = true;
    return constant(name + ".filter_width", {bump.filter_width}, any_number(), false) +
           " * s.pixel";
}

/// Prints the frame of a closure that has normals of its own, and returns its name.
std::string MaterialPrinter::perturbed_frame(const std::string& prefix, const Closure& closure,
                                             bool ensures_valid_reflection) {
    const Value* const own = closure.find("normal");
    const std::string normal =
        own == nullptr ? "s.normal" : local(3, free_value(prefix + "normal", *own));
    const Value* const surface = surface_below(own);
    std::string below;
    if (surface != nullptr) {
        below = ", " + (surface == own ? normal
                                       : local(3, free_value(prefix + "normal.surface", *surface)));
    }
    std::string name = numbered("perturbed");
    m_lines.push_back(core::text("const PerturbedFrame ", name,
                                 " = no_diff perturbedFrame(surface.frame, s, ", normal, ", wi, ",
                                 ensures_valid_reflection ? "true" : "false", below, ");"));
    return name;
}

/// The coat's normal in the closure's frame; "": there is no coat. A coat lies smooth over bumps unless it has a normal
/// of its own, as in Blender.
std::string MaterialPrinter::coat_normal(const std::string& prefix, const Closure& closure,
                                         const std::string& frame) {
    if (!closure.has("coat_weight")) {
        return "";
    }
    const Value* const own = closure.find("coat_normal");
    if (own == nullptr) {
        return frame + ".normals.smooth";
    }
    const std::string normal = local(3, free_value(prefix + "coat_normal", *own));
    return core::text("no_diff perturbedNormal(", frame, ", surface.frame, ", normal, ")");
}

} // namespace weft::scene
