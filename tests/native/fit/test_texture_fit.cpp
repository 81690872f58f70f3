// SPDX-License-Identifier: Apache-2.0
// Fits of textures: what is found, derivatives beside differences, equal seeds, and what is refused.
#include "board_fixture.hpp"
#include "core/error.hpp"
#include "core/interrupt_poll.hpp"
#include "fit/lighting.hpp"
#include "fit/texture_fit.hpp"
#include "fit/texture_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace weft::fit {
namespace {

using namespace testing;

struct TextureFixture : BoardFixture {
    static FitSettings settings(std::size_t iterations = 40) {
        return {.bounces = 2, .texture_iterations = iterations};
    }
    FittedTexture fit(render::Renderer& own, const Observation& observation,
                      const FitSettings& given) {
        TextureFit solver(own, {observation}, {{.name = "Board.color"}}, given);
        while (!solver.state().is_done) {
            solver.step();
        }
        solver.write();
        return solver.textures().front();
    }
    std::string refusal(const std::vector<TextureParameter>& textures,
                        scene::Scene scene = board(grey()), const FitSettings& given = {}) {
        render::Renderer own = renderer(std::move(scene));
        const Observation flat{.camera = camera(),
                               .image = std::vector<float>(std::size_t{32} * 32 * 3, 0.5F)};
        try {
            const TextureFit solver(own, {flat}, textures, given);
        } catch (const core::ArgumentError& error) {
            return error.what();
        }
        return "no error";
    }
};

double mean_error(const FittedTexture& found, const std::vector<float>& truth) {
    double sum = 0;
    double count = 0;
    for (std::size_t i = 0; i < truth.size(); ++i) {
        if (found.known[i / found.channels] > 0) {
            sum += std::abs(static_cast<double>(found.pixels[i]) - truth[i]);
            count += 1;
        }
    }
    return sum / count;
}

TEST_CASE_METHOD(TextureFixture, "a texture is found from a picture, and the scene keeps it") {
    const Observation observation = photo(board(image()));
    render::Renderer own = renderer(board(grey()));
    TextureFit solver(own, {observation}, {{.name = "Board.color"}}, settings(60));
    while (!solver.state().is_done) {
        solver.step();
    }
    const FitState state = solver.state();
    CHECK(state.iterations == 60);
    CHECK(state.has_converged);
    CHECK(state.values.empty());
    CHECK(state.problems.empty());
    CHECK(std::abs(state.loss) < 1e-3);
    const FittedTexture found = solver.textures().front();
    CHECK(found.name == "Board.color");
    CHECK((found.width == kTexels && found.height == kTexels && found.channels == 3));
    CHECK(mean_error(found, pattern()) < 0.005);
    CHECK(std::ranges::count(found.known, 1.0F) == std::ptrdiff_t{kTexels} * kTexels);
    CHECK(std::ranges::all_of(found.errors, [](float error) { return error > 0 && error < 0.1F; }));
    CHECK(told_share(found) > 0.95);
    CHECK(found.undetermined.empty());

    const Verdict verdict = solver.judge();
    CHECK(verdict.level == VerdictLevel::explained);
    CHECK(verdict.errors.empty());
    CHECK(solver.textures().front().pixels == found.pixels);
    solver.write();
    const std::vector<float> after =
        own.render(camera(), {.samples = 256, .bounces = 2, .seed = 12}, {});
    double apart = 0;
    for (std::size_t i = 0; i < after.size(); ++i) {
        apart += std::abs(static_cast<double>(after[i]) - observation.image[i]) /
                 static_cast<double>(after.size());
    }
    CHECK(apart < 0.02);
}

TEST_CASE_METHOD(TextureFixture, "maps of one material are found together") {
    const auto glossy = [](std::shared_ptr<scene::Texture> color, std::size_t side,
                           std::vector<float> roughness) {
        color->wrap = scene::TextureWrap::extend;
        const auto rough = scene::texture(std::move(roughness), static_cast<std::uint32_t>(side),
                                          static_cast<std::uint32_t>(side), 1);
        rough->wrap = scene::TextureWrap::extend;
        scene::Scene scene = board(grey());
        scene.objects.front().materials = {
            scene::material("Board", scene::closure("principled", {{"base_color", std::move(color)},
                                                                   {"roughness", rough}}))};
        return scene;
    };
    const Observation observation = photo(glossy(image(), 2, {0.3F, 0.3F, 0.3F, 0.3F}));
    render::Renderer own = renderer(glossy(grey(), 2, {0.6F, 0.6F, 0.6F, 0.6F}));
    TextureFit solver(own, {observation},
                      {{.name = "Board.base_color"}, {.name = "Board.roughness"}}, settings(48));
    std::vector<double> losses;
    while (!solver.state().is_done) {
        solver.step();
        losses.push_back(solver.state().loss);
    }

    const std::vector<FittedTexture> found = solver.textures();
    REQUIRE(found.size() == 2);
    CHECK(losses.back() < 0.02 * losses.front());
    CHECK(mean_error(found[0], pattern()) < 0.03);
    CHECK((found[1].width == 2 && found[1].pixels.size() == 4));
    // One view of a board tells roughness by little: errors say so.
    for (const FittedTexture& map : found) {
        for (const float error : map.errors) {
            CHECK((error > 0 && error < 0.6F));
        }
    }
}

TEST_CASE_METHOD(TextureFixture,
                 "texels that no picture shows are filled, and their errors infinite") {
    const Observation observation = photo(board(image(), true));
    render::Renderer own = renderer(board(grey(), true));
    const FittedTexture found = fit(own, observation, settings());
    CHECK(mean_error(found, pattern()) < 0.02);
    std::size_t hidden = 0;
    for (std::size_t y = 0; y < kTexels; ++y) {
        CHECK(found.known[y * kTexels] == 1);
        const std::size_t last = y * kTexels + kTexels - 1;
        hidden += found.known[last] == 0 ? 1 : 0;
        CHECK(std::isinf(found.errors[3 * last]));
        // Rows that are alike fill it, and not grey, from which the fit has started.
        const std::size_t shown = y * kTexels + kTexels / 2 - 1;
        CHECK(std::abs(found.pixels[3 * last + 2] - found.pixels[3 * shown + 2]) < 0.2F);
    }
    CHECK(hidden == kTexels);
}

TEST_CASE_METHOD(TextureFixture, "equal seeds give equal textures, others do not") {
    const Observation observation = photo(board(image()));
    std::vector<FittedTexture> found;
    for (const std::uint64_t seed : {3U, 3U, 4U}) {
        render::Renderer own = renderer(board(grey()));
        FitSettings given = settings(10);
        given.seed = seed;
        found.push_back(fit(own, observation, given));
    }
    double same = 0;
    double other = 0;
    for (std::size_t i = 0; i < found[0].pixels.size(); ++i) {
        same = std::max(same, std::abs(double{found[0].pixels[i]} - found[1].pixels[i]));
        other = std::max(other, std::abs(double{found[0].pixels[i]} - found[2].pixels[i]));
    }
    CHECK(same < 1e-5); // the device adds gradients in any order
    CHECK(other > 1e-3);
}

TEST_CASE_METHOD(TextureFixture, "pixels that nothing explains lose their say in photos") {
    Observation sticker = photo(board(image()));
    // Stripes through all texels of the left half, one of four pixels wide.
    for (std::size_t pixel = 0; pixel < std::size_t{32} * 16; ++pixel) {
        const std::size_t at = pixel / 16 * 32 + pixel % 16;
        if (pixel % 4 == 1 && pixel / 16 % 4 == 1) {
            sticker.image[3 * at] = 4;
        }
    }
    render::Renderer first = renderer(board(grey()));
    const double squared = mean_error(fit(first, sticker, settings(40)), pattern());
    sticker.robust = true;
    render::Renderer second = renderer(board(grey()));
    const double robust = mean_error(fit(second, sticker, settings(40)), pattern());
    INFO("squared " << squared << ", robust " << robust);
    CHECK(robust < 0.5 * squared);
}

TEST_CASE_METHOD(TextureFixture, "gradients of texels are central differences of the loss") {
    render::Renderer own = renderer(board(grey()));
    const Observation observation = photo(board(image()));
    const auto light = find_light_parts(own, {&observation, 1}, {}, {});
    std::vector<ViewPart> parts;
    parts.push_back({.recorder = own.create_recorder({0}, {}, true, light.front().front().tables)});
    std::vector<View> views;
    views.emplace_back(observation, std::move(parts), own.start_media(observation.camera));
    const std::vector<TextureParameter> parameters{{.name = "Board.color"}};
    TextureReplay replay(own.film().modules()->context(), own.tables(), views, parameters,
                         {.bounces = 2, .seed = 5});
    replay.select_pixels();
    replay.draw(8);
    static_cast<void>(replay.replay());
    const std::vector<float> gradient = replay.kernels().download(*replay.gradient());
    replay.require_numbers();

    const double residuals = 3 * static_cast<double>(views.front().pixels().size());
    const std::vector<float> before = replay.kernels().download(*replay.state().texels());
    const auto loss_with = [&](std::size_t texel, float step) {
        std::vector<float> moved = before;
        moved[texel] += step;
        replay.state().return_to(replay.kernels().upload(moved));
        return replay.replay().loss * residuals;
    };
    // Of those that matter: what the loss changes by is a small difference of sums.
    std::vector<std::size_t> texels(gradient.size());
    std::iota(texels.begin(), texels.end(), std::size_t{0});
    std::ranges::sort(texels, std::greater<>(),
                      [&](std::size_t texel) { return std::abs(gradient[texel]); });
    constexpr float kStep = 0.02F;
    for (const std::size_t rank : {0U, 1U, 50U, 200U}) {
        const std::size_t texel = texels[rank];
        const double slope =
            (loss_with(texel, kStep) - loss_with(texel, -kStep)) / (2 * double{kStep});
        INFO("texel " << texel << ": " << gradient[texel] << " beside " << slope);
        CHECK(std::abs(slope) > 0.1);
        CHECK(gradient[texel] == Approx(slope).epsilon(5e-3));
    }
}

TEST_CASE_METHOD(TextureFixture, "an interrupted step leaves no trace") {
    const Observation observation = photo(board(image()));
    render::Renderer first = renderer(board(grey()));
    const FittedTexture whole = fit(first, observation, settings(8));
    render::Renderer second = renderer(board(grey()));
    int calls = 0;
    int limit = 3;
    TextureFit solver(second, {observation}, {{.name = "Board.color"}}, settings(8), [&] {
        if (++calls == limit) {
            limit *= 3;
            throw core::Interrupted();
        }
    });
    std::size_t interrupted = 0;
    while (!solver.state().is_done) {
        try {
            solver.step();
        } catch (const core::Interrupted&) {
            ++interrupted;
        }
    }
    CHECK(interrupted >= 2);
    const FittedTexture found = solver.textures().front();
    double apart = 0;
    for (std::size_t i = 0; i < found.pixels.size(); ++i) {
        apart = std::max(apart, std::abs(double{found.pixels[i]} - whole.pixels[i]));
    }
    CHECK(apart < 1e-5);
}

TEST_CASE_METHOD(TextureFixture, "textures that are none, or cannot be fitted, are refused") {
    CHECK_THAT(refusal({{.name = "Board.colour"}}),
               ContainsSubstring("no texture drives 'Board.colour'; textures drive Board.color"));
    CHECK_THAT(refusal({{.name = "Board.color"}, {.name = "Board.color"}}),
               ContainsSubstring("'Board.color' is given twice"));
    CHECK_THAT(refusal({{.name = "Board.color", .bounds = {1, 0.5}}}),
               ContainsSubstring("low < high, got 1 and 0.5"));
    CHECK_THAT(refusal({{.name = "Board.color", .smoothness = -1}}),
               ContainsSubstring("smoothness must be a finite number of at least 0, got -1"));
    CHECK_THAT(refusal({}), ContainsSubstring("nothing to find"));
    CHECK_THAT(refusal({{.name = "Board.color"}}, board(grey()), {.texture_iterations = 0}),
               ContainsSubstring("texture_iterations must be 1 or more"));
    auto levels = grey();
    levels->filter = scene::TextureFilter::mipmap;
    CHECK_THAT(refusal({{.name = "Board.color"}}, board(levels)), ContainsSubstring("has levels"));
    scene::Scene bumpy = board(grey());
    const auto map = grey();
    bumpy.objects.front().materials = {scene::material(
        "Board", scene::closure("diffuse",
                                {{"color", map}, {"normal", scene::normal_map({.color = map})}}))};
    CHECK_THAT(refusal({{.name = "Board.color"}}, bumpy), ContainsSubstring("drives a normal"));
    render::Renderer own = renderer(board(grey()));
    CHECK_THROWS_WITH(TextureFit(own, {}, {{.name = "Board.color"}}, {}),
                      ContainsSubstring("there is no observation"));
}

TEST_CASE_METHOD(TextureFixture, "a fit ends with the scene that it was made for") {
    const Observation observation = photo(board(image()));
    render::Renderer own = renderer(board(grey()));
    TextureFit solver(own, {observation}, {{.name = "Board.color"}}, settings(8));
    solver.step();
    own.update(board(image()));
    CHECK_THROWS_WITH(solver.step(), ContainsSubstring("renders another scene since update()"));
}

} // namespace
} // namespace weft::fit
