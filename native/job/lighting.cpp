// SPDX-License-Identifier: Apache-2.0
#include "job/lighting.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "job/picture_file.hpp"
#include "job/srgb.hpp"
#include "scene/environment.hpp"
#include "scene/light_changes.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>

namespace weft::job {

namespace {

scene::Vector3 transformed(const std::array<double, 12>& m, const scene::Vector3& v,
                           double origin) {
    scene::Vector3 out{};
    for (std::size_t row = 0; row < 3; ++row) {
        out[row] = m[4 * row] * v[0] + m[4 * row + 1] * v[1] + m[4 * row + 2] * v[2] +
                   m[4 * row + 3] * origin;
    }
    return out;
}

std::array<double, 12> product(const std::array<double, 12>& a, const std::array<double, 12>& b) {
    std::array<double, 12> out{};
    for (std::size_t column = 0; column < 4; ++column) {
        const scene::Vector3 moved =
            transformed(a, {b[column], b[4 + column], b[8 + column]}, column == 3 ? 1 : 0);
        for (std::size_t row = 0; row < 3; ++row) {
            out[4 * row + column] = moved[row];
        }
    }
    return out;
}

/// What a member of a light is in the world.
void place(std::string_view name, scene::Vector3& member, const std::array<double, 12>& camera) {
    if (name == "position" || name == "direction") {
        member = transformed(camera, member, name == "position" ? 1 : 0);
    }
}

void place(std::string_view /*name*/, std::array<double, 12>& member,
           const std::array<double, 12>& camera) {
    member = product(camera, member);
}

void place(std::string_view /*name*/, const auto& /*member*/,
           const std::array<double, 12>& /*camera*/) {}

/// A light that was placed in a camera's own space, in the world.
scene::Light at_camera(scene::Light light, const scene::Camera& camera) {
    std::visit(
        [&camera](auto& own) {
            std::apply(
                [&](const auto&... field) {
                    (place(field.name, own.*(field.member), camera.transform), ...);
                },
                own.fields());
        },
        light.kind);
    return light;
}

constexpr scene::Rgb kDark{0, 0, 0};

/// Names of the lights and of the materials that shine, but for the sky.
std::vector<std::string> names_of(const scene::Scene& scene, const std::string& sky) {
    scene::Scene without = scene;
    without.environment = nullptr;
    std::vector<std::string> out = scene::light_names(without);
    if (!sky.empty()) {
        std::erase(out, sky);
    }
    return out;
}

/// Leaves on what a target names, and adds its own lights.
void choose_lights(scene::Scene& scene, const TargetEntry& target, const scene::Camera& camera,
                   const std::string& sky) {
    const std::vector<std::string> names = names_of(scene, sky);
    for (const std::string& name : *target.shining) {
        if (const auto count = std::ranges::count(names, name); count != 1) {
            refuse(target, core::text(count == 0 ? "no" : "more than one",
                                      " light of the scene is called '", name, "'; there are ",
                                      names.empty() ? "none" : core::join(names, ", "),
                                      "; the world is chosen by world"));
        }
    }
    const auto shines = [&target](const std::string& name) {
        return std::ranges::find(*target.shining, name) != target.shining->end();
    };
    std::erase_if(scene.lights, [&](const scene::Light& light) { return !shines(light.name); });
    scene::LightFactors dark;
    for (const std::string& name : names_of(scene, sky)) {
        if (!shines(name)) {
            dark.emplace(name, kDark);
        }
    }
    try {
        scene = scene::with_light_factors(scene, dark);
    } catch (const core::ArgumentError& error) {
        refuse(target, core::text(error.what(), "; or name it in lights"));
    }
    for (const LightEntry& own : target.own_lights) {
        scene.lights.push_back(own.is_at_camera ? at_camera(own.light, camera) : own.light);
    }
}

std::shared_ptr<const scene::Environment> read_environment(const WorldEntry& world) {
    if (world.image.empty()) {
        return nullptr;
    }
    const PictureFile file = read_picture_file(world.image);
    const std::size_t stride = file.channels.size();
    const std::size_t step = stride < 3 ? 0 : 1; // grey has one channel for all
    const bool is_encoded = is_display_file(world.image);
    std::vector<float> image;
    for (std::size_t pixel = 0; pixel < file.width * file.height; ++pixel) {
        for (std::size_t c = 0; c < 3; ++c) {
            const float stored = file.pixels[pixel * stride + c * step];
            image.push_back(is_encoded ? linear_from_srgb(stored) : stored);
        }
    }
    auto out = std::make_shared<scene::Environment>(
        scene::environment(std::move(image), static_cast<std::uint32_t>(file.width),
                           static_cast<std::uint32_t>(file.height)));
    out->rotation = world.rotation;
    out->strength = world.strength;
    out->name = world.name;
    return out;
}

/// The scene under the lights of a target.
scene::Scene lit_scene(const scene::Scene& scene, const TargetEntry& target,
                       const scene::Camera& camera, const std::string& sky) {
    const bool is_sky_dark = target.world && !sky.empty();
    scene::Scene lit = is_sky_dark ? scene::with_light_factors(scene, {{sky, kDark}}) : scene;
    if (target.shining) {
        choose_lights(lit, target, camera, sky);
    }
    if (target.world) {
        lit.environment = read_environment(*target.world);
    }
    return lit;
}

bool has_own_lights(const TargetEntry& target) {
    return target.shining || target.world;
}

/// Whether both are lit alike, as far as names tell.
bool are_alike(const TargetEntry& a, const TargetEntry& b) {
    return a.own_lights.empty() && b.own_lights.empty() && a.shining == b.shining &&
           a.world == b.world;
}

} // namespace

Lighting light_targets(const scene::Scene& scene, const std::vector<TargetEntry>& targets,
                       const std::vector<scene::Camera>& cameras, const std::string& sky) {
    Lighting out;
    for (std::size_t number = 0; number < targets.size(); ++number) {
        const TargetEntry& target = targets[number];
        const auto same = std::ranges::find_if(
            targets.begin(), targets.begin() + static_cast<std::ptrdiff_t>(number),
            [&](const TargetEntry& other) { return are_alike(other, target); });
        if (!has_own_lights(target)) {
            out.shown.push_back(0);
        } else if (same - targets.begin() < static_cast<std::ptrdiff_t>(number)) {
            out.shown.push_back(out.shown[static_cast<std::size_t>(same - targets.begin())]);
        } else {
            out.scenes.push_back(lit_scene(scene, target, cameras.at(number), sky));
            out.shown.push_back(out.scenes.size());
        }
    }
    return out;
}

} // namespace weft::job
