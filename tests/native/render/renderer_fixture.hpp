// SPDX-License-Identifier: Apache-2.0
// Small scenes that are described in C++, and what makes renderers of them.
#pragma once

#include "fixture.hpp"
#include "render/renderer.hpp"

#include <string>
#include <utility>
#include <vector>

namespace weft::render::testing {

inline scene::MeshRef square(float z = 0) {
    scene::Mesh described{.name = "square"};
    described.positions = std::vector<float>{-1, -1, z, 1, -1, z, 1, 1, z, -1, 1, z};
    described.triangles = std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3};
    described.uvs = {{"UVMap", std::vector<float>{0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1}}};
    return scene::mesh(std::move(described));
}

/// A white diffuse square under a white sky: all that the camera sees is 1.
inline scene::Scene furnace() {
    const auto white =
        scene::material("White", scene::closure("diffuse", {{"color", scene::Numbers{1, 1, 1}}}));
    scene::Scene scene;
    scene.objects = {scene::object({.mesh = square(), .materials = {white}})};
    scene.environment =
        std::make_shared<const scene::Environment>(scene::environment(scene::Rgb{1, 1, 1}));
    return scene;
}

/// Looks down at the square from z = 2; half of the picture is beside it.
inline scene::Camera camera_above() {
    scene::Camera camera{.width = 8, .height = 8, .kind = scene::CameraKind::orthographic};
    camera.scale = 4;
    camera.transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2};
    return camera;
}

struct RendererFixture : Fixture {
    compile::ModuleDesc modules;
    RendererFiles files{.bsdf_tables = test::shader_directory() / "weft" / "bsdf" / "tables.npy"};
    std::vector<std::string> messages;
    PathSettings settings{.samples = 16, .bounces = 3};

    RendererFixture() { modules.target = device->target(); }
    Renderer renderer(scene::Scene scene) {
        return {
            context, modules, files, std::move(scene), {.message = [this](std::string_view text) {
                messages.emplace_back(text);
            }}};
    }
};

} // namespace weft::render::testing
