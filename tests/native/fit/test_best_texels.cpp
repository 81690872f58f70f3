// SPDX-License-Identifier: Apache-2.0
// A fit of textures returns to the best ones it has seen where later steps raise the loss.
#include "fit/best_texels.hpp"

#include "board_fixture.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace weft::fit {
namespace {

using namespace testing;

constexpr std::size_t kIterations = 48; ///< windows of six

/// Numbers between two ends, both among them.
std::vector<double> line(double first, double last, std::size_t count) {
    std::vector<double> out;
    for (std::size_t i = 0; i < count; ++i) {
        out.push_back(first +
                      (last - first) * static_cast<double>(i) / static_cast<double>(count - 1));
    }
    return out;
}

/// Texels whose loss is what a test says, with a little noise.
struct BestFixture : BoardFixture {
    Models models{*this,
                  {.scene = painted_board(grey(), {0.5, 0.5, 0.5}),
                   .observations = {photo(painted_board(image(), {0.7, 0.3, 0.2}))}}};
    TextureModel& model = models.textures;
    std::mt19937 random{3};
    double noise = 1e-4; ///< of a draw
    int made = 0;

    /// After a step, texels are its number.
    void step(double loss) {
        std::normal_distribution<double> normal;
        ++made;
        TextureReplay& replay = model.replay();
        replay.state().return_to(replay.kernels().upload(
            std::vector<float>(models.texels().size(), static_cast<float>(made))));
        model.note_loss({.loss = loss + 1e-5 * normal(random), .noise = noise});
    }
    /// How often texels returned.
    int run(BestTexels& best, const std::vector<double>& losses) {
        int returned = 0;
        for (const double loss : losses) {
            step(loss);
            returned += best.note() ? 1 : 0;
        }
        return returned;
    }
    [[nodiscard]] float value() {
        const std::vector<float> texels = models.texels();
        CHECK(std::ranges::count(texels, texels.front()) == std::ssize(texels));
        return texels.front();
    }
};

TEST_CASE_METHOD(BestFixture, "the noise floor follows the noise of a draw and its pixels") {
    CHECK(std::isinf(model.noise_floor()));
    CHECK(std::isinf(model.loss()));
    noise = 0.18;
    step(1);

    CHECK(model.noise_floor() == Approx(2 * 0.18 / 32)); // of 32 x 32 pixels
}

TEST_CASE_METHOD(BestFixture, "texels return where the loss has risen") {
    BestTexels best(model, kIterations);
    CHECK(run(best, line(1, 0.1, 12)) == 0);
    model.average();

    // The fourth window is worse than the second by more than its own spread.
    CHECK(run(best, std::vector<double>(5, 3.0)) == 0);
    CHECK(value() == 17);
    CHECK(run(best, {3.0}) == 1);
    CHECK(value() == 12);
    CHECK(model.replay().state().averaged() == 0);
    // Windows begin anew after a return.
    CHECK(run(best, std::vector<double>(5, 3.0)) == 0);
    CHECK(run(best, {3.0}) == 1);
    CHECK(value() == 12);
}

TEST_CASE_METHOD(BestFixture, "a rise that is slow is seen when it is a large share") {
    BestTexels best(model, kIterations);
    std::vector<bool> returned;
    std::vector<double> losses = line(1, 0.1, 12);
    const std::vector<double> rising = line(0.2, 3, 12);
    losses.insert(losses.end(), rising.begin(), rising.end());
    for (const double loss : losses) {
        step(loss);
        returned.push_back(best.note());
    }

    CHECK(std::ranges::find(returned, true) - returned.begin() == 23);
    CHECK(value() == 12);
}

TEST_CASE_METHOD(BestFixture, "texels whose loss falls or stays are left alone") {
    for (const std::vector<double>& losses : {line(1, 0.1, 48), std::vector<double>(48, 0.1)}) {
        BestTexels best(model, kIterations);

        CHECK(run(best, losses) == 0);
        CHECK(value() == static_cast<float>(made));
    }
}

TEST_CASE_METHOD(BestFixture, "noise is no rise") {
    BestTexels best(model, kIterations);
    noise = 1;
    std::normal_distribution<double> normal;
    std::mt19937 own(5);
    std::vector<double> losses(480);
    std::ranges::generate(losses, [&] { return 0.2 * normal(own); });

    CHECK(run(best, losses) <= 1);
}

TEST_CASE_METHOD(BestFixture, "numbers that move with the textures return with them") {
    JointNumbers& numbers = models.joint.numbers();
    BestTexels best(model, kIterations, &numbers);
    std::vector<double> losses = line(1, 0.1, 12);
    losses.insert(losses.end(), 6, 3.0);
    for (const double loss : losses) {
        step(loss);
        const double place = 0.01 * made;
        numbers.start_at(Vector{place, place, place}, {false, false, false});
        static_cast<void>(best.note());
    }

    CHECK(numbers.x() == Vector{0.12, 0.12, 0.12});
    CHECK(value() == 12);
}

TEST_CASE_METHOD(BestFixture, "what was seen outlives a checkpoint") {
    JointNumbers& numbers = models.joint.numbers();
    BestTexels best(model, kIterations, &numbers);
    BestTexels other(model, kIterations, &numbers);
    other.restore(best.save());
    numbers.start_at(Vector{0.3, 0.3, 0.3}, {false, false, false});
    CHECK(run(best, line(1, 0.1, 12)) == 0);
    numbers.start_at(Vector{0.6, 0.6, 0.6}, {false, false, false});

    other.restore(best.save());

    CHECK(run(other, std::vector<double>(6, 3.0)) == 1);
    CHECK(value() == 12);
    CHECK(numbers.x() == Vector{0.3, 0.3, 0.3});
}

TEST_CASE_METHOD(BestFixture, "what was seen before pixels counted otherwise does not count") {
    BestTexels best(model, kIterations);
    CHECK(run(best, std::vector<double>(12, 0.1)) == 0);
    best.restart();

    CHECK(run(best, std::vector<double>(12, 3.0)) == 0);
}

TEST_CASE_METHOD(BestFixture, "saved texels that do not fit are refused") {
    BestTexels best(model, kIterations);
    CHECK(run(best, line(1, 0.1, 12)) == 0);
    SavedArrays few = best.save();
    std::get<std::vector<float>>(few.arrays.at("texels").values).pop_back();
    SavedArrays without = best.save();
    without.arrays.erase("best");
    SavedArrays numbers = best.save();
    numbers.add("x", {0.5});

    CHECK_THROWS_AS(best.restore(few), core::ArgumentError);
    CHECK_THROWS_AS(best.restore(without), core::ArgumentError);
    CHECK_THROWS_AS(best.restore(numbers), core::ArgumentError); // none move with these textures
}

} // namespace
} // namespace weft::fit
