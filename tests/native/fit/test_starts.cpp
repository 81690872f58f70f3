// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "fit/starts.hpp"
#include "support/catch.hpp"

#include <random>

using namespace weft;

namespace {

constexpr std::size_t kPixels = 900;
const std::vector<std::int64_t> kGroups{0, 0, 1, 1, 2};

/// Three groups with a third of the residuals each; noise of one target, and of two sample sets.
std::vector<bool> left_of(std::array<float, 3> misfit, const std::vector<std::int64_t>& groups) {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    std::uniform_real_distribution<float> uniform(0.5F, 1);
    std::vector<float> a;
    std::vector<float> b;
    std::vector<float> derivatives;
    for (std::size_t i = 0; i < 3 * kPixels; ++i) {
        const std::size_t owner = i / kPixels;
        const float shared = normal(random) + misfit[owner];
        a.push_back(shared + normal(random));
        b.push_back(shared + normal(random));
        for (const std::int64_t group : kGroups) {
            derivatives.push_back(static_cast<std::size_t>(group) == owner ? uniform(random)
                                                                           : 0.0F);
        }
    }
    return fit::find_left(fit::neighbor_products({a, b}, 3), derivatives, groups, 3);
}

} // namespace

TEST_CASE("only groups in another valley begin elsewhere") {
    CHECK(left_of({0, 1, 0}, kGroups) == std::vector{false, false, true, true, false});
    CHECK(left_of({1, 0, -1}, kGroups) == std::vector{true, true, false, false, true});
    CHECK(left_of({0, 0, 0}, kGroups) == std::vector<bool>(5, false));
    CHECK(left_of({0, 1, 0}, std::vector<std::int64_t>(5, 0)) == std::vector<bool>(5, true));
}

TEST_CASE("products of neighbours join clusters that follow each other") {
    const std::vector<float> a{1, 2, 3, 4, 5, 6};
    const std::vector<float> b{6, 5, 4, 3, 2, 1};

    const fit::Vector found = fit::neighbor_products({a, b}, 2);

    // a0 b2 + b0 a2 + a1 b3 + b1 a3, and the same two further.
    CHECK(found == fit::Vector{1 * 4 + 6 * 3 + 2 * 3 + 5 * 4, 3 * 2 + 4 * 5 + 4 * 1 + 3 * 6});
    CHECK_THROWS_AS(fit::neighbor_products({a, b}, 4), core::ArgumentError);
}

TEST_CASE("the loss of a group is that of the residuals that it changes") {
    const std::vector<float> a{1, 2, 3};
    const std::vector<float> derivatives{1, 0, 0, 2, 0, 0};
    const std::vector<std::int64_t> groups{0, 1};

    CHECK(fit::group_losses({a, a}, derivatives, groups) == fit::Vector{1, 4});
    CHECK(fit::group_losses({a, a}, std::vector<float>(6), groups)[0] == Approx(14 / 3.0));
}

TEST_CASE("other starts spread over the inner part of the range") {
    const fit::Vector low(220, -1.0);
    const fit::Vector high(220, 3.0);
    for (const std::size_t number : {1U, 2U, 3U}) {
        double sum = 0;
        for (const double each : fit::other_start(number, low, high)) {
            CHECK(each >= -1 + 0.1 * 4);
            CHECK(each <= -1 + 0.9 * 4);
            sum += (each + 1) / 4;
        }
        CHECK(sum / 220 == Approx(0.5).margin(0.05));
    }
}
