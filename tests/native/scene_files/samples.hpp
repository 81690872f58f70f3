// SPDX-License-Identifier: Apache-2.0
// Scenes of every kind of thing, and files that are put together by hand.
#pragma once

#include "scene_files/archive.hpp"
#include "scene_files/scene_file.hpp"

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace weft::scene_files::testing {

/// Where functions are kept that this user has saved; "": nowhere.
inline void set_trust_folder(const std::filesystem::path& folder) {
#if defined(_WIN32)
    _putenv_s("WEFT_TRUST_DIR", folder.string().c_str());
#else
    ::setenv("WEFT_TRUST_DIR", folder.c_str(), 1); // NOLINT(concurrency-mt-unsafe)
#endif
}

inline constexpr const char* kWave =
    "[Differentiable] float wave(float2 uv, float n) { return sin(n * uv.x); }";

inline scene::MeshRef patch() {
    scene::Mesh mesh{.name = "patch"};
    mesh.positions = std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0};
    mesh.triangles = std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3};
    mesh.normals = std::vector<float>{0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1};
    mesh.uvs.push_back({.name = "UVMap", .values = std::vector<float>(12, 0.25F)});
    mesh.colors.push_back({.name = "Grün", .values = std::vector<float>(18, 0.5F)});
    mesh.slots = std::vector<std::uint32_t>{0, 1};
    return scene::mesh(std::move(mesh));
}

inline std::shared_ptr<scene::SlangCall> wave() {
    scene::SlangCall call;
    call.function = "wave";
    call.source = kWave;
    call.arguments = {{"uv", scene::Attribute::uv}, {"n", 9.0}};
    return scene::slang_call(std::move(call));
}

inline scene::MaterialRef mixed_material() {
    const auto texture = scene::texture(std::vector<float>{0.1F, 0.2F, 0.3F, 1, 0.5F, 0}, 2, 1, 3);
    texture->wrap = scene::TextureWrap::mirror;
    texture->filter = scene::TextureFilter::closest;
    texture->uv = scene::UvSet{1};
    texture->name = "checks";
    const auto call = wave();
    scene::NormalMap map{.color = texture, .strength = 0.5};
    map.space = scene::NormalSpace::object;
    map.uv_set = 2;
    scene::Bump bump{.height = call};
    bump.normal = scene::normal_map(std::move(map));
    bump.step = 0.01;
    bump.is_surface = true;
    const auto shine = scene::constant("Shine", scene::Numbers{0.1, 0.2, 0.3}, -1, 2);
    const auto gloss = scene::closure(
        "principled",
        {{"base_color", texture}, {"roughness", 0.4}, {"normal", scene::bump(std::move(bump))}},
        {{"distribution", "ggx"}});
    const auto tinted = scene::closure("diffuse", {{"color", shine}});
    const auto vertex = scene::closure("diffuse", {{"color", scene::ColorAttribute{0}}});
    return scene::material("Mixed", scene::add(scene::mix(gloss, tinted, call), vertex), nullptr,
                           false);
}

/// One of each kind of thing that a file may have.
inline SceneFile everything() {
    const auto fog = scene::closure("medium", {{"scattering", 0.5}});
    const auto air = scene::material("Air", scene::closure("none"), fog);
    const auto mesh = patch();
    SceneFile file;
    file.scene.objects = {scene::object({.mesh = mesh,
                                         .materials = {mixed_material(), air},
                                         .transform = {2, 0, 0, 5, 0, 2, 0, 0, 0, 0, 2, -1.5},
                                         .hidden_from = scene::layouts::RayKind::kShadow,
                                         .terminator_offset = 0.125F,
                                         .name = "floor"}),
                          scene::object({.mesh = mesh, .materials = {air, air}, .name = "twin"})};
    const auto profile =
        scene::light_profile(std::vector<float>{1, 2, 3, 4, 5, 6}, 2, 1, 0.5, 0.25);
    scene::AreaLight area{.size = {2, 3}, .shape = scene::AreaShape::ellipse, .spread = 1};
    area.transform[3] = 7;
    file.scene.lights = {
        {.kind = scene::PointLight{.position = {1, 2, 3}, .power = 40}, .name = "key"},
        {.kind = scene::SpotLight{.angle = 0.5, .soft_falloff = true},
         .name = "spot",
         .profile = profile},
        {.kind = scene::SunLight{.direction = {1, 0, -1}, .strength = 3}, .name = "sun"},
        {.kind = area,
         .name = "area",
         .profile = profile,
         .hidden_from = scene::layouts::RayKind::kGlossy,
         .casts_shadow = false}};
    scene::Environment sky = scene::environment(std::vector<float>{1, 2, 3, 4, 5, 6}, 2, 1);
    sky.strength = {1, 0.5, 0.25};
    sky.rotation = {0, -1, 0, 1, 0, 0, 0, 0, 1};
    sky.views.push_back({.kind = 0, .image = sky.image});
    sky.name = "Sky";
    file.scene.environment = std::make_shared<const scene::Environment>(std::move(sky));
    file.scene.light_paths.diffuse_bounces = 3;
    file.scene.light_paths.clamp_indirect = 10;
    file.cameras = {{.width = 8,
                     .height = 6,
                     .kind = scene::CameraKind::orthographic,
                     .scale = 2,
                     .shift = {0.25, -0.5},
                     .name = "front"},
                    {.width = 4, .height = 4, .far = 100, .name = "back"}};
    file.problems = {{.where = "Material 'Mixed'", .message = "a node is not known; remove it"}};
    return file;
}

/// A file of a text and of arrays of doubles by their names.
inline void write_file(const std::filesystem::path& path, const std::string& text,
                       const std::vector<NewMember>& arrays = {}) {
    std::vector<NewMember> members{{.name = "scene.json", .head = text}};
    members.insert(members.end(), arrays.begin(), arrays.end());
    write_archive(path, members);
}

/// The text of a scene with these objects and parts.
inline nlohmann::json described(nlohmann::json objects, nlohmann::json parts) {
    return {{"weft", "scene"},
            {"version", 1},
            {"objects", std::move(objects)},
            {"scene", std::move(parts)}};
}

} // namespace weft::scene_files::testing
