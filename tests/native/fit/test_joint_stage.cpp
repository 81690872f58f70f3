// SPDX-License-Identifier: Apache-2.0
// What phases of a fit of numbers and textures hand on to each other.
#include "fit/joint_stage.hpp"
#include "fit/scalar_pass.hpp"
#include "fit/scene_parts.hpp"
#include "fit/texture_pass.hpp"
#include "joint_scene.hpp"

namespace weft::fit {
namespace {

using testing::board_over_floor;
using testing::JointFixture;
using testing::start_scene;

Sought colour_and_texture() {
    return {.parameters = {{.name = "Floor.base_color"}},
            .textures = {{.name = "Board.base_color", .smoothness = 0}}};
}

struct StageFixture : JointFixture {
    Observation observation = photo(board_over_floor({}));
    render::Renderer own = renderer(start_scene());
    FitSettings settings{.bounces = 2, .seed = 5, .max_iterations = 40, .texture_iterations = 8};
    SceneFit::Parts parts{own, {observation}, colour_and_texture(), settings, {}};

    JointStage stage() {
        parts.make_models(colour_and_texture());
        return {*parts.scalars, *parts.textures, settings, [this] { return parts.find_shown(); }};
    }
};

TEST_CASE_METHOD(StageFixture, "textures begin beside the best numbers while others are tried") {
    JointStage stage = this->stage();
    while (stage.solver.best() == nullptr) {
        stage.step();
    }
    const Candidate best = *stage.solver.best();
    // Another start is under way, of which nothing is known yet.
    SavedArrays saved = stage.solver.save();
    std::vector<std::size_t> counts = saved.counts("counts");
    counts[2] = 0;
    saved.arrays.erase("counts");
    saved.arrays.erase("x");
    saved.add_counts("counts", counts);
    saved.add("x", stage.unknowns.low);
    stage.solver.restore(saved);
    REQUIRE(stage.best_candidate() != nullptr);
    CHECK(stage.x() == best.x);

    ScalarPass numbers(stage, 0);
    numbers.end();
    TexturePass(stage, 0).begin();

    std::size_t known = 0;
    for (std::size_t i = 0; i < best.x.size(); ++i) {
        if (best.errors[i] <= 0.1 * (stage.unknowns.high[i] - stage.unknowns.low[i])) {
            ++known;
            CHECK(stage.model.numbers().x()[i] == best.x[i]);
        }
    }
    CHECK(known > 0);
}

TEST_CASE_METHOD(StageFixture, "no start begins that the first numbers could not end") {
    const JointStage stage = this->stage();
    // Twenty draws, eight for another start, four averaged after it.
    CHECK(stage.solver.attempts().may_go_on(8));
    CHECK_FALSE(stage.solver.attempts().may_go_on(9));
}

TEST_CASE("of fixed numbers what scalar passes say is kept") {
    Information joint;
    joint.matrix = joint.covariance = Matrix(2, 2);
    joint.covariance(0, 0) = joint.covariance(1, 1) = 4;
    joint.covariance(0, 1) = joint.covariance(1, 0) = 1;
    joint.lost = Matrix(2, 1);
    joint.lost(0, 0) = 1;
    joint.drawn_fraction = {0.5, 0.5};
    joint.is_silent = {true, false};
    Information alone = joint;
    alone.covariance(0, 0) = 9;
    alone.is_silent = {false, true};

    const Information merged = merge_information(joint, alone, {true, false});

    CHECK(merged.covariance.values == std::vector<double>{9, 0, 0, 4});
    CHECK(merged.lost(0, 0) == 0);
    CHECK(merged.drawn_fraction.empty());
    CHECK(merged.is_silent == std::vector<bool>{false, false});
}

} // namespace
} // namespace weft::fit
