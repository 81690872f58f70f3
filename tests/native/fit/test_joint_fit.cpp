// SPDX-License-Identifier: Apache-2.0
// Fits of numbers together with textures: what is found, phases, photos, interrupts, and what is refused.
#include "core/error.hpp"
#include "core/interrupt_poll.hpp"
#include "fit/joint_fit.hpp"
#include "fit/shown_pixels.hpp"
#include "joint_scene.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace weft::fit {
namespace {

using testing::board_over_floor;
using testing::JointFixture;
using testing::kPictureSide;
using testing::mean_error;
using testing::start_scene;
using testing::Truth;
using testing::waves;

/// A colour of the floor, a number of the material that has the texture, a light, and the texture.
Sought all() {
    return {.parameters = {{.name = "Floor.base_color"}, {.name = "Board.roughness"}},
            .lights = {{.light = "key"}},
            .textures = {{.name = "Board.base_color", .smoothness = 0}}};
}

FitSettings fit_settings(std::size_t texture_iterations = 64) {
    return {.bounces = 2, .seed = 5, .texture_iterations = texture_iterations};
}

const FittedValue& value(const FitState& state, const std::string& name) {
    const auto found = std::ranges::find(state.values, name, &FittedValue::name);
    REQUIRE(found != state.values.end());
    return *found;
}

/// How far texels of two fits are apart, at most.
double apart(const FittedTexture& one, const FittedTexture& other) {
    double out = 0;
    for (std::size_t i = 0; i < one.pixels.size(); ++i) {
        out = std::max(out, std::abs(static_cast<double>(one.pixels[i]) -
                                     static_cast<double>(other.pixels[i])));
    }
    return out;
}

double apart(const FitState& one, const FitState& other) {
    double out = 0;
    for (std::size_t number = 0; number < one.values.size(); ++number) {
        for (std::size_t i = 0; i < one.values[number].value.size(); ++i) {
            out = std::max(out,
                           std::abs(one.values[number].value[i] - other.values[number].value[i]));
        }
    }
    return out;
}

void run(JointFit& fit) {
    while (!fit.state().is_done) {
        fit.step();
    }
}

TEST_CASE_METHOD(JointFixture, "a texture, numbers and a light are found together") {
    const Truth truth{.lamp = 1.5};
    const Observation observation = photo(board_over_floor(truth));
    render::Renderer own = renderer(start_scene());
    JointFit solver(own, {observation}, all(), fit_settings());
    CHECK(solver.state().progress == 0);
    CHECK(solver.state().phase.empty());
    std::vector<std::string> phases;
    double progress = 0;
    while (!solver.state().is_done) {
        solver.step();
        const FitState state = solver.state();
        CHECK(state.progress >= progress);
        CHECK((state.progress < 1 || state.is_done));
        progress = state.progress;
        if (phases.empty() || phases.back() != state.phase) {
            phases.push_back(state.phase);
        }
    }
    CHECK(phases == std::vector<std::string>{"scalars", "textures", "scalars 2", "textures 2",
                                             "scalars 3", "textures 3", "polish"});
    const FitState state = solver.state();
    CHECK(state.has_converged);
    CHECK(state.progress == 1);
    CHECK(state.seconds_left == 0);
    CHECK(state.problems.empty());
    CHECK(std::abs(state.loss) < 1e-3);
    REQUIRE(state.values.size() == 3);
    const std::vector<std::pair<std::string, Vector>> expected{
        {"Floor.base_color", {truth.color.begin(), truth.color.end()}},
        {"Board.roughness", {truth.roughness}},
        {"key.factor", {truth.lamp}}};
    for (const auto& [name, right] : expected) {
        const FittedValue& found = value(state, name);
        for (std::size_t i = 0; i < right.size(); ++i) {
            INFO(name << ' ' << i << ": " << found.value[i] << " +- " << found.error[i]);
            CHECK(std::abs(found.value[i] - right[i]) < 4 * found.error[i]);
            CHECK(std::abs(found.value[i] - right[i]) < 0.03);
            CHECK((found.error[i] > 1e-5 && found.error[i] < 0.03));
        }
    }
    const FittedTexture texture = solver.textures().front();
    INFO("texels are off by " << mean_error(texture, waves()));
    CHECK(texture.name == "Board.base_color");
    CHECK(mean_error(texture, waves()) < 0.012);
    CHECK(told_share(texture) > 0.95);

    const Verdict verdict = solver.judge();
    INFO(describe(verdict));
    CHECK(verdict.level == VerdictLevel::explained);
    CHECK(verdict.errors.size() == 3);
    solver.write();
    const std::vector<float> after =
        own.render(testing::camera_over_board(), {.samples = 256, .bounces = 2, .seed = 12}, {});
    CHECK(after.size() == observation.image.size());
}

TEST_CASE_METHOD(JointFixture, "numbers that only the texture's pixels tell move with it") {
    const Observation observation = photo(board_over_floor({}, 1.4));
    render::Renderer own = renderer(start_scene(1.4));
    JointFit solver(own, {observation},
                    {.parameters = {{.name = "Board.roughness"}},
                     .textures = {{.name = "Board.base_color", .smoothness = 0}}},
                    fit_settings());
    solver.step();
    CHECK(solver.state().phase == "textures");
    run(solver);
    const FitState state = solver.state();
    CHECK(state.phase == "textures"); // to the end: nothing is fixed that would be polished
    CHECK((state.iterations >= 64 && state.iterations <= 128));
    const FittedValue& roughness = state.values.front();
    INFO(roughness.value[0] << " +- " << roughness.error[0]);
    CHECK(std::abs(roughness.value[0] - 0.3) < 4 * roughness.error[0]);
    CHECK(roughness.error[0] < 0.03);
    CHECK(mean_error(solver.textures().front(), waves()) < 0.02);
}

TEST_CASE_METHOD(JointFixture, "judging and writing between steps leave no trace") {
    const Observation observation = photo(board_over_floor({}));
    std::vector<FitState> states;
    std::vector<FittedTexture> textures;
    for (const bool is_judged : {false, true}) {
        render::Renderer own = renderer(start_scene());
        JointFit solver(own, {observation}, all(), fit_settings(8));
        while (!solver.state().is_done) {
            solver.step();
            if (is_judged && solver.state().iterations % 5 == 0) {
                static_cast<void>(solver.judge());
                solver.write();
            }
        }
        states.push_back(solver.state());
        textures.push_back(solver.textures().front());
    }
    CHECK(states[0].iterations == states[1].iterations);
    CHECK(apart(states[0], states[1]) < 1e-5); // the device adds gradients in any order
    CHECK(apart(textures[0], textures[1]) < 1e-5);
}

TEST_CASE_METHOD(JointFixture, "an interrupted step leaves a joint fit as it was") {
    const Observation observation = photo(board_over_floor({}));
    render::Renderer first = renderer(start_scene());
    JointFit whole(first, {observation}, all(), fit_settings(8));
    run(whole);
    render::Renderer second = renderer(start_scene());
    int calls = 0;
    int limit = 2;
    JointFit solver(second, {observation}, all(), fit_settings(8), [&] {
        if (++calls >= limit) {
            calls = 0;
            limit += 7;
            throw core::Interrupted();
        }
    });
    std::set<std::string> interrupted;
    while (!solver.state().is_done) {
        const FitState before = solver.state();
        try {
            solver.step();
        } catch (const core::Interrupted&) {
            interrupted.insert(before.phase);
            const FitState after = solver.state();
            CHECK(after.iterations == before.iterations);
            // A beginning that came to its end stays, with the loss of its first draw.
            CHECK((after.loss == before.loss || std::isinf(before.loss)));
            CHECK(apart(before, after) == 0);
        }
    }
    CHECK(interrupted.contains(""));
    CHECK(interrupted.size() >= 3);
    CHECK(solver.state().iterations == whole.state().iterations);
    CHECK(apart(solver.state(), whole.state()) < 1e-5);
    CHECK(apart(solver.textures().front(), whole.textures().front()) < 1e-5);
}

TEST_CASE_METHOD(JointFixture, "pixels that nothing explains lose their say, for numbers as well") {
    Observation sticker = photo(board_over_floor({}));
    for (std::size_t pixel = 0; pixel < sticker.image.size() / 3; ++pixel) {
        const std::size_t x = pixel % static_cast<std::size_t>(kPictureSide);
        const std::size_t y = pixel / static_cast<std::size_t>(kPictureSide);
        // Over floor and board.
        if (x % 6 == 1 && y % 6 == 1) {
            sticker.image[3 * pixel + 1] = 2;
        }
    }
    std::array<double, 2> of_texels{};
    std::array<double, 2> of_floor{};
    for (const bool is_robust : {false, true}) {
        sticker.robust = is_robust;
        render::Renderer own = renderer(start_scene());
        JointFit solver(own, {sticker}, all(), fit_settings());
        run(solver);
        of_texels.at(is_robust) = mean_error(solver.textures().front(), waves());
        of_floor.at(is_robust) =
            std::abs(value(solver.state(), "Floor.base_color").value[1] - 0.35);
    }
    INFO("texels " << of_texels[0] << ", robust " << of_texels[1] << "; floor " << of_floor[0]
                   << ", robust " << of_floor[1]);
    CHECK(of_texels[1] < 0.7 * of_texels[0]);
    CHECK(of_texels[1] < 0.02);
    CHECK(of_floor[1] < 0.5 * of_floor[0]);
}

TEST_CASE_METHOD(JointFixture, "pixels that show a material, and those around them") {
    render::Renderer own = renderer(start_scene(0.5));
    const std::array<std::uint32_t, 1> board{1};
    const std::vector<bool> shown = find_shown(own, testing::camera_over_board(), board);
    REQUIRE(shown.size() == static_cast<std::size_t>(kPictureSide * kPictureSide));
    // The board covers pixels 9 to 18 of 28 in each direction; two more count on each side.
    for (std::size_t pixel = 0; pixel < shown.size(); ++pixel) {
        const std::size_t x = pixel % 28;
        const std::size_t y = pixel / 28;
        const bool is_near = x >= 7 && x <= 20 && y >= 7 && y <= 20;
        CHECK(shown[pixel] == is_near);
    }
}

TEST_CASE_METHOD(JointFixture, "what cannot be found together is refused") {
    render::Renderer own = renderer(start_scene());
    const Observation grey{.camera = testing::camera_over_board(),
                           .image = std::vector<float>(std::size_t{28} * 28 * 3, 0.5F)};
    const auto refusal = [&](const Sought& sought) -> std::string {
        try {
            const JointFit solver(own, {grey}, sought, {});
        } catch (const core::ArgumentError& error) {
            return error.what();
        }
        return "no error";
    };
    Sought sought = all();
    sought.textures.clear();
    CHECK_THAT(refusal(sought), ContainsSubstring("at least one texture and one number"));
    CHECK_THAT(refusal({.textures = all().textures}),
               ContainsSubstring("at least one texture and one number"));
    sought = all();
    sought.textures.front().name = "Board.colour";
    CHECK_THAT(refusal(sought), ContainsSubstring("no texture drives 'Board.colour'"));
    sought = all();
    sought.parameters.front().name = "Floor.colour";
    CHECK_THAT(refusal(sought), ContainsSubstring("Floor.colour"));
    sought = all();
    sought.lights.front().light = "kay";
    CHECK_THAT(refusal(sought), ContainsSubstring("kay"));
    JointFit solver(own, {grey}, all(), fit_settings(8));
    own.update(start_scene());
    CHECK_THROWS_WITH(solver.step(), ContainsSubstring("renders another scene since update()"));
}

} // namespace
} // namespace weft::fit
