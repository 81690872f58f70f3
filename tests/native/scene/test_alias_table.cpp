// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/alias_table.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <random>

using namespace weft;
using namespace weft::scene;

namespace {

std::vector<double> with_mean_one(std::vector<double> weights) {
    const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
    for (double& weight : weights) {
        weight *= static_cast<double>(weights.size()) / total;
    }
    return weights;
}

/// How often each entry comes, times the number of entries.
std::vector<double> shares(const AliasTable& table) {
    std::vector<double> found(table.threshold.size());
    for (std::size_t i = 0; i < found.size(); i++) {
        found[i] += static_cast<double>(table.threshold[i]);
        found[table.other[i]] += 1 - static_cast<double>(table.threshold[i]);
    }
    return found;
}

} // namespace

TEST_CASE("every entry comes as often as its weight says") {
    std::mt19937 random(7);
    std::lognormal_distribution<double> bright(0, 3);
    for (const std::size_t count : {1U, 2U, 3U, 1000U, 100'000U}) {
        std::vector<double> weights(count);
        std::ranges::generate(weights, [&] { return bright(random); });
        weights.back() = count > 1 ? 0 : 1;
        weights = with_mean_one(weights);

        const std::vector<double> found = shares(build_alias_table(weights));

        for (std::size_t i = 0; i < count; i++) {
            CHECK(found[i] == Approx(weights[i]).epsilon(1e-6).margin(1e-6));
        }
    }
}

TEST_CASE("an entry without weight never comes") {
    const AliasTable table = build_alias_table(std::vector{0.0, 3.0, 0.0, 1.0});
    CHECK(table.threshold[0] == 0);
    CHECK(table.threshold[2] == 0);
    CHECK(shares(table) == std::vector{0.0, 3.0, 0.0, 1.0});
}

TEST_CASE("weights that are no weights are named") {
    for (const double wrong : {-1.0, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_WITH(build_alias_table(std::vector{1.0, wrong}),
                          ContainsSubstring("entry 1 is"));
    }
}
