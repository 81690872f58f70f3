// SPDX-License-Identifier: Apache-2.0
// The noise of renders by the halves of draws, and how many paths an iteration takes.
#include "fit/relative_noise.hpp"
#include "fit/sample_counts.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <random>

using namespace weft::fit;

namespace {

constexpr std::size_t kSide = 32;

MeasuredNoise view(double corner) {
    MeasuredNoise out{.height = kSide,
                      .width = kSide,
                      .squares = std::vector<double>(kSide * kSide, 1.0),
                      .counts = std::vector<double>(kSide * kSide, 1.0)};
    for (std::size_t pixel = 0; pixel < kSide * kSide; ++pixel) {
        if (pixel / kSide < 8 && pixel % kSide < 8) {
            out.squares[pixel] = corner * corner;
        }
    }
    return out;
}

} // namespace

TEST_CASE("noise is told where it is more than usual, in units of all views") {
    const auto noise = relative_noise({view(40), view(1)});
    CHECK(noise[0][20 * kSide + 20] == 1);
    CHECK(noise[0][2 * kSide + 2] == Approx(20).epsilon(0.01)); // from twice the usual on
    CHECK(noise[1][2 * kSide + 2] == 1);
    CHECK(relative_noise({view(1e4)})[0][0] == 32);
}

TEST_CASE("pixels that were not measured count as before") {
    MeasuredNoise none = view(1);
    std::ranges::fill(none.squares, 0.0);
    std::ranges::fill(none.counts, 0.0);
    CHECK(relative_noise({none})[0] == std::vector<float>(kSide * kSide, 1.0F));
}

TEST_CASE("few pixels get more samples, and never more than so many") {
    CHECK(iteration_samples(1 << 20, 5, 4, 2) == 2);
    CHECK(iteration_samples(1 << 13, 5, 4, 2) == 4);  // 2^15 paths
    CHECK(iteration_samples(1 << 13, 32, 4, 2) == 8); // 2^11 an unknown
    CHECK(iteration_samples(0, 5, 4, 2) == 32);
}
