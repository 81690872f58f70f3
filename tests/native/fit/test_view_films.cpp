// SPDX-License-Identifier: Apache-2.0
// Films of a view on the device: linear in the texels of a light, and what a replay makes of them.
#include "fit/view_films.hpp"

#include "board_fixture.hpp"
#include "core/error.hpp"
#include "kernels_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace weft::fit {
namespace {

using namespace testing;

constexpr std::int64_t kSamples = 2;

/// A board that a texture beside it lights.
ModelDesc lit_by_texture(BoardFixture& fixture) {
    ModelDesc out{.scene = painted_board(image(), {0.7, 0.3, 0.2})};
    const auto glow = grey();
    glow->wrap = scene::TextureWrap::extend;
    out.scene.environment = nullptr;
    out.scene.objects.push_back(scene::object(
        {.mesh = render::testing::square(),
         .materials = {scene::material(
             "Glow", scene::closure("emission",
                                    {{"color", glow}, {"strength", 3.0}, {"both_sides", 1.0}}))},
         .transform = {0, 0, -0.3F, -1.2F, 0, 0.5F, 0, 0, 0.5F, 0, 0, 0.6F},
         .name = "glow"}));
    out.observations = {fixture.photo(out.scene)};
    out.textures = {{.name = "Glow.color", .bounds = {0, 4}, .is_light = true}};
    return out;
}

double along(const Floats& weights, const Floats& values) {
    return std::inner_product(weights.begin(), weights.end(), values.begin(), 0.0);
}

TEST_CASE_METHOD(BoardFixture, "pictures are linear in the texels of a light") {
    Models own(*this, lit_by_texture(*this));
    TextureReplay& replay = own.textures.replay();
    FitKernels& kernels = replay.kernels();
    replay.select_pixels();
    CHECK(own.views.front().pixels().size() == 32 * 32); // all tell of a light
    replay.draw(kSamples);
    ViewFilms films(own.views.front(), kernels);
    const Floats start = own.texels();
    const TextureRegion& region = replay.regions().front();
    const Floats change = noise(region.shape.size(), -0.2F, 0.2F, 3);
    Floats moved = start;
    for (std::size_t i = 0; i < change.size(); ++i) {
        moved[static_cast<std::size_t>(region.first) + i] += change[i];
    }
    const Floats weights = noise(6 * own.views.front().pixels().size(), -1, 1, 4);

    const Floats after = kernels.download(*films.replay(kernels.upload(moved), kSamples));
    const Floats before = kernels.download(*films.replay(kernels.upload(start), kSamples));
    const Floats collected = kernels.download(*replay.collect({{kernels.upload(weights)}}));
    replay.require_numbers();

    Floats steps(after.size());
    std::ranges::transform(after, before, steps.begin(), std::minus<>());
    const auto own_part =
        std::span(collected).subspan(static_cast<std::size_t>(region.first), change.size());
    const double expected = along(weights, steps);
    CHECK(std::abs(expected) > 0.01);
    CHECK(along(change, {own_part.begin(), own_part.end()}) == Approx(expected).epsilon(1e-3));
}

TEST_CASE_METHOD(BoardFixture, "the loss of a draw is the mean of what its films say") {
    Models own(*this, {.scene = painted_board(grey(), {0.7, 0.3, 0.2}),
                       .observations = {photo(painted_board(image(), {0.7, 0.3, 0.2}))}});
    TextureReplay& replay = own.textures.replay();
    FitKernels& kernels = replay.kernels();
    View& view = own.views.front();
    view.set_pixels({33, 40, 500, 900});
    replay.draw(kSamples);
    ViewFilms films(view, kernels);

    const Floats film = kernels.download(*films.replay(replay.state().texels(), kSamples));
    const LossOfDraw found = replay.replay();
    const Floats apart = replay.differences().front();

    REQUIRE((film.size() == 24 && apart.size() == 4));
    double loss = 0;
    Floats squares(4);
    for (std::size_t row = 0; row < 12; ++row) {
        const std::size_t at = 3 * std::size_t{view.pixels()[row / 3]} + row % 3;
        const double weight = view.weights()[at];
        const double truth = view.observation().image[at];
        const double a = (static_cast<double>(film[row]) - truth) * weight;
        const double b = (static_cast<double>(film[12 + row]) - truth) * weight;
        loss += a * b / 12;
        squares[row / 3] += static_cast<float>((a - b) * (a - b) / 3);
    }
    CHECK(found.loss == Approx(loss).epsilon(1e-4));
    check_near(apart, squares, 1e-5F);
    // What a view draws or weighs by is followed.
    view.set_trust(Floats(32 * 32, 0.25F));
    CHECK(replay.replay().loss == Approx(loss / 4).epsilon(1e-4));
    view.set_trust(Floats(32 * 32, 1.0F));
    view.set_pixels({33, 40});
    replay.draw(kSamples);
    static_cast<void>(replay.replay());
    CHECK(replay.differences().front().size() == 2);
}

TEST_CASE_METHOD(BoardFixture, "derivatives that are no numbers are left out, unless most are") {
    Models own(*this, {.scene = painted_board(grey(), {0.7, 0.3, 0.2}),
                       .observations = {photo(painted_board(image(), {0.7, 0.3, 0.2}))}});
    TextureReplay& replay = own.textures.replay();
    replay.draw(kSamples);
    static_cast<void>(replay.replay());
    const auto collected = [&](std::size_t bad) {
        Floats rows(6 * 32 * 32, 1.0F);
        std::fill_n(rows.begin() + 3 * 32 * 4, 3 * bad, std::numeric_limits<float>::infinity());
        return replay.kernels().download(*replay.collect(replay.upload({rows})));
    };

    const Floats clean = collected(0);
    replay.require_numbers();
    CHECK(replay.lost_texels() == 0);
    const Floats found = collected(3);
    replay.require_numbers();

    CHECK(replay.lost_texels() > 0);
    CHECK(std::ranges::all_of(found, [](float each) { return std::isfinite(each); }));
    CHECK(std::ranges::count(found, 0.0F) > std::ranges::count(clean, 0.0F));
    CHECK_THAT(replay.problems().back(), ContainsSubstring("Texture Board.color") &&
                                             ContainsSubstring("are no finite numbers"));
    static_cast<void>(collected(32 * 24));
    CHECK_THROWS_AS(replay.require_numbers(), core::NonFiniteError);
    // What was refused does not count for the next draw.
    static_cast<void>(collected(0));
    CHECK_NOTHROW(replay.require_numbers());
}

} // namespace
} // namespace weft::fit
