// SPDX-License-Identifier: Apache-2.0
// stored scene.weft copy.weft picture.pfm: renders the first camera of a scene that was saved by Python, by Blender or by
// a C++ program, and saves the scene again. Before, the same with a scene of its own, in the folder of the copy.
#include <weft/engine/renderer.hpp>
#include <weft/scene_files/scene_file.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace engine = weft::engine;
namespace scene = weft::scene;
namespace scene_files = weft::scene_files;

constexpr weft::render::PathSettings kSettings{.samples = 2, .bounces = 2};

/// A square on the floor below a light.
scene_files::SceneFile describe() {
    scene::Mesh square{.name = "square"};
    square.positions = std::vector<float>{-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    square.triangles = std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3};
    const auto paint = scene::material(
        "Paint", scene::closure("diffuse", {{"color", scene::Numbers{0.8, 0.3, 0.1}}}));
    scene_files::SceneFile file;
    file.scene.objects = {scene::object(
        {.mesh = scene::mesh(std::move(square)), .materials = {paint}, .name = "floor"})};
    file.scene.lights = {
        {.kind = scene::PointLight{.position = {0, 0, 2}, .power = 100}, .name = "key"}};
    file.cameras = {{.width = 8, .height = 8, .transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 4}}};
    return file;
}

/// Rows from the bottom, little-endian float32.
void write_pfm(const engine::Image& image, const std::string& path) {
    std::ofstream file(path, std::ios::binary);
    file << "PF\n" << image.width << ' ' << image.height << "\n-1.0\n";
    const auto row = static_cast<std::size_t>(image.width * image.channels);
    for (auto y = static_cast<std::size_t>(image.height); y-- > 0;) {
        file.write(reinterpret_cast<const char*>(image.pixels.data() + y * row),
                   static_cast<std::streamsize>(row * sizeof(float)));
    }
}

/// Its own scene through a file, and under another light.
void render_own(const engine::Engine& weft, const std::filesystem::path& path) {
    const scene_files::SceneFile file = describe();
    scene::Scene other = file.scene;
    std::get<scene::PointLight>(other.lights.front().kind).power = 1;
    engine::Renderer renderer(weft, file.scene, {.lit_by = {other}});
    const engine::Image image = renderer.render(file.cameras.front(), kSettings);
    renderer.select_lights(1);
    const engine::Image dim = renderer.render(file.cameras.front(), kSettings);
    const engine::Image alone =
        engine::Renderer(weft, other).render(file.cameras.front(), kSettings);
    std::cout << (dim.pixels == alone.pixels && dim.pixels != image.pixels
                      ? "another light\n"
                      : "lights are mixed up\n");

    scene_files::save(file, path);
    const scene_files::SceneFile loaded = scene_files::load(path);
    renderer.update(loaded.scene);
    const bool is_equal = renderer.render(loaded.cameras.front(), kSettings).pixels == image.pixels;
    std::cout << (is_equal ? "the same picture from a file\n" : "another picture from a file\n");
}

void run(const std::filesystem::path& path, const std::filesystem::path& copy,
         const std::string& picture) {
    const auto weft = engine::Engine::create();
    render_own(*weft, copy);
    if (std::filesystem::exists(path)) {
        const scene_files::SceneFile file = scene_files::load(path);
        scene_files::save(file, copy);
        engine::Renderer renderer(*weft, file.scene);
        write_pfm(renderer.render(file.cameras.front(), kSettings), picture);
    }
}

} // namespace

int main(int count, char** arguments) {
    if (count != 4) {
        std::cerr << "usage: stored scene.weft copy.weft picture.pfm\n";
        return EXIT_FAILURE;
    }
    try {
        run(arguments[1], arguments[2], arguments[3]);
        return EXIT_SUCCESS;
    } catch (const weft::core::Error& error) {
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
