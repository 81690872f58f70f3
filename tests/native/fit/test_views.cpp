// SPDX-License-Identifier: Apache-2.0
// Which pixels of a picture a view draws, how much they count, and states that it comes back to.
#include "core/error.hpp"
#include "drawn_texels.hpp"
#include "fit/noise_meter.hpp"
#include "fit/reweighting.hpp"
#include "fit/view.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

namespace weft::fit {
namespace {

constexpr std::size_t kHeight = 24;
constexpr std::size_t kWidth = 40;
constexpr std::size_t kPixels = kHeight * kWidth;

using Floats = std::vector<float>;
using Pixels = std::vector<std::uint32_t>;

Observation picture(bool robust = false) {
    Observation out{.name = "photo", .image = Floats(kChannels * kPixels, 1.0F), .robust = robust};
    out.camera.width = kWidth;
    out.camera.height = kHeight;
    return out;
}

/// Where `weight` of a row and column says.
Floats weights_of(const std::function<float(std::size_t, std::size_t)>& weight) {
    Floats out;
    for (std::size_t i = 0; i < kChannels * kPixels; ++i) {
        out.push_back(weight(i / kChannels / kWidth, i / kChannels % kWidth));
    }
    return out;
}

struct ViewFixture {
    Observation observation = picture();

    View view(Floats weights = Floats(kChannels * kPixels, 2.0F)) const {
        return {observation, {}, {}, std::move(weights)};
    }
};

std::vector<bool> flags(std::size_t count, const std::vector<std::size_t>& set) {
    std::vector<bool> out(count);
    for (const std::size_t number : set) {
        out[number] = true;
    }
    return out;
}

Floats weights_now(const View& view) {
    return {view.weights().begin(), view.weights().end()};
}

TEST_CASE_METHOD(ViewFixture, "a lattice of the pixels that count is drawn") {
    View own = view(weights_of([](std::size_t, std::size_t x) { return x < 11 ? 0.0F : 1.0F; }));

    own.show_all(4);

    CHECK(own.pixels().size() == kHeight / 4 * 7);
    CHECK(std::ranges::all_of(own.pixels(), [](std::uint32_t pixel) {
        return pixel / kWidth % 4 == 0 && pixel % kWidth % 4 == 0 && pixel % kWidth >= 12;
    }));
}

TEST_CASE_METHOD(ViewFixture, "a lattice that misses all that counts is none") {
    View own = view(weights_of([](std::size_t y, std::size_t x) {
        return (y == 1 || y == 2) && (x == 1 || x == 2) ? 1.0F : 0.0F;
    }));

    own.show_all(4);

    CHECK(own.pixels() == Pixels{kWidth + 1, kWidth + 2, 2 * kWidth + 1, 2 * kWidth + 2});
}

TEST_CASE_METHOD(ViewFixture, "a lattice tells what all pixels tell of something smooth") {
    View own = view();
    std::vector<double> smooth;
    for (std::size_t i = 0; i < kPixels; ++i) {
        smooth.push_back(1 + std::sin(static_cast<double>(i / kWidth) / 9) +
                         static_cast<double>(i % kWidth) / kWidth);
    }
    const Floats full = own.spread(smooth, 6);

    own.show_all(3);
    std::vector<double> few;
    for (const std::uint32_t pixel : own.pixels()) {
        few.push_back(smooth[pixel]);
    }
    const Floats found = own.spread(few, 6);

    REQUIRE(found.size() == kPixels);
    for (std::size_t i = 0; i < kPixels; ++i) {
        REQUIRE(std::abs(found[i] / full[i] - 1) < 0.1F);
    }
}

TEST_CASE_METHOD(ViewFixture, "nothing is known where nothing is drawn nearby") {
    View own = view();
    own.set_pixels({0});

    const Floats found = own.spread(std::vector<double>{3.0}, 2);

    for (std::size_t i = 0; i < kPixels; ++i) {
        REQUIRE(found[i] == Approx(i / kWidth < 3 && i % kWidth < 3 ? 3.0 : 0.0).epsilon(1e-5));
    }
}

TEST_CASE_METHOD(ViewFixture, "weights have the root of the trust, and are divided by noise") {
    View own = view();
    const std::uint64_t version = own.version();
    Floats trust(kPixels, 1.0F);
    Floats noise(kPixels, 1.0F);
    trust[3] = 0.25F;
    noise[3] = 4;
    noise[5] = 2;

    own.set_trust(trust);
    own.set_noise(noise);

    CHECK(own.version() != version);
    CHECK(own.trust() == trust);
    CHECK(own.weights()[3 * 3] == 0.25F);
    CHECK(own.weights()[3 * 5 + 2] == 1);
    CHECK(own.weights()[3 * 4] == 2);
    CHECK(own.noise_weights() == Floats(kChannels * kPixels, 2.0F));
}

TEST_CASE_METHOD(ViewFixture, "a look may weigh pixels otherwise, and leaves no trace") {
    View own = view();
    Floats trust(kPixels, 1.0F);
    trust[3] = 0.25F;
    own.set_trust(trust);
    own.set_noise(Floats(kPixels, 4.0F));
    own.leave_out(flags(kPixels, {7}));
    const Floats fitted = weights_now(own);
    CHECK(fitted[3 * 3] == 0.25F);

    own.set_weighting(Weighting::noise);
    CHECK(own.weights()[3 * 3] == 2);
    CHECK(own.weights()[3 * 7] == 0);
    own.set_weighting(Weighting::unit);
    CHECK(weights_now(own) == Floats(kChannels * kPixels, 1.0F)); // also where nothing counts
    own.set_weighting(Weighting::fitted);

    CHECK(weights_now(own) == fitted);
}

TEST_CASE_METHOD(ViewFixture, "pixels that are no numbers count no more") {
    View own = view();
    own.set_pixels({10, 11, 12, 13});
    CHECK(own.problem().empty());

    own.leave_out({false, true, false, true});

    CHECK(own.lost() == flags(kPixels, {11, 13}));
    CHECK(own.lost_count() == 2);
    CHECK(own.weights()[3 * 11 + 1] == 0);
    CHECK(own.weights()[3 * 12 + 1] == 2);
    const Pixels counted = own.counted_pixels();
    CHECK(counted.size() == kPixels - 2);
    CHECK_FALSE(std::ranges::binary_search(counted, 11U));
    CHECK_THAT(own.problem(), ContainsSubstring("Picture 'photo'") &&
                                  ContainsSubstring("no finite numbers in 2 pixels"));
    // New trust and noise do not bring them back.
    own.set_trust(Floats(kPixels, 1.0F));
    CHECK(own.weights()[3 * 11] == 0);
}

TEST_CASE_METHOD(ViewFixture, "a view most of whose pixels are no numbers ends a fit") {
    View own = view();
    own.set_pixels({10, 11, 12, 13});
    own.leave_out({false, true, false, true});

    CHECK_THROWS_AS(own.leave_out({true, false, false, false}), core::NonFiniteError);
    CHECK(own.lost_count() == 3);
}

TEST_CASE_METHOD(ViewFixture, "a view goes back to a state, and what was lost since stays lost") {
    View own = view();
    Floats trust(kPixels, 1.0F);
    trust[2] = 0.5F;
    own.set_trust(trust);
    own.set_noise(Floats(kPixels, 2.0F));
    own.leave_out(flags(kPixels, {4}));
    own.set_pixels({1, 2, 3, 4, 5});
    const ViewState state = own.state();
    const Floats before = weights_now(own);

    own.set_trust(Floats(kPixels, 0.1F));
    own.set_noise({});
    own.set_pixels({1, 2, 3});
    own.leave_out({false, false, true});
    const std::uint64_t version = own.version();
    own.restore(state);

    CHECK(own.version() != version);
    CHECK(own.pixels() == Pixels{1, 2, 3, 4, 5});
    CHECK(own.trust() == trust);
    CHECK(own.lost() == flags(kPixels, {3, 4}));
    Floats expected = before;
    std::fill_n(expected.begin() + 3 * 3, 3, 0.0F);
    CHECK(weights_now(own) == expected);
    // A new view of the same picture becomes what the first one was.
    View other = view();
    other.restore(state);
    CHECK(weights_now(other) == before);
    CHECK(other.lost() == flags(kPixels, {4}));
}

TEST_CASE_METHOD(ViewFixture, "a state of another picture is refused, and changes nothing") {
    View own = view();
    own.set_noise(Floats(kPixels, 2.0F));
    own.set_pixels({1, 2, 3});
    const Floats before = weights_now(own);
    std::vector<ViewState> wrong(4, ViewState{.pixels = {7},
                                              .trust = Floats(kPixels, 0.5F),
                                              .noise = Floats(kPixels, 3.0F),
                                              .lost = flags(kPixels, {7})});
    wrong[0].trust.pop_back();
    wrong[1].noise.push_back(1);
    wrong[2].lost.clear();
    wrong[3].pixels.push_back(kPixels);

    for (const ViewState& state : wrong) {
        CHECK_THROWS_WITH(own.restore(state), ContainsSubstring("another picture than 'photo'"));
        CHECK(weights_now(own) == before);
        CHECK(own.pixels() == Pixels{1, 2, 3});
        CHECK(own.lost_count() == 0);
    }
    CHECK_THROWS_WITH(view(Floats(3)), ContainsSubstring("weights are needed for picture 'photo'"));
}

/// Residuals of all pixels whose halves differ by noise that is `spread` times as large in a corner.
struct NoisyHalves {
    Floats a = drawn_floats(1, kChannels* kPixels, 1, -0.5);
    Floats b = drawn_floats(2, kChannels* kPixels, 1, -0.5);

    explicit NoisyHalves(float spread, float offset = 0) {
        for (std::size_t i = 0; i < a.size(); ++i) {
            const std::size_t pixel = i / kChannels;
            const bool is_noisy = pixel / kWidth < 8 && pixel % kWidth < 8;
            a[i] = a[i] * (is_noisy ? spread : 1.0F) + offset;
            b[i] = b[i] * (is_noisy ? spread : 1.0F) + offset;
        }
    }
};

TEST_CASE_METHOD(ViewFixture, "noisy places count less, and others as before") {
    std::vector<View> views;
    views.push_back(view());
    const NoisyHalves halves(40);
    NoiseMeter meter(views);
    for (std::size_t draw = 0; draw < kMeasuredDraws; ++draw) {
        meter.add(ResidualPair{halves.a, halves.b});
    }

    weigh_by_noise(views, meter);

    const std::span<const float> weights = views.front().weights();
    for (std::size_t pixel = 0; pixel < kPixels; ++pixel) {
        if (pixel / kWidth >= 14 && pixel % kWidth >= 14) {
            REQUIRE(weights[3 * pixel] == 2);
        }
    }
    CHECK(weights[3 * (3 * kWidth + 3)] == Approx(2.0 * 2 / 40).epsilon(0.15));
}

TEST_CASE_METHOD(ViewFixture, "weights do not know the light of the samples") {
    std::vector<View> views;
    views.push_back(view());
    std::vector<std::vector<Floats>> found;
    for (const float offset : {0.0F, 50.0F}) {
        const NoisyHalves halves(1, offset);
        NoiseMeter meter(views);
        meter.add(ResidualPair{halves.a, halves.b});
        found.push_back(meter.relative_noise());
    }

    for (std::size_t i = 0; i < kPixels; ++i) {
        REQUIRE(found[0].front()[i] == Approx(found[1].front()[i]).epsilon(1e-3));
    }
}

TEST_CASE_METHOD(ViewFixture, "noise of the pixels that are drawn alone is measured") {
    std::vector<View> views;
    views.push_back(view());
    views.front().set_pixels({0, kWidth + 1});
    NoiseMeter by_residuals(views);
    NoiseMeter by_squares(views);

    by_residuals.add(ResidualPair{Floats{1, 2, 2, 0, 0, 0}, Floats{0, 0, 0, 3, 0, 0}});
    by_squares.add({{3, 3}});

    CHECK(by_residuals.relative_noise() == by_squares.relative_noise());
    views.front().set_pixels({});
    NoiseMeter none(views);
    none.add(ResidualPair{});
    CHECK(none.relative_noise().front() == Floats(kPixels, 1.0F));
}

TEST_CASE("pixels are weighed anew for robust pictures alone, at shares of the iterations") {
    const Observation plain = picture();
    const Observation robust = picture(true);
    std::vector<View> views;
    views.emplace_back(plain, std::vector<ViewPart>(), Pixels());
    CHECK(Reweighting(views).is_over());
    CHECK_FALSE(MapReweighting(views).is_due(1));
    views.emplace_back(robust, std::vector<ViewPart>(), Pixels());

    CHECK_FALSE(Reweighting(views).is_over());
    MapReweighting maps(views);
    CHECK(maps.rounds() == 0);
    CHECK_FALSE(maps.is_due(0.24));
    CHECK(maps.is_due(0.25));
    maps.set_rounds(1);
    CHECK_FALSE(maps.is_due(0.25));
    CHECK(maps.is_due(0.375));
    maps.set_rounds(3);
    CHECK_FALSE(maps.is_due(1));
}

} // namespace
} // namespace weft::fit
