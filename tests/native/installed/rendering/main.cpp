// SPDX-License-Identifier: Apache-2.0
// Renders a sphere with a Principled material under a sky and a light, then with the light moved, finds its paint and the
// strength of the light again from a picture, and a texture of a board from another one. Writes pictures to the files that are named, as portable float maps,
// and what was found as text:
//
//     rendering [picture.pfm [photo.pfm found.txt]]
#include <weft/engine/fit.hpp>
#include <weft/engine/renderer.hpp>
#include <weft/scene/input_changes.hpp>
#include <weft/scene/light_changes.hpp>
#include <weft/scene/parameter_changes.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace {

namespace engine = weft::engine;
namespace scene = weft::scene;

using Point = std::array<double, 3>;

Point halfway(const Point& a, const Point& b) {
    const Point sum{a[0] + b[0], a[1] + b[1], a[2] + b[2]};
    const double length = std::sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
    return {sum[0] / length, sum[1] / length, sum[2] / length};
}

/// Triangles of a sphere: each is divided into four, `levels` times.
std::vector<std::array<Point, 3>> sphere_triangles(int levels) {
    std::vector<std::array<Point, 3>> triangles;
    for (const double x : {1.0, -1.0}) {
        for (const double y : {1.0, -1.0}) {
            for (const double z : {1.0, -1.0}) {
                const Point a{x, 0, 0};
                const Point b{0, y, 0};
                const Point c{0, 0, z};
                triangles.push_back(x * y * z > 0 ? std::array{a, b, c} : std::array{a, c, b});
            }
        }
    }
    for (int level = 0; level < levels; ++level) {
        std::vector<std::array<Point, 3>> finer;
        for (const auto& [a, b, c] : triangles) {
            const Point ab = halfway(a, b);
            const Point bc = halfway(b, c);
            const Point ca = halfway(c, a);
            finer.insert(finer.end(), {{a, ab, ca}, {ab, b, bc}, {ca, bc, c}, {ab, bc, ca}});
        }
        triangles = std::move(finer);
    }
    return triangles;
}

scene::MeshRef sphere() {
    std::vector<float> positions;
    std::vector<std::uint32_t> corners;
    for (const auto& triangle : sphere_triangles(3)) {
        for (const Point& point : triangle) {
            corners.push_back(static_cast<std::uint32_t>(corners.size()));
            for (const double coordinate : point) {
                positions.push_back(static_cast<float>(coordinate));
            }
        }
    }
    scene::Mesh described{.name = "sphere"};
    described.normals = positions; // of radius 1: the same numbers
    described.positions = std::move(positions);
    described.triangles = std::move(corners);
    return scene::mesh(std::move(described));
}

struct Paint {
    scene::Numbers color{0.8, 0.3, 0.1};
    double roughness = 0.4;
    double light = 200; ///< W
};

scene::Scene describe(const Paint& own = {}) {
    const auto paint = scene::material(
        "Paint",
        scene::closure("principled", {{"base_color", own.color}, {"roughness", own.roughness}}));
    scene::Scene described;
    described.objects = {scene::object({.mesh = sphere(), .materials = {paint}, .name = "sphere"})};
    described.lights = {
        {.kind = scene::PointLight{.position = {2, -3, 3}, .power = own.light, .radius = 0.25},
         .name = "key"}};
    described.environment =
        std::make_shared<const scene::Environment>(scene::environment({0.2, 0.3, 0.5}));
    return described;
}

double mean(const engine::Image& image) {
    double sum = 0;
    for (const float value : image.pixels) {
        sum += static_cast<double>(value);
    }
    return sum / static_cast<double>(image.pixels.size());
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

/// The scene with the paint and the light that were found.
scene::Scene with_result(const scene::Scene& described, const weft::fit::FitState& found) {
    scene::ParameterValues numbers;
    scene::LightFactors lights;
    for (const weft::fit::FittedValue& entry : found.values) {
        if (entry.name.starts_with("Paint.")) {
            numbers[entry.name] = entry.value;
        } else if (entry.name == "key.factor") {
            lights["key"] = {entry.value[0], entry.value[0], entry.value[0]};
        }
    }
    return scene::with_light_factors(scene::with_parameters(described, numbers), lights);
}

/// Finds paint and light of a picture, which is brighter by a half, from grey and half the power.
void find_paint(engine::Renderer& renderer, const scene::Camera& camera,
                const std::vector<std::string>& paths) {
    engine::Image photo =
        renderer.render(camera, {.samples = 256, .bounces = 3, .seed = 7, .exposure = 1.5});
    if (paths.size() > 1) {
        write_pfm(photo, paths[1]);
    }
    renderer.update(describe({.color = {0.5, 0.5, 0.5}, .roughness = 0.7, .light = 100}));
    engine::Fit fit(renderer, {{.name = "photo", .camera = camera, .image = photo.pixels}},
                    {{.name = "Paint.base_color"}, {.name = "Paint.roughness"}},
                    {{.observation = "photo"}}, {{.light = "key"}}, {.bounces = 3});
    const weft::fit::FitState found = fit.run();
    std::ofstream file;
    if (paths.size() > 2) {
        file.open(paths[2]);
        file << std::setprecision(9) << found.iterations << ' ' << found.loss << '\n';
    }
    for (const weft::fit::FittedValue& value : found.values) {
        std::cout << value.name;
        for (std::size_t i = 0; i < value.value.size(); ++i) {
            std::cout << ' ' << std::fixed << std::setprecision(2) << value.value[i];
            file << value.name << ' ' << value.value[i] << ' ' << value.error[i] << '\n';
        }
        std::cout << '\n';
    }
    std::cout << (found.has_converged ? "found\n" : "not found\n");
    std::cout << weft::fit::describe(fit.judge()) << '\n';
    renderer.update(with_result(renderer.scene(), found));
    const engine::Image explained = renderer.render(camera, {.samples = 256, .bounces = 3});
    const double ratio = 1.5 * mean(explained) / mean(photo);
    std::cout << (std::abs(ratio - 1) < 0.02 ? "explained\n" : "not explained\n");
}

/// A board under the sky with a texture of two colours, each of one half.
scene::Scene describe_board(float left, float right) {
    std::vector<float> texels;
    for (int texel = 0; texel < 4 * 4; ++texel) {
        texels.insert(texels.end(), 3, texel % 4 < 2 ? left : right);
    }
    const auto image = scene::texture(std::move(texels), 4, 4, 3);
    image->wrap = scene::TextureWrap::extend;
    scene::Mesh square{.name = "square"};
    square.positions = std::vector<float>{-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0};
    square.triangles = std::vector<std::uint32_t>{0, 1, 2, 0, 2, 3};
    square.uvs = {{"UVMap", std::vector<float>{0, 0, 1, 0, 1, 1, 0, 0, 1, 1, 0, 1}}};
    scene::Scene described;
    described.objects = {scene::object(
        {.mesh = scene::mesh(std::move(square)),
         .materials = {scene::material("Board", scene::closure("diffuse", {{"color", image}}))}})};
    described.environment =
        std::make_shared<const scene::Environment>(scene::environment({0.9, 1, 1.1}));
    return described;
}

/// Finds the texture of a board from a picture, from grey.
void find_texture(const engine::Engine& weft) {
    const scene::Camera camera{.width = 24,
                               .height = 24,
                               .kind = scene::CameraKind::orthographic,
                               .scale = 2,
                               .transform = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 2}};
    engine::Renderer renderer(weft, describe_board(0.2F, 0.7F));
    const engine::Image photo = renderer.render(camera, {.samples = 256, .bounces = 2});
    renderer.update(describe_board(0.5F, 0.5F));
    engine::Fit fit(renderer, {{.name = "board", .camera = camera, .image = photo.pixels}},
                    weft::fit::Sought{.textures = {{.name = "Board.color"}}},
                    {.bounces = 2, .texture_iterations = 160});
    fit.run();
    scene::TextureImages images;
    for (const weft::fit::FittedTexture& found : fit.textures()) {
        std::cout << found.name << ' ' << found.pixels.front() << ' ' << found.pixels.back()
                  << (weft::fit::told_share(found) > 0.9 ? " for sure\n" : " perhaps\n");
        images[found.name] = {.pixels = found.pixels,
                              .width = static_cast<std::uint32_t>(found.width),
                              .height = static_cast<std::uint32_t>(found.height),
                              .channels = static_cast<std::uint32_t>(found.channels)};
    }
    renderer.update(scene::with_textures(renderer.scene(), images));
    const double ratio =
        mean(renderer.render(camera, {.samples = 256, .bounces = 2})) / mean(photo);
    std::cout << (std::abs(ratio - 1) < 0.02 ? "the board is painted\n" : "another board\n");
}

void run(const std::vector<std::string>& paths) {
    const auto weft = engine::Engine::create();
    engine::Renderer renderer(*weft, describe());
    const scene::Camera camera{
        .width = 64, .height = 64, .transform = {1, 0, 0, 0, 0, 0, -1, -4, 0, 1, 0, 0}};
    const weft::render::PathSettings settings{.samples = 16, .bounces = 4};
    const engine::Image image = renderer.render(camera, settings);
    std::cout << "mean " << std::setprecision(3) << mean(image) << '\n';
    const std::vector<std::string> names{"alpha"};
    std::cout << "covered "
              << mean(renderer.render_layers(camera, names, {.samples = 64}).front().image) << '\n';
    const auto bytes = renderer.memory(camera, settings);
    std::cout << (bytes > image.pixels.size() * sizeof(float) ? "memory is known\n" : "no bound\n");

    scene::Scene moved = renderer.scene();
    std::get<scene::PointLight>(moved.lights.front().kind).position = {-2, -3, 3};
    renderer.update(std::move(moved));
    const engine::Image other = renderer.render(camera, settings);
    renderer.update(describe());
    std::cout << (other.pixels != image.pixels ? "the light moved\n" : "nothing changed\n");
    std::cout << (renderer.render(camera, settings).pixels == image.pixels ? "and came back\n"
                                                                           : "and is lost\n");
    if (!paths.empty()) {
        write_pfm(image, paths.front());
    }
    find_paint(renderer, camera, paths);
    find_texture(*weft);
}

} // namespace

int main(int count, char** arguments) {
    try {
        run({arguments + std::min(count, 1), arguments + count});
        return EXIT_SUCCESS;
    } catch (const weft::core::Error& error) {
        std::cerr << error.what() << '\n';
        return EXIT_FAILURE;
    }
}
