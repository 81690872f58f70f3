// SPDX-License-Identifier: Apache-2.0
// Steps of maps on the device, beside the same in plain loops; curvature, products, and states that come back.
#include "fit/texel_state.hpp"

#include "core/error.hpp"
#include "fit/quantiles.hpp"
#include "fit/texel_image.hpp"
#include "kernels_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <vector>

namespace weft::fit {
namespace {

using namespace testing;

constexpr std::size_t kBefore = 5; ///< texels of another texture, which come first
constexpr double kLeastCurvature = 0.2;

TextureRegion region_of(const ImageShape& shape, std::size_t first) {
    return {.parameter = {.name = "m.color", .bounds = {0.1, 0.9}, .smoothness = 0.3},
            .first = static_cast<std::int64_t>(first),
            .shape = shape};
}

/// All that a state keeps of the texels, by name.
using Arrays = std::map<std::string, Floats>;

Arrays arrays_of(const SavedArrays& saved) {
    Arrays out;
    for (const char* name : {"texels", "mean", "curved", "shown", "velocity"}) {
        out[name] = saved.floats(name);
    }
    return out;
}

SavedArrays saved_of(const Arrays& arrays, const std::vector<double>& counts = {0, 0}) {
    SavedArrays out;
    for (const auto& [name, values] : arrays) {
        out.arrays[name] = SavedArray{{values.size()}, values};
    }
    out.add("counts", counts);
    return out;
}

/// Texels that move; a fraction of them is hidden.
Arrays moving(std::size_t count, float hidden) {
    Arrays out{{"texels", noise(count, 0.1F, 0.9F, 1)},
               {"velocity", noise(count, -0.03F, 0.03F, 2)},
               {"curved", noise(count, -0.5F, 4, 3)},
               {"mean", Floats(count)}};
    const Floats draws = noise(count, 0, 1, 4);
    for (std::size_t i = kBefore; i < count; ++i) {
        out["curved"][i] = draws[i] < hidden ? 0.0F : out["curved"][i];
        out["velocity"][i] = hidden < 1 ? out["velocity"][i] : 0.0F;
    }
    out["shown"] = out["curved"];
    for (float& each : out["shown"]) {
        each = std::abs(each);
    }
    return out;
}

/// Those of the map.
Floats own_of(const Floats& values) {
    return {values.begin() + static_cast<std::ptrdiff_t>(kBefore), values.end()};
}

struct PlainStep {
    Floats moved;
    Floats speed;
    std::vector<bool> known;
    Floats divisor;
};

/// What the texels resist with, and which are known: mean curvature and its magnitude over squares.
PlainStep plain_resistance(const Arrays& arrays, const ImageShape& shape, int blur, double& prior) {
    const Floats sums = plain_blurred(own_of(arrays.at("curved")), shape, blur);
    const Floats marks = plain_blurred(own_of(arrays.at("shown")), shape, blur);
    PlainStep out;
    out.known = find_known(std::vector<double>(marks.begin(), marks.end()));
    double total = 0;
    double count = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        total += out.known[i] ? static_cast<double>(sums[i]) : 0.0;
        count += out.known[i] ? 1 : 0;
    }
    const double mean = count > 0 ? std::max(total / count, 0.0) : 0.0;
    prior = 0.3 * mean;
    for (const float sum : sums) {
        out.divisor.push_back(static_cast<float>(
            std::max(static_cast<double>(sum), kLeastCurvature * mean) + 4 * prior + 1e-20));
    }
    return out;
}

PlainStep plain_step(const Arrays& arrays, const Floats& gradient, const ImageShape& shape,
                     const StepSchedule& schedule) {
    const int blur = static_cast<int>(schedule.blur);
    double prior = 0;
    PlainStep out = plain_resistance(arrays, shape, blur, prior);
    const Floats image = own_of(arrays.at("texels"));
    const Floats velocity = own_of(arrays.at("velocity"));
    const Floats slope = plain_blurred(own_of(gradient), shape, blur);
    const std::vector<double> values(image.begin(), image.end());
    const TexelImage variation = variation_derivative({shape, values}, kEdge);
    for (std::size_t i = 0; i < image.size(); ++i) {
        const double down = static_cast<double>(slope[i]) + prior * kEdge * variation.values[i];
        const double step =
            out.known[i] ? schedule.rate * down / static_cast<double>(out.divisor[i]) : 0.0;
        const double moved = std::clamp(
            values[i] + schedule.momentum * static_cast<double>(velocity[i]) - step, 0.1, 0.9);
        out.moved.push_back(static_cast<float>(moved));
        out.speed.push_back(static_cast<float>(moved - values[i]));
    }
    return out;
}

struct StateFixture : KernelsFixture {
    /// Makes one step, and compares it with a plain one.
    void check_step(const ImageShape& shape, std::int64_t blur, float hidden) {
        const Arrays arrays = moving(kBefore + shape.size(), hidden);
        const Floats gradient = noise(kBefore + shape.size(), -2, 2, 5);
        const TextureRegion region = region_of(shape, kBefore);
        const StepSchedule schedule{.blur = blur, .rate = 0.7, .momentum = 0.5};
        TexelState state(images, upload(arrays.at("texels")));
        state.restore(saved_of(arrays));

        state.move(region, upload(gradient), schedule);
        state.average();

        const PlainStep expected = plain_step(arrays, gradient, shape, schedule);
        const Arrays found = arrays_of(state.save());
        check_near(own_of(found.at("texels")), expected.moved, 2e-5F);
        check_near(own_of(found.at("velocity")), expected.speed, 2e-5F);
        CHECK(found.at("mean") == found.at("texels"));
        CHECK(std::equal(arrays.at("texels").begin(), arrays.at("texels").begin() + kBefore,
                         found.at("texels").begin()));
        check_preconditioner(state.preconditioner(region, blur), expected);
    }

    void check_preconditioner(const Preconditioner& found, const PlainStep& expected) {
        const Floats divisor = read(found.divisor);
        REQUIRE(divisor.size() == expected.divisor.size());
        for (std::size_t i = 0; i < divisor.size(); ++i) {
            REQUIRE((divisor[i] > 0) == expected.known[i]);
            REQUIRE(std::abs(divisor[i]) == Approx(expected.divisor[i]).epsilon(1e-4));
        }
        CHECK(read(found.sums).front() ==
              static_cast<float>(std::ranges::count(expected.known, true)));
    }
};

TEST_CASE_METHOD(StateFixture, "steps of maps are those of plain loops") {
    for (const ImageShape& shape : {ImageShape{.height = 1, .width = 1, .channels = 1},
                                    ImageShape{.height = 1, .width = 7, .channels = 3},
                                    ImageShape{.height = 9, .width = 6, .channels = 3},
                                    ImageShape{.height = 16, .width = 33, .channels = 1}}) {
        for (const std::int64_t blur : {0, 1, 4}) {
            for (const float hidden : {0.0F, 0.4F, 1.0F}) {
                INFO(shape.height << " x " << shape.width << ", blur " << blur << ", hidden "
                                  << hidden);
                check_step(shape, blur, hidden);
            }
        }
    }
}

TEST_CASE_METHOD(StateFixture, "curvature is averaged over draws") {
    const TextureRegion region = region_of({.height = 3, .width = 2}, 2);
    TexelState state(images, upload(Floats(9)));
    Floats mean(9);
    Floats magnitude(9);
    for (std::uint32_t draw = 0; draw < 5; ++draw) {
        const Floats answer = noise(9, -2, 2, 10 + draw);
        for (std::size_t i = 2; i < 8; ++i) {
            mean[i] += answer[i] / 5;
            magnitude[i] += std::abs(answer[i]) / 5;
        }
        state.begin_curvature();
        state.add_curvature(region, upload(answer));
    }

    CHECK(state.curvatures() == 5);
    check_near(state.save().floats("curved"), mean, 1e-6F);
    check_near(state.save().floats("shown"), magnitude, 1e-6F);
}

TEST_CASE_METHOD(StateFixture, "what resists steps follows new curvature") {
    const TextureRegion region = region_of({.height = 3, .width = 2}, 0);
    TexelState state(images, upload(Floats(6)));
    Floats before;
    for (const float size : {1.0F, 7.0F}) {
        state.begin_curvature();
        state.add_curvature(region, upload(Floats(6, size)));
        const Floats found = read(state.preconditioner(region, 0).divisor);
        // Means of 1, and of 1 and 7, and four times the weight of the prior.
        CHECK(found.front() == Approx(2.2 * (size > 1 ? 4 : 1)));
        CHECK(found != before);
        before = found;
    }
    // Other blurs take the place of older ones, and give what they gave.
    for (const std::int64_t blur : {1, 2, 3, 0}) {
        check_near(read(state.preconditioner(region, blur).divisor), before, 1e-5F);
    }
}

TEST_CASE_METHOD(StateFixture, "products of rows are those of plain sums") {
    const ImageShape shape{.height = 7, .width = 5, .channels = 3};
    const std::size_t size = shape.size();
    const TextureRegion region = region_of(shape, 0);
    const Floats curved = noise(size, 0.5F, 2, 20);
    TexelState state(images, upload(Floats(size)));
    state.restore(saved_of({{"texels", Floats(size)},
                            {"mean", Floats(size)},
                            {"velocity", Floats(size)},
                            {"curved", curved},
                            {"shown", curved}}));
    std::vector<tensor::TensorRef> rows;
    std::vector<Floats> smooth;
    for (std::uint32_t row = 0; row < 4; ++row) {
        const Floats own = noise(size, -2, 2, 30 + row);
        rows.push_back(upload(own));
        smooth.push_back(plain_blurred(own, shape, 1));
    }

    const Matrix found = state.products(region, rows, 1);

    const Floats divisor = read(state.preconditioner(region, 1).divisor);
    REQUIRE((found.rows == 3 && found.columns == 4));
    for (std::size_t row = 0; row < 3; ++row) {
        for (std::size_t other = 0; other < 4; ++other) {
            double sum = 0;
            for (std::size_t i = 0; i < size; ++i) {
                sum += static_cast<double>(smooth[row][i]) * static_cast<double>(smooth[other][i]) /
                       static_cast<double>(divisor[i]);
            }
            CHECK(found(row, other) == Approx(sum).epsilon(1e-4).margin(1e-4));
        }
    }
}

TEST_CASE_METHOD(StateFixture, "products leave out what pictures do not show") {
    const TextureRegion region = region_of({.height = 1, .width = 2}, 0);
    TexelState state(images, upload(Floats(2)));
    state.restore(saved_of({{"texels", {0, 0}},
                            {"mean", {0, 0}},
                            {"velocity", {0, 0}},
                            {"curved", {1, 0}},
                            {"shown", {1, 0}}}));
    const std::vector<tensor::TensorRef> rows{upload({3, 100}), upload({5, 100})};

    const Matrix found = state.products(region, rows, 0);

    CHECK(found(0, 0) == Approx(9 / 2.2));
    CHECK(found(0, 1) == Approx(15 / 2.2));
    CHECK(state.known_count(region) == 1);
}

TEST_CASE_METHOD(StateFixture, "states come back as they were") {
    Arrays arrays;
    std::uint32_t seed = 40;
    for (const char* name : {"texels", "mean", "curved", "shown", "velocity"}) {
        arrays[name] = noise(40, -2, 2, seed++);
    }
    TexelState state(images, upload(Floats(40)));

    state.restore(saved_of(arrays, {6, 3}));

    CHECK(arrays_of(state.save()) == arrays);
    CHECK(state.save().doubles("counts", 2) == std::vector<double>{6, 3});
    CHECK(state.curvatures() == 6);
    CHECK(state.averaged() == 3);
    CHECK(read(state.found()) == arrays.at("mean"));
}

TEST_CASE_METHOD(StateFixture, "a state that does not fit changes nothing") {
    TexelState state(images, upload(noise(40, 0, 1)));
    const Arrays before = arrays_of(state.save());
    Arrays other;
    for (const auto& [name, values] : before) {
        other[name] = noise(40, -2, 2);
    }
    other["velocity"].resize(39); // the last that is read

    CHECK_THROWS_AS(state.restore(saved_of(other)), core::ArgumentError);
    CHECK_THROWS_AS(state.restore(saved_of(before, {1})), core::ArgumentError);
    CHECK(arrays_of(state.save()) == before);
}

TEST_CASE_METHOD(StateFixture, "numbers that are not finite are dropped and counted") {
    Floats values = noise(1000, 0.5F, 2);
    std::fill(values.begin(), values.begin() + 300, 0.0F);
    values[4] = std::numeric_limits<float>::quiet_NaN();
    values[500] = std::numeric_limits<float>::infinity();
    values[999] = -std::numeric_limits<float>::infinity();
    const tensor::TensorRef cleaned = upload(values);
    const tensor::TensorRef counts = images.calls().zeros({7, 2});

    images.calls().lanes(FitModule::texels, "dropNonFinite", 7, cleaned, 1000, 7, counts);

    // 700 that are not 0, and the one among zeros.
    CHECK(read(images.calls().sum_of_parts(counts)) == Floats{3, 701});
    for (float& each : values) {
        each = std::isfinite(each) ? each : 0.0F;
    }
    CHECK(read(cleaned) == values);
}

} // namespace
} // namespace weft::fit
