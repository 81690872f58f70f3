// SPDX-License-Identifier: Apache-2.0
// Inputs, ranges and defaults are those of Blender's nodes; where they are open there, the range is that of fits.
#include "scene/closures.hpp"

#include <algorithm>

namespace weft::scene {

namespace {

using Inputs = std::vector<std::pair<std::string, ClosureInput>>;
using Features = std::vector<std::pair<std::string, std::vector<std::string>>>;

// Below it a surface is a mirror, which has no derivative.
constexpr double kMinFittedRoughness = 0.02;

ClosureInput number(double standard, double low = 0, double high = 1) {
    return {.standard = {standard}, .low = low, .high = high};
}

ClosureInput color(double red, double green, double blue, double high = 1) {
    return {.standard = {red, green, blue}, .high = high};
}

ClosureInput grey(double level) {
    return color(level, level, level);
}

ClosureInput roughness(double standard) {
    return {.standard = {standard}, .scale = Scale::log, .fit_low = kMinFittedRoughness};
}

ClosureInput walk(ClosureInput input) {
    input.is_walk = true;
    return input;
}

ClosureInput transparent(ClosureInput input) {
    input.drives_transparency = true;
    return input;
}

ClosureInput mixing_channels(ClosureInput input) {
    input.is_separable = false;
    return input;
}

constexpr double kMaxLight = 1e6;      // W/(m^2 sr)
constexpr double kThickestFilm = 1e4;  // nanometres
constexpr double kMaxWalk = 10;        // metres
constexpr double kDensestMedium = 100; // 1/m
constexpr double kMaxAnisotropy = .99; // at 1 a lobe is a delta

ClosureInput ior(double standard) {
    return number(standard, 1, 4);
}

/// The microfacet distributions that a closure has, the default first.
ClosureOption distribution(std::initializer_list<std::string_view> names) {
    const Features all{{"multi_ggx", {"kMultiscatter"}},
                       {"ggx", {}},
                       {"beckmann", {"kBeckmann"}},
                       {"ashikhmin_shirley", {"kShirley"}}};
    ClosureOption option{.name = "distribution", .values = {}};
    for (const std::string_view name : names) {
        option.values.push_back(*std::ranges::find(all, name, &Features::value_type::first));
    }
    return option;
}

/// How light wanders below a surface: as Blender's methods, and whether it does so behind a diffuse bounce (Blender 4.5:
/// not).
std::vector<ClosureOption> subsurface_options() {
    return {{.name = "subsurface_method",
             .values = {{"random_walk", {}},
                        {"random_walk_skin", {"kSkin"}},
                        {"random_walk_5_2", {"kHulst"}}}},
            {.name = "subsurface_after_diffuse", .values = {{"walk", {}}, {"diffuse", {}}}}};
}

Inputs principled_inputs() {
    return {{"base_color", grey(0.8)},
            {"metallic", number(0)},
            {"roughness", roughness(0.5)},
            {"ior", ior(1.5)},
            {"alpha", transparent(number(1))},
            {"diffuse_roughness", roughness(0)},
            {"subsurface_weight", number(0)},
            {"subsurface_radius", color(1, 0.2, 0.1, kMaxWalk)},
            {"subsurface_scale", number(0.05, 0, kMaxWalk)},
            {"subsurface_ior", walk(number(1.4, 1.01, 3.8))},
            {"subsurface_anisotropy", walk(number(0, 0, 0.9))},
            {"specular_level", number(0.5)},
            {"specular_tint", mixing_channels(grey(1))},
            {"anisotropic", number(0)},
            {"anisotropic_rotation", number(0)},
            {"transmission_weight", number(0)},
            {"coat_weight", number(0)},
            {"coat_roughness", roughness(0.03)},
            {"coat_ior", ior(1.5)},
            {"coat_tint", grey(1)},
            {"sheen_weight", number(0)},
            {"sheen_roughness", roughness(0.5)},
            {"sheen_tint", mixing_channels(grey(1))},
            {"emission_color", color(1, 1, 1, kMaxLight)},
            {"emission_strength", number(0, 0, kMaxLight)},
            {"thin_film_thickness", number(0, 0, kThickestFilm)},
            {"thin_film_ior", ior(1.33)}};
}

std::vector<ClosureHiding> principled_hiding() {
    return {{{"ior", "specular_level", "diffuse_roughness", "subsurface_", "transmission_weight"},
             {{"metallic", 1}}},
            {{"diffuse_roughness", "subsurface_"}, {{"transmission_weight", 1}}},
            {{"coat_"}, {{"coat_weight", 0}}},
            {{"sheen_"}, {{"sheen_weight", 0}}},
            {{"subsurface_"}, {{"subsurface_weight", 0}}},
            {{"thin_film_ior"}, {{"thin_film_thickness", 0}}},
            {{"emission_color"}, {{"emission_strength", 0}}},
            {{"emission_strength"}, {{"emission_color", 0}}},
            {{"anisotropic_rotation"}, {{"anisotropic", 0}}},
            {{"roughness", "ior", "specular_tint", "anisotropic", "anisotropic_rotation"},
             {{"specular_level", 0}, {"metallic", 0}, {"transmission_weight", 0}}}};
}

ClosureSpec principled() {
    std::vector<ClosureOption> options{distribution({"multi_ggx", "ggx"})};
    std::ranges::copy(subsurface_options(), std::back_inserter(options));
    return {
        .kind = "principled",
        .inputs = principled_inputs(),
        .bsdf = "PrincipledBSDF<{features}>",
        .construct =
            "PrincipledBSDF<{features}>.prepare({structure}, {wi}, s.isBackface, m.tables())",
        .emission = "{bsdf}.emission()",
        .structure = "PrincipledInputs",
        .always = {"base_color", "roughness"},
        .features = {{"", {"kDielectric"}},
                     {"kMetal", {"metallic"}},
                     {"kDiffuseRoughness", {"diffuse_roughness"}},
                     {"kAnisotropy", {"anisotropic"}},
                     {"kCoat", {"coat_weight"}},
                     {"kSheen", {"sheen_weight"}},
                     {"kThinFilm", {"thin_film_thickness"}},
                     {"kGlass", {"transmission_weight"}},
                     {"kAlpha", {"alpha"}},
                     {"kNormal", {"normal", "coat_normal"}},
                     {"kSubsurface", {"subsurface_weight"}}},
        .normals = {"normal", "coat_normal"},
        .tangents = {"tangent"},
        .options = std::move(options),
        .hiding = principled_hiding(),
    };
}

ClosureHiding no_rotation() {
    return {{"rotation"}, {{"anisotropy", 0}}};
}

ClosureHiding no_film() {
    return {{"thin_film_ior"}, {{"thin_film_thickness", 0}}};
}

ClosureSpec diffuse() {
    return {.kind = "diffuse",
            .inputs = {{"color", grey(0.8)}, {"roughness", roughness(0)}},
            .bsdf = "DiffuseBSDF<{features}>",
            .construct = "DiffuseBSDF<{features}>.prepare({color}, {roughness}, {wi})",
            .features = {{"", {"kPlain"}}, {"kDiffuseRoughness", {"roughness"}}},
            .normals = {"normal"},
            .sides = "kSoftSides",
            .ensures_valid_reflection = false};
}

ClosureSpec glossy() {
    return {.kind = "glossy",
            .inputs = {{"color", grey(0.8)},
                       {"roughness", roughness(0.5)},
                       {"anisotropy", number(0, -kMaxAnisotropy, kMaxAnisotropy)},
                       {"rotation", number(0)}},
            .bsdf = "GlossyBSDF<{features}>",
            .construct = "GlossyBSDF<{features}>.prepare({color}, {roughness}, {anisotropy}, "
                         "{rotation}, {wi}, m.tables())",
            .features = {{"", {"kPlain"}}, {"kAnisotropy", {"anisotropy"}}},
            .normals = {"normal"},
            .tangents = {"tangent"},
            .sides = "kSharpSides",
            .options = {distribution({"multi_ggx", "ggx", "beckmann", "ashikhmin_shirley"})},
            .hiding = {no_rotation()}};
}

ClosureSpec metallic() {
    return {.kind = "metallic",
            .inputs = {{"color", color(0.617, 0.577, 0.540)},
                       {"edge_tint", color(0.695, 0.726, 0.770)},
                       {"roughness", roughness(0.5)},
                       {"anisotropy", number(0)},
                       {"rotation", number(0)},
                       {"thin_film_thickness", number(0, 0, kThickestFilm)},
                       {"thin_film_ior", ior(1.33)}},
            .bsdf = "MetallicBSDF<{features}>",
            .construct = "MetallicBSDF<{features}>.prepare({color}, {edge_tint}, {roughness}, "
                         "{anisotropy}, {rotation}, float2({thin_film_thickness}, "
                         "{thin_film_ior}), {wi}, m.tables())",
            .features = {{"", {"kPlain"}},
                         {"kAnisotropy", {"anisotropy"}},
                         {"kThinFilm", {"thin_film_thickness"}}},
            .normals = {"normal"},
            .tangents = {"tangent"},
            .sides = "kSharpSides",
            .options = {distribution({"multi_ggx", "ggx", "beckmann"})},
            .hiding = {no_rotation(), no_film()}};
}

ClosureSpec glass() {
    return {.kind = "glass",
            .inputs = {{"color", grey(1)},
                       {"roughness", roughness(0)},
                       {"ior", ior(1.5)},
                       {"thin_film_thickness", number(0, 0, kThickestFilm)},
                       {"thin_film_ior", ior(1.33)}},
            .bsdf = "GlassBSDF<{features}>",
            .construct = "GlassBSDF<{features}>.prepare({color}, {roughness}, {ior}, "
                         "float2({thin_film_thickness}, {thin_film_ior}), {wi}, s.isBackface, "
                         "m.tables())",
            .features = {{"", {"kPlain"}}, {"kThinFilm", {"thin_film_thickness"}}},
            .normals = {"normal"},
            .sides = "kSharpSides",
            .options = {distribution({"multi_ggx", "ggx", "beckmann"})},
            .hiding = {no_film()}};
}

ClosureSpec refraction() {
    return {.kind = "refraction",
            .inputs = {{"color", grey(1)}, {"roughness", roughness(0)}, {"ior", ior(1.45)}},
            .bsdf = "RefractionBSDF<{features}>",
            .construct = "RefractionBSDF<{features}>.prepare({color}, {roughness}, {ior}, {wi}, "
                         "s.isBackface, m.tables())",
            .features = {{"", {"kPlain"}}},
            .normals = {"normal"},
            .sides = "kSharpSides",
            .options = {distribution({"ggx", "beckmann"})}};
}

ClosureSpec sheen() {
    return {.kind = "sheen",
            .inputs = {{"color", grey(0.8)}, {"roughness", roughness(0.5)}},
            .bsdf = "SheenBSDF",
            .construct = "SheenBSDF.prepare({color}, {roughness}, {wi}, m.tables())",
            .normals = {"normal"},
            .sides = "kSoftSides",
            .ensures_valid_reflection = false};
}

ClosureSpec velvet() {
    return {.kind = "velvet",
            .inputs = {{"color", grey(0.8)}, {"roughness", roughness(0.5)}},
            .bsdf = "VelvetBSDF",
            .construct = "VelvetBSDF.prepare({color}, {roughness}, {wi})",
            .normals = {"normal"},
            .sides = "kSoftSides",
            .ensures_valid_reflection = false};
}

ClosureSpec translucent() {
    return {.kind = "translucent",
            .inputs = {{"color", grey(0.8)}},
            .bsdf = "TranslucentBSDF",
            .construct = "TranslucentBSDF.prepare({color})",
            .normals = {"normal"},
            .sides = "kSoftSides"};
}

ClosureSpec subsurface() {
    return {.kind = "subsurface",
            .inputs = {{"color", grey(0.8)},
                       {"radius", color(1, 0.2, 0.1, kMaxWalk)},
                       {"scale", number(0.05, 0, kMaxWalk)},
                       {"roughness", walk(roughness(1))},
                       {"ior", walk(number(1.4, 1.01, 3.8))},
                       {"anisotropy", walk(number(0, 0, 0.9))}},
            .bsdf = "SubsurfaceBSDF<{features}>",
            .construct = "SubsurfaceBSDF<{features}>.prepare({color}, {radius}, {scale}, "
                         "{roughness}, {ior}, {anisotropy}, {walks}, {wi})",
            .features = {{"", {"kSubsurface"}}},
            .normals = {"normal"},
            .sides = "kSoftSides",
            .options = subsurface_options()};
}

ClosureSpec transparent() {
    return {.kind = "transparent",
            .inputs = {{"color", transparent(grey(1))}},
            .bsdf = "TransparentBSDF",
            .construct = "TransparentBSDF.prepare({color}, {wi})",
            .ensures_valid_reflection = false};
}

ClosureSpec emission() {
    return {.kind = "emission",
            .inputs = {{"color", color(1, 1, 1, kMaxLight)},
                       {"strength", number(1, 0, kMaxLight)},
                       {"both_sides", number(1)}},
            .bsdf = "NullBSDF",
            .construct = "NullBSDF.prepare()",
            .emission = "({both_sides} > 0.5f || !s.isBackface ? {strength} : 0.f) * {color}",
            .ensures_valid_reflection = false,
            .hiding = {{{"color"}, {{"strength", 0}}}, {{"strength"}, {{"color", 0}}}}};
}

ClosureSpec medium() {
    return {.kind = "medium",
            .inputs = {{"absorption", color(0, 0, 0, kDensestMedium)},
                       {"scattering", color(0, 0, 0, kDensestMedium)},
                       {"emission", color(0, 0, 0, kMaxLight)},
                       {"anisotropy", number(0, -kMaxAnisotropy, kMaxAnisotropy)}},
            .bsdf = "NullBSDF",
            .construct = "NullBSDF.prepare()",
            .ensures_valid_reflection = false,
            .hiding = {{{"anisotropy"}, {{"scattering", 0}}}}};
}

ClosureSpec none() {
    return {.kind = "none",
            .inputs = {},
            .bsdf = "NullBSDF",
            .construct = "NullBSDF.prepare()",
            .ensures_valid_reflection = false};
}

} // namespace

const ClosureInput* ClosureSpec::find_input(std::string_view name) const noexcept {
    const auto found = std::ranges::find(inputs, name, &Inputs::value_type::first);
    return found == inputs.end() ? nullptr : &found->second;
}

const ClosureOption* ClosureSpec::find_option(std::string_view name) const noexcept {
    const auto found = std::ranges::find(options, name, &ClosureOption::name);
    return found == options.end() ? nullptr : &*found;
}

std::span<const ClosureSpec> closure_table() {
    static const std::vector<ClosureSpec> table{
        diffuse(), principled(),  glossy(),     metallic(),    glass(),    refraction(), sheen(),
        velvet(),  translucent(), subsurface(), transparent(), emission(), medium(),     none()};
    return table;
}

const ClosureSpec* find_closure(std::string_view kind) {
    const auto table = closure_table();
    const auto found = std::ranges::find(table, kind, &ClosureSpec::kind);
    return found == table.end() ? nullptr : &*found;
}

bool has_name(std::span<const std::string> names, std::string_view name) noexcept {
    return std::ranges::find(names, name) != names.end();
}

} // namespace weft::scene
