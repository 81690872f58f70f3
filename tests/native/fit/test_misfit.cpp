// SPDX-License-Identifier: Apache-2.0
// Verdicts on pictures whose noise and misfit are known.
#include "fit/misfit.hpp"
#include "fit/picture_noise.hpp"
#include "fit/quantiles.hpp"
#include "fit/robust_weights.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

using namespace weft::fit;

namespace {

constexpr std::size_t kSide = 64;

/// A smooth picture of a scene with noise, and halves of draws with noise of their own.
struct Case {
    double noise = 0.03; ///< of the picture, of the light
    double drawn = 0.02; ///< of each half
    double off = 0;      ///< what the scene leaves unexplained, of the light
    std::size_t outliers = 0;

    Observation observation{};
    Validation fresh{};

    Case& make(unsigned seed = 1) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        observation.name = "photo";
        observation.camera.width = observation.camera.height = static_cast<std::int64_t>(kSide);
        std::vector<double> light;
        for (std::size_t i = 0; i < kSide * kSide * kChannels; ++i) {
            const auto x = static_cast<double>(i / kChannels % kSide) / kSide;
            light.push_back(0.5 + 0.3 * std::sin(3 * x));
            observation.image.push_back(
                static_cast<float>(light.back() * (1 + noise * normal(random))));
        }
        for (std::size_t k = 0; k < outliers; ++k) {
            observation.image[(k * 211 % (kSide * kSide)) * kChannels] += 5;
        }
        fresh.observation = &observation;
        fresh.counts.assign(kSide * kSide, true);
        fresh.weights = noise_weights(observation);
        for (std::size_t i = 0; i < light.size(); ++i) {
            const auto half = [&] {
                const double render = light[i] * (1 + off + drawn * normal(random));
                return static_cast<float>((render - static_cast<double>(observation.image[i])) *
                                          static_cast<double>(fresh.weights[i]));
            };
            fresh.a.push_back(half());
            fresh.b.push_back(half());
        }
        return *this;
    }
};

double mean_weighted_light(const Case& own) {
    double sum = 0;
    for (std::size_t i = 0; i < own.fresh.weights.size(); ++i) {
        sum += static_cast<double>(own.fresh.weights[i]) *
               static_cast<double>(own.observation.image[i]);
    }
    return sum / static_cast<double>(own.fresh.weights.size());
}

} // namespace

TEST_CASE("medians are those of sorted numbers") {
    CHECK(median({}) == 0);
    CHECK(median({3}) == 3);
    CHECK(median({4, 1, 3}) == 3);
    CHECK(median({4, 1, 3, 2}) == 2.5);
}

TEST_CASE("quantiles lie between the sorted numbers around them") {
    CHECK(quantiles({5}, 1).empty());
    CHECK(quantiles({5}, 3) == std::vector<double>{5, 5});
    CHECK(quantiles({4, 1, 3, 2, 5}, 4) == std::vector<double>{2, 3, 4});
    std::mt19937 random(3);
    for (const std::size_t count : {2U, 9U, 100U, 1001U}) {
        std::vector<double> values(count);
        for (double& value : values) {
            value = static_cast<double>(random() % 50); // ties, too
        }
        std::vector<double> sorted = values;
        std::ranges::sort(sorted);
        const std::vector<double> found = quantiles(values, 8);
        REQUIRE(found.size() == 7);
        for (std::size_t k = 0; k < found.size(); ++k) {
            const double at =
                static_cast<double>(k + 1) / 8 * static_cast<double>(sorted.size() - 1);
            const auto below = static_cast<std::size_t>(at);
            const std::size_t above = std::min(below + 1, sorted.size() - 1);
            CHECK(found[k] ==
                  std::lerp(sorted[below], sorted[above], at - static_cast<double>(below)));
        }
    }
}

TEST_CASE("a picture of which a part was drawn is judged by that part") {
    Case own;
    own.outliers = 30;
    own.off = 0.02;
    own.make();
    const Misfit alone = measure(own.fresh);

    constexpr std::size_t kWide = 3 * kSide;
    constexpr std::size_t kFirst = kSide * kWide + kSide;
    Observation larger{.name = "larger"};
    larger.camera.width = larger.camera.height = static_cast<std::int64_t>(kWide);
    larger.image.assign(kWide * kWide * kChannels, 0.5F);
    Validation part{.observation = &larger};
    part.counts.assign(kWide * kWide, false);
    part.a.assign(larger.image.size(), 0.0F);
    part.b = part.a;
    part.weights.assign(larger.image.size(), 1.0F);
    for (std::size_t pixel = 0; pixel < kSide * kSide; ++pixel) {
        const std::size_t at = kFirst + pixel / kSide * kWide + pixel % kSide;
        part.counts[at] = true;
        for (std::size_t c = 0; c < kChannels; ++c) {
            larger.image[at * kChannels + c] = own.observation.image[pixel * kChannels + c];
            part.a[at * kChannels + c] = own.fresh.a[pixel * kChannels + c];
            part.b[at * kChannels + c] = own.fresh.b[pixel * kChannels + c];
            part.weights[at * kChannels + c] = own.fresh.weights[pixel * kChannels + c];
        }
    }
    const Misfit found = measure(part);
    CHECK(found.pixels == kSide * kSide);
    CHECK(found.outliers == Approx(alone.outliers).epsilon(0.1));
    CHECK(found.power == Approx(alone.power).epsilon(1e-3));
    CHECK(found.brightness == Approx(alone.brightness).epsilon(1e-6));
    CHECK(found.misfit == Approx(alone.misfit).epsilon(1e-3));
    // Brightness around the edge of what was drawn knows the rest of the picture: bins differ a little.
    CHECK(found.noise == Approx(alone.noise).epsilon(0.05));
}

TEST_CASE("noise alone is explained, whatever its size, and its size is told") {
    for (const double noise : {0.01, 0.03, 0.1}) {
        Case own;
        own.noise = noise;
        own.make();
        const ViewVerdict verdict = judge(measure(own.fresh));
        const double expected = std::hypot(noise * mean_weighted_light(own), kSmall);
        INFO("noise " << noise << ", measured " << verdict.noise);
        CHECK(verdict.level == VerdictLevel::explained);
        CHECK(verdict.noise == Approx(expected).epsilon(0.1));
        CHECK(verdict.ratio == Approx(noise * mean_weighted_light(own) / expected).epsilon(0.1));
        CHECK(verdict.brightness == Approx(1).margin(0.01));
        CHECK(verdict.certainty < 6);
        CHECK(verdict.outliers < 0.01);
    }
}

TEST_CASE("false alarms are rare") {
    int alarms = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        alarms += judge({Case{}.make(seed).fresh}).level == VerdictLevel::explained ? 0 : 1;
    }
    CHECK(alarms == 0);
}

TEST_CASE("what neighbours share is misfit: doubtful if small, wrong if large") {
    Case small;
    small.off = 0.03;
    small.make();
    const Verdict doubtful = judge({small.fresh});
    CHECK(doubtful.level == VerdictLevel::doubtful);
    CHECK(doubtful.misfit == Approx(0.03 * mean_weighted_light(small)).epsilon(0.15));
    CHECK_THAT(describe(doubtful), ContainsSubstring("times the noise"));

    Case large;
    large.off = 0.2;
    large.make();
    const Verdict wrong = judge({large.fresh, small.fresh});
    CHECK(wrong.level == VerdictLevel::wrong);
    CHECK(wrong.views[0].brightness == Approx(1 / 1.2).epsilon(0.01));
    CHECK_THAT(describe(wrong), ContainsSubstring("mostly in 'photo'"));
}

TEST_CASE("pixels that are far off alone are told, and leave the others explained") {
    Case few;
    few.outliers = 40; // of 4096
    few.make();
    const ViewVerdict verdict = judge(measure(few.fresh));
    CHECK(verdict.outliers == Approx(40.0 / 4096).epsilon(0.1));
    CHECK(verdict.level == VerdictLevel::explained);

    Case many;
    many.outliers = 200;
    many.make();
    CHECK(judge(measure(many.fresh)).level == VerdictLevel::doubtful);
}

TEST_CASE("weights of residuals fall to nothing at six standard deviations") {
    CHECK(biweight(0) == 1);
    CHECK(biweight(3) == Approx(0.5625));
    CHECK(biweight(6) == Approx(1e-6));
    CHECK(biweight(100) == Approx(1e-6));
}

TEST_CASE("detail keeps its say and specks lose it") {
    Case own;
    own.make();
    std::vector<double> distance(kSide * kSide, 1.0);
    for (std::size_t pixel = 0; pixel < distance.size(); ++pixel) {
        distance[pixel] = pixel % kSide < kSide / 2 ? 1.0 : 5.0;
    }
    const std::size_t speck = 10 * kSide + 8;
    const std::size_t speck_in_detail = 30 * kSide + 50;
    const std::size_t detail = 20 * kSide + 56;
    distance[speck] = 7;
    distance[speck_in_detail] = 40;
    const std::vector<double> around = usual_around(own.fresh, distance);
    const auto weight = [&](std::size_t pixel) {
        return biweight(distance[pixel] / std::max(around[pixel], 1.0));
    };
    CHECK(weight(speck) < 0.01F);
    CHECK(weight(speck_in_detail) < 0.01F);
    CHECK(weight(detail) > 0.8F);
    CHECK(biweight(distance[detail]) < 0.15F);
}

TEST_CASE("pixels that nothing explains lose their trust, and others keep it") {
    Case own;
    own.outliers = 40;
    own.make();
    own.fresh.counts[5] = false;
    own.fresh.trust.assign(own.fresh.counts.size(), 0.5F);
    for (const bool with_detail : {false, true}) {
        const Validation* const pictures[] = {&own.fresh};
        const NewTrust found = weigh_residuals(pictures, with_detail);
        CHECK(found.has_changed);
        CHECK(found.trust[0][5] == 0.5F); // not drawn
        CHECK(found.trust[0][211] < 0.01F);
        CHECK(found.trust[0][300] > 0.5F);
        Validation again = own.fresh;
        again.trust = found.trust[0];
        const Validation* const weighed[] = {&again};
        CHECK_FALSE(weigh_residuals(weighed, with_detail).has_changed);
    }
}

TEST_CASE("what a file has rounded is noise, and what a loss left out is an outlier") {
    Case own;
    own.noise = 0;
    own.make();
    own.observation.rounding.assign(own.observation.image.size(), 0.02F);
    const Misfit found = measure(own.fresh);
    const double expected = std::pow(0.02 * static_cast<double>(own.fresh.weights[0]), 2);
    CHECK(found.rounding == Approx(expected).epsilon(0.7));
    CHECK(found.noise >= found.rounding);
    own.fresh.trust.assign(own.fresh.counts.size(), 1.0F);
    for (std::size_t pixel = 0; pixel < own.fresh.trust.size(); pixel += 8) {
        own.fresh.trust[pixel] = 1e-6F;
    }
    CHECK(measure(own.fresh).outliers == Approx(1.0 / 8).epsilon(0.02));
}

TEST_CASE("noise that blocks of a file share is no misfit between neighbours") {
    Case own;
    own.noise = 0;
    own.make();
    std::mt19937 random(3);
    std::normal_distribution<float> normal;
    for (std::size_t block = 0; block < 64; ++block) { // 8 x 8 pixels each
        const float off = 0.05F * normal(random);
        for (std::size_t k = 0; k < 64; ++k) {
            const std::size_t pixel = (block / 8 * 8 + k / 8) * kSide + block % 8 * 8 + k % 8;
            for (std::size_t c = 0; c < kChannels; ++c) {
                own.fresh.a[pixel * kChannels + c] += off;
                own.fresh.b[pixel * kChannels + c] += off;
            }
        }
    }
    CHECK(measure(own.fresh).certainty > kMisfitSigmas);
    own.observation.grain = 8;
    CHECK(measure(own.fresh).certainty < kMisfitSigmas);
}

TEST_CASE("pixels that were not drawn do not count") {
    Case own;
    own.make();
    for (std::size_t pixel = 0; pixel < own.fresh.counts.size(); ++pixel) {
        if (pixel % kSide >= kSide / 2) { // the right half is garbage
            own.fresh.counts[pixel] = false;
            for (std::size_t c = 0; c < kChannels; ++c) {
                own.fresh.a[pixel * kChannels + c] = own.fresh.b[pixel * kChannels + c] = 0;
            }
        }
    }
    CHECK(judge({own.fresh}).level == VerdictLevel::explained);
    own.fresh.counts.assign(own.fresh.counts.size(), false);
    CHECK(std::isfinite(judge({own.fresh}).ratio));
}
