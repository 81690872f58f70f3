// SPDX-License-Identifier: Apache-2.0
// A board with a texture over a floor without one, under a lamp and a sky; and pictures of it.
#pragma once

#include "fit/fit_state.hpp"
#include "fit/fitted_texture.hpp"
#include "fit/observation.hpp"
#include "renderer_fixture.hpp"

#include <cmath>
#include <cstddef>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace weft::fit::testing {

inline constexpr std::uint32_t kSide = 4;        ///< texels along a side of the board
inline constexpr std::int64_t kPictureSide = 28; ///< pixels

/// Waves that differ from channel to channel.
inline std::vector<float> waves() {
    std::vector<float> out;
    const double step = 2 * std::numbers::pi / kSide;
    for (std::uint32_t y = 0; y < kSide; ++y) {
        for (std::uint32_t x = 0; x < kSide; ++x) {
            const double along = std::sin((x + 0.5) * step);
            const double down = std::sin((y + 0.5) * step);
            for (const double value : {0.5 + 0.3 * along * down,
                                       0.4 + 0.2 * std::cos((x + 0.5) * step), 0.5 + 0.25 * down}) {
                out.push_back(static_cast<float>(value));
            }
        }
    }
    return out;
}

inline std::vector<float> flat() {
    return std::vector<float>(std::size_t{3} * kSide * kSide, 0.5F);
}

/// What a fit looks for.
struct Truth {
    std::vector<float> texels = waves();
    double roughness = 0.3;               ///< of the board
    scene::Numbers color{0.2, 0.35, 0.5}; ///< of the floor
    double lamp = 1;                      ///< factor
};

/// The board covers `extent` metres to each side.
inline scene::Scene board_over_floor(const Truth& truth, double extent = 0.8) {
    const auto texture = scene::texture(truth.texels, kSide, kSide, 3);
    texture->wrap = scene::TextureWrap::extend;
    const auto floor = scene::material(
        "Floor", scene::closure("principled", {{"base_color", truth.color}, {"roughness", 0.5}}));
    const auto board = scene::material(
        "Board",
        scene::closure("principled", {{"base_color", texture}, {"roughness", truth.roughness}}));
    scene::Scene scene;
    scene.objects = {scene::object({.mesh = render::testing::square(),
                                    .materials = {floor},
                                    .transform = {2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 1, -0.1},
                                    .name = "floor"}),
                     scene::object({.mesh = render::testing::square(),
                                    .materials = {board},
                                    .transform = {extent, 0, 0, 0, 0, extent, 0, 0, 0, 0, 1, 0},
                                    .name = "board"})};
    scene.lights = {{.kind = scene::PointLight{.position = {0.3, 0.2, 1.2},
                                               .power = 30 * truth.lamp,
                                               .radius = 0.2},
                     .name = "key"}};
    scene.environment =
        std::make_shared<const scene::Environment>(scene::environment(scene::Rgb{0.5, 0.55, 0.6}));
    return scene;
}

/// What a fit begins with.
inline scene::Scene start_scene(double extent = 0.8) {
    return board_over_floor({flat(), 0.6, scene::Numbers{0.5, 0.5, 0.5}, 1}, extent);
}

inline scene::Camera camera_over_board() {
    scene::Camera out = render::testing::camera_above();
    out.width = out.height = kPictureSide;
    out.scale = 2.6;
    out.name = "above";
    return out;
}

struct JointFixture : render::testing::RendererFixture {
    Observation photo(const scene::Scene& scene) {
        render::Renderer own = renderer(scene);
        return {.name = "photo",
                .camera = camera_over_board(),
                .image = own.render(camera_over_board(), {.samples = 512, .bounces = 2, .seed = 11},
                                    {})};
    }
};

inline double mean_error(const FittedTexture& found, const std::vector<float>& truth) {
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        if (found.known[i / found.channels] > 0) {
            sum += std::abs(static_cast<double>(found.pixels[i]) - static_cast<double>(truth[i]));
            count += 1;
        }
    }
    return sum / count;
}

} // namespace weft::fit::testing
