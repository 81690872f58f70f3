// SPDX-License-Identifier: Apache-2.0
// A board with a texture under a sky, pictures of it, and models that fit it.
#pragma once

#include "fit/build_views.hpp"
#include "fit/joint_model.hpp"
#include "fit/lighting.hpp"
#include "fit/unknowns.hpp"
#include "renderer_fixture.hpp"

#include <cmath>
#include <memory>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

namespace weft::fit::testing {

inline constexpr std::uint32_t kTexels = 16; ///< along a side

/// Waves that differ from channel to channel.
inline std::vector<float> pattern() {
    std::vector<float> out;
    const double step = std::numbers::pi / 8;
    for (int y = 0; y < static_cast<int>(kTexels); ++y) {
        for (int x = 0; x < static_cast<int>(kTexels); ++x) {
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

inline std::shared_ptr<scene::Texture> grey() {
    return scene::texture(std::vector<float>(3 * kTexels * kTexels, 0.5F), kTexels, kTexels, 3);
}

inline std::shared_ptr<scene::Texture> image() {
    return scene::texture(pattern(), kTexels, kTexels, 3);
}

/// A board under a sky. Its right half is beyond the picture if it is `shifted`.
inline scene::Scene board(std::shared_ptr<scene::Texture> color, bool shifted = false) {
    color->wrap = scene::TextureWrap::extend;
    const auto material =
        scene::material("Board", scene::closure("diffuse", {{"color", std::move(color)}}));
    scene::Scene scene;
    scene.objects = {scene::object({.mesh = render::testing::square(), .materials = {material}})};
    if (shifted) {
        scene.objects.front().transform = {1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0};
    }
    scene.environment =
        std::make_shared<const scene::Environment>(scene::environment(scene::Rgb{0.9, 1, 1.1}));
    return scene;
}

inline scene::Camera camera() {
    scene::Camera out = render::testing::camera_above();
    out.width = out.height = 32;
    out.scale = 2;
    out.name = "above";
    return out;
}

/// Beside it, and a little above, a square of paint.
inline scene::Scene painted_board(std::shared_ptr<scene::Texture> color,
                                  const scene::Numbers& paint) {
    scene::Scene out = board(std::move(color));
    out.objects.push_back(scene::object(
        {.mesh = render::testing::square(),
         .materials = {scene::material("Paint", scene::closure("diffuse", {{"color", paint}}))},
         .transform = {0.4F, 0, 0, -0.5F, 0, 0.4F, 0, -0.5F, 0, 0, 0.4F, 0.1F},
         .name = "paint"}));
    return out;
}

struct BoardFixture : render::testing::RendererFixture {
    Observation photo(const scene::Scene& scene) {
        render::Renderer own = renderer(scene);
        return {.name = "photo",
                .camera = camera(),
                .image = own.render(camera(), {.samples = 256, .bounces = 2, .seed = 11}, {})};
    }
};

/// What models of a scene find.
struct ModelDesc {
    scene::Scene scene;
    std::vector<Observation> observations{};
    std::vector<Parameter> numbers{{.name = "Paint.color"}};
    std::vector<TextureParameter> textures{{.name = "Board.color"}};
};

/// Models of numbers and textures over the same views. Stays where it is made.
struct Models {
    Models(BoardFixture& fixture, ModelDesc desc)
        : renderer(fixture.renderer(std::move(desc.scene))),
          observations(std::move(desc.observations)),
          unknowns(build_unknowns(*renderer.tables()->materials(), desc.numbers, {}, {})),
          views(make_views(desc)),
          scalars(renderer.tables(), views, unknowns, {.samples = 4, .bounces = 2, .seed = 5}),
          textures(renderer.film().modules()->context(), renderer.tables(), views, desc.textures,
                   {.bounces = 2, .seed = 5}),
          joint(scalars, textures) {}
    Models(const Models&) = delete;
    Models& operator=(const Models&) = delete;

    [[nodiscard]] std::vector<float> texels() {
        TextureReplay& replay = textures.replay();
        return replay.kernels().download(*replay.state().texels());
    }
    void step_textures(std::size_t iteration, std::size_t iterations) {
        const TextureStep schedule = textures.schedule(iteration, iterations, 4);
        textures.replay().draw(schedule.maps.samples);
        textures.step(schedule.maps, schedule.tied);
        if (schedule.maps.is_averaged) {
            textures.average();
        }
    }
    void step_all(std::size_t iteration, std::size_t iterations) {
        const TextureStep schedule = textures.schedule(iteration, iterations, 4);
        joint.step(iteration, schedule.maps, schedule.tied);
    }

    render::Renderer renderer;
    std::vector<Observation> observations;
    Unknowns unknowns;
    std::vector<View> views;
    ScalarModel scalars;
    TextureModel textures;
    JointModel joint;

private:
    [[nodiscard]] std::vector<View> make_views(const ModelDesc& desc) const {
        std::vector<std::string> names;
        for (const Parameter& parameter : desc.numbers) {
            names.push_back(parameter.name);
        }
        for (const TextureParameter& texture : desc.textures) {
            names.push_back(texture.name);
        }
        const auto light = find_light_parts(renderer, observations, {}, {});
        const UnknownDirections directions =
            unknowns.directions(renderer.tables()->materials()->values.size());
        return build_views(renderer, observations, light,
                           {.materials = owning_materials(renderer.scene(), names),
                            .rows = directions.rows,
                            .with_texels = true});
    }
};

/// The largest difference of two numbers of arrays of one size.
inline double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
    REQUIRE(a.size() == b.size());
    double out = 0;
    for (std::size_t i = 0; i < a.size(); ++i) {
        out = std::max(out, std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
    }
    return out;
}

} // namespace weft::fit::testing
