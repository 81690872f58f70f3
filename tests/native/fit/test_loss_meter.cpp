// SPDX-License-Identifier: Apache-2.0
// The loss of a fit: one quantity whatever pixels a phase draws and however it weighs them.
#include "fit/loss_meter.hpp"

#include "core/error.hpp"
#include "fit/observation.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace weft::fit {
namespace {

constexpr std::size_t kSide = 32;
constexpr std::size_t kPixels = kSide * kSide;

using Floats = std::vector<float>;
using Pixels = std::vector<std::uint32_t>;

Pixels every(std::uint32_t step, std::uint32_t first = 0) {
    Pixels out;
    for (std::uint32_t pixel = first; pixel < kPixels; pixel += step) {
        out.push_back(pixel);
    }
    return out;
}

/// How far residuals of a pixel are off, not weighed.
using Off = std::function<double(std::uint32_t)>;

double tenth(std::uint32_t) {
    return 0.1;
}
double by_turns(std::uint32_t pixel) {
    return pixel % 2 == 1 ? 0.1 : 0.3;
}

/// A meter of one view.
struct MeterFixture {
    Floats weights = Floats(kChannels * kPixels, 2.0F); ///< of the phase
    Floats trust = Floats(kPixels, 1.0F);
    std::vector<bool> lost = std::vector<bool>(kPixels);
    Pixels pixels = every(1);
    LossMeter meter{std::vector<Floats>{Floats(kChannels * kPixels, 2.0F)}};

    void record(const Off& off, double noise = 0, std::uint32_t seed = 1) {
        std::mt19937 random(seed);
        std::normal_distribution<double> normal;
        std::array<Floats, 2> halves;
        for (const std::uint32_t pixel : pixels) {
            for (std::size_t channel = 0; channel < kChannels; ++channel) {
                const auto weight = static_cast<double>(weights[kChannels * pixel + channel]);
                for (Floats& half : halves) {
                    half.push_back(
                        static_cast<float>((off(pixel) + noise * normal(random)) * weight));
                }
            }
        }
        const DrawnView drawn{.pixels = pixels, .weights = weights};
        meter.record({&drawn, 1}, {halves[0], halves[1]});
    }
    [[nodiscard]] CountedView counted() const { return {.trust = trust, .lost = &lost}; }
    [[nodiscard]] double loss(const LossMeter& of) const {
        const CountedView view = counted();
        return of.loss({&view, 1});
    }
    [[nodiscard]] double loss() const { return loss(meter); }
    [[nodiscard]] double floor() const {
        const CountedView view = counted();
        return meter.noise_floor({&view, 1});
    }
};

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST_CASE_METHOD(MeterFixture, "nothing is known of a loss at first") {
    CHECK(std::isinf(loss()));
    CHECK(std::isinf(floor()));
    CHECK(meter.state().is_open);
}

TEST_CASE_METHOD(MeterFixture, "the loss is the mean squared residual without the noise") {
    std::vector<double> found;
    for (std::uint32_t seed = 0; seed < 40; ++seed) {
        record(tenth, 0.3, seed);
        found.push_back(loss());
    }

    CHECK(mean(found) == Approx(0.04).epsilon(0.1));
}

TEST_CASE_METHOD(MeterFixture, "the floor is what noise alone makes of the loss") {
    std::vector<double> floors;
    std::vector<double> squares;
    for (std::uint32_t seed = 0; seed < 300; ++seed) {
        record([](std::uint32_t) { return 0.0; }, 0.3, seed);
        squares.push_back(loss() * loss());
        floors.push_back(floor());
    }

    // Channels whose noise goes together would make it larger: it is an upper bound.
    const double ratio = mean(floors) / std::sqrt(mean(squares));
    CHECK(ratio >= 1);
    CHECK(ratio < 1.5);
}

TEST_CASE_METHOD(MeterFixture, "weights of a phase make no difference") {
    record(tenth);
    const double before = loss();

    for (float& weight : weights) {
        weight /= 7;
    }
    record(tenth);

    CHECK(loss() == Approx(before).epsilon(1e-5));
    CHECK(before == Approx(0.04).epsilon(1e-5));
}

TEST_CASE_METHOD(MeterFixture, "pixels that a phase does not draw keep what was seen last") {
    record(by_turns);

    pixels = every(2, 1);
    record([](std::uint32_t) { return 0.0; });

    CHECK(loss() == Approx(0.36 / 2).epsilon(1e-5));
}

TEST_CASE_METHOD(MeterFixture,
                 "only pixels of the first record count, and only those that are kept") {
    pixels = every(2, 1);
    record(by_turns);
    pixels = every(1);
    record(by_turns);
    CHECK(loss() == Approx(0.04).epsilon(1e-5));

    meter.keep(0, every(4, 1));
    CHECK(loss() == Approx(0.04).epsilon(1e-5));
    // What does not count at first is not kept either.
    meter.keep(0, every(4));
    CHECK(loss() == 0);
}

TEST_CASE_METHOD(MeterFixture,
                 "pixels that nothing explains lose their part, and lost ones theirs") {
    record([](std::uint32_t pixel) { return pixel < 16 ? 5.0 : 0.1; });
    CHECK(loss() > 1);

    std::fill_n(trust.begin(), 16, 0.0F);
    CHECK(loss() == Approx(0.04 * (kPixels - 16) / kPixels).epsilon(1e-5));
    std::fill_n(trust.begin(), 16, 1.0F);
    std::fill_n(lost.begin(), 16, true);
    CHECK(loss() == Approx(0.04).epsilon(1e-5));
}

TEST_CASE_METHOD(MeterFixture, "noisy pixels count by the square of their noise") {
    Floats noise(kPixels, 1.0F);
    noise[0] = 2;
    record([](std::uint32_t pixel) { return pixel == 0 ? 1.0 : 0.0; });
    const double before = loss();

    meter.set_noise({noise});

    CHECK(loss() == Approx(before / 4));
}

TEST_CASE_METHOD(MeterFixture, "pixels of no weight add nothing") {
    std::fill_n(weights.begin(), kChannels, 0.0F);
    record(tenth);

    CHECK(loss() == Approx(0.04 * (kPixels - 1) / kPixels).epsilon(1e-5));
}

TEST_CASE_METHOD(MeterFixture, "a meter goes on where another one was") {
    record(by_turns, 0.2);
    meter.set_noise({Floats(kPixels, 3.0F)});
    LossMeter other(std::vector<Floats>{Floats(kChannels * kPixels, 2.0F)});

    other.restore(meter.state());

    CHECK(loss(other) == loss());
    LossMeter small(std::vector<Floats>{Floats(kChannels * (kPixels - 1), 2.0F)});
    CHECK_THROWS_AS(small.restore(meter.state()), core::ArgumentError);
    CHECK(small.state().is_open);
}

} // namespace
} // namespace weft::fit
