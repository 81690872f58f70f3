// SPDX-License-Identifier: Apache-2.0
// Numbers and textures in one step: beside textures alone, what both find, and states that go on.
#include "board_fixture.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace weft::fit {
namespace {

using namespace testing;

const scene::Numbers kPaint{0.7, 0.3, 0.2};
const scene::Numbers kGrey{0.5, 0.5, 0.5};
constexpr double kAtomics = 1e-5; ///< the device adds gradients in any order

struct JointFixture : BoardFixture {
    Observation painted = photo(painted_board(image(), kPaint));

    ModelDesc desc(const scene::Numbers& paint = kGrey) const {
        return {.scene = painted_board(grey(), paint), .observations = {painted}};
    }
};

/// Two maps of one material, which move together.
ModelDesc tied_desc(const Observation& observation) {
    ModelDesc out{.scene = painted_board(grey(), kPaint), .observations = {observation}};
    const auto color = grey();
    const auto roughness = scene::texture({0.4F, 0.5F, 0.6F, 0.7F}, 2, 2, 1);
    color->wrap = roughness->wrap = scene::TextureWrap::extend;
    out.scene.objects.front().materials = {scene::material(
        "Board", scene::closure("principled", {{"base_color", color}, {"roughness", roughness}}))};
    out.textures = {{.name = "Board.base_color"}, {.name = "Board.roughness"}};
    return out;
}

void check_same(const Vector& a, const Vector& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        CHECK(a[i] == Approx(b[i]).margin(kAtomics));
    }
}

TEST_CASE_METHOD(JointFixture,
                 "textures beside numbers that are fixed move as if they were alone") {
    Models alone(*this, desc(kPaint));
    Models beside(*this, desc(kPaint));
    beside.joint.numbers().start_at(beside.unknowns.start, {true, true, true});
    const std::vector<float> start = alone.texels();

    for (std::size_t iteration = 0; iteration < 6; ++iteration) {
        alone.step_textures(iteration, 6);
        beside.step_all(iteration, 6);
        CHECK(beside.textures.loss() == Approx(alone.textures.loss()).epsilon(1e-3));
        CHECK(beside.textures.noise() == Approx(alone.textures.noise()).epsilon(1e-3));
    }

    CHECK(largest_difference(alone.texels(), start) > 0.1);
    CHECK(largest_difference(alone.texels(), beside.texels()) < 1e-4);
    TextureReplay& first = alone.textures.replay();
    TextureReplay& second = beside.textures.replay();
    CHECK(second.state().averaged() == 3);
    CHECK(largest_difference(first.kernels().download(*first.state().found()),
                             second.kernels().download(*second.state().found())) < 1e-4);
    CHECK(beside.joint.numbers().x() == beside.unknowns.start);
    CHECK_FALSE(beside.joint.numbers().information());
}

TEST_CASE_METHOD(JointFixture, "numbers and a texture are found together") {
    Models own(*this, desc());

    for (std::size_t iteration = 0; iteration < 24; ++iteration) {
        own.step_all(iteration, 24);
    }

    const Vector& x = own.joint.numbers().x();
    for (std::size_t channel = 0; channel < 3; ++channel) {
        CHECK(own.unknowns.values(x)[channel] == Approx(kPaint[channel]).margin(0.02));
    }
    const FittedTexture found = own.textures.result().front();
    double sum = 0;
    for (std::size_t i = 0; i < found.pixels.size(); ++i) {
        const bool is_known = found.known[i / 3] > 0;
        sum += is_known ? std::abs(static_cast<double>(found.pixels[i] - pattern()[i])) : 0.0;
    }
    CHECK(sum / static_cast<double>(found.pixels.size()) < 0.02);
    REQUIRE(own.joint.numbers().information());
    CHECK(own.joint.residuals().a.size() == 3 * own.views.front().pixels().size());
}

TEST_CASE_METHOD(JointFixture, "a joint fit goes on from what was saved") {
    Models whole(*this, desc());
    Models resumed(*this, desc());
    for (const std::size_t saved_at : {2U, 5U, 7U}) {
        for (std::size_t iteration = 0; iteration < saved_at; ++iteration) {
            whole.step_all(iteration, 9);
        }
        resumed.views.front().restore(whole.views.front().state());
        resumed.scalars.set_iterations(whole.scalars.iterations());
        resumed.textures.restore(whole.textures.save());
        resumed.joint.restore(whole.joint.save());
        CHECK(whole.textures.losses() == resumed.textures.losses());

        for (std::size_t iteration = saved_at; iteration < saved_at + 2; ++iteration) {
            whole.step_all(iteration, 9);
            resumed.step_all(iteration, 9);
            CHECK(whole.textures.loss() == Approx(resumed.textures.loss()).epsilon(1e-4));
        }

        CHECK(largest_difference(whole.texels(), resumed.texels()) < kAtomics);
        check_same(whole.joint.numbers().x(), resumed.joint.numbers().x());
        CHECK(whole.joint.numbers().averaged() == resumed.joint.numbers().averaged());
        CHECK(whole.joint.numbers().information().has_value() ==
              resumed.joint.numbers().information().has_value());
    }
}

TEST_CASE_METHOD(JointFixture, "a saved joint model that does not fit is refused") {
    Models own(*this, desc());
    own.step_all(0, 8);
    SavedArrays saved = own.joint.save();
    SavedArrays without = saved;
    without.arrays.erase("cross");
    auto& cross = std::get<std::vector<float>>(saved.arrays.at("cross").values);
    REQUIRE(cross.size() == 3 * own.texels().size());
    cross.pop_back();
    SavedArrays fewer = own.joint.save(); // of two unknowns
    std::get<std::vector<float>>(fewer.arrays.at("cross").values).resize(2 * own.texels().size());

    CHECK_THROWS_AS(own.joint.restore(saved), core::ArgumentError);
    CHECK_THROWS_AS(own.joint.restore(fewer), core::ArgumentError);
    CHECK_THROWS_AS(own.joint.restore(without), core::ArgumentError);
}

TEST_CASE_METHOD(JointFixture, "saved textures that do not fit change nothing") {
    Models own(*this, tied_desc(painted));
    own.step_textures(0, 10);
    const SavedArrays before = own.textures.save();
    own.step_textures(1, 10);
    const SavedArrays latest = own.textures.save();
    SavedArrays damaged = before;
    std::get<std::vector<float>>(damaged.arrays.at("velocity").values).pop_back();

    CHECK_THROWS_AS(own.textures.restore(damaged), core::ArgumentError);

    const auto tied = [](const SavedArrays& saved, const char* name) {
        return saved.part("tied.0").doubles(name);
    };
    REQUIRE(tied(before, "mean") != tied(latest, "mean"));
    for (const char* const name : {"mean", "covariance", "blocks", "views"}) {
        CHECK(tied(own.textures.save(), name) == tied(latest, name));
    }
    CHECK(own.textures.save().floats("texels") == latest.floats("texels"));
}

TEST_CASE_METHOD(JointFixture, "a fit of textures goes on from what was saved, tied or not") {
    for (const bool is_tied : {false, true}) {
        INFO((is_tied ? "tied" : "alone"));
        Models whole(*this, is_tied ? tied_desc(painted) : desc(kPaint));
        Models resumed(*this, is_tied ? tied_desc(painted) : desc(kPaint));
        REQUIRE(whole.textures.has_tied() == is_tied);
        const std::vector<float> start = whole.texels();
        for (std::size_t iteration = 0; iteration < 8; ++iteration) {
            whole.step_textures(iteration, 10);
        }
        resumed.views.front().restore(whole.views.front().state());
        resumed.textures.restore(whole.textures.save());
        CHECK(whole.texels() == resumed.texels());
        CHECK(whole.textures.losses() == resumed.textures.losses());
        CHECK(whole.textures.noise() == resumed.textures.noise());

        for (std::size_t iteration = 8; iteration < 10; ++iteration) {
            whole.step_textures(iteration, 10);
            resumed.step_textures(iteration, 10);
        }

        CHECK(largest_difference(whole.texels(), resumed.texels()) < kAtomics);
        CHECK(largest_difference(whole.texels(), start) > 0.05);
        const FittedTexture first = whole.textures.result().front();
        const FittedTexture second = resumed.textures.result().front();
        CHECK(largest_difference(first.pixels, second.pixels) < kAtomics);
        CHECK(first.known == second.known);
    }
}

TEST_CASE_METHOD(JointFixture,
                 "a view that is mostly no numbers ends a fit, and a few pixels do not") {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const std::vector<float> none(pattern().size(), kInfinity);
    std::vector<float> few = pattern();
    std::fill_n(few.begin(), 3, kInfinity);
    {
        Models own(*this, desc());
        TextureReplay& replay = own.textures.replay();
        replay.draw(2);
        replay.state().return_to(replay.kernels().upload(few));
        CHECK(std::isfinite(replay.replay().loss));
        CHECK(own.views.front().lost_count() > 0);
        CHECK(own.views.front().lost_count() < 100);
        CHECK_THAT(replay.problems().front(), ContainsSubstring("Picture 'photo'"));
        replay.state().return_to(replay.kernels().upload(none));
        CHECK_THROWS_AS(replay.replay(), core::NonFiniteError);
    }
    Models own(*this, desc());
    own.scalars.draw(own.unknowns.start);
    FitKernels& kernels = own.textures.replay().kernels();
    const ResidualPair found = own.scalars.residuals(own.unknowns.start, kernels.upload(few));
    CHECK(own.views.front().lost_count() > 0);
    for (const auto& half : {found.a, found.b}) {
        CHECK(std::ranges::all_of(half, [](float each) { return std::isfinite(each); }));
    }
    CHECK_THROWS_WITH(own.scalars.linearize(own.unknowns.start, kernels.upload(none)),
                      ContainsSubstring("pixels of picture 'photo' are no finite numbers"));
}

} // namespace
} // namespace weft::fit
