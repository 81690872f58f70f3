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

/// How often each entry comes, times the number of entries.
std::vector<double> shares(const std::vector<AliasEntry>& table) {
    std::vector<double> found(table.size());
    for (std::size_t i = 0; i < found.size(); i++) {
        found[i] += static_cast<double>(table[i].threshold);
        found[table[i].other] += 1 - static_cast<double>(table[i].threshold);
    }
    return found;
}

/// The method as Vose (1991) writes it, with a pile of small and a pile of large entries.
std::vector<AliasEntry> from_piles(const std::vector<double>& scaled) {
    std::vector<double> rest = scaled;
    std::vector<std::uint32_t> small;
    std::vector<std::uint32_t> large;
    std::vector<AliasEntry> table(scaled.size());
    for (std::uint32_t i = 0; i < scaled.size(); i++) {
        table[i] = {1, i};
        (scaled[i] < 1 ? small : large).push_back(i);
    }
    while (!small.empty() && !large.empty()) {
        const std::uint32_t below = small.back();
        const std::uint32_t above = large.back();
        small.pop_back();
        table[below] = {static_cast<float>(rest[below]), above};
        rest[above] -= 1 - rest[below];
        if (rest[above] < 1) {
            large.pop_back();
            small.push_back(above);
        }
    }
    return table;
}

std::vector<double> bright_weights(std::size_t count, unsigned seed) {
    std::mt19937 random(seed);
    std::lognormal_distribution<double> bright(0, 3);
    std::vector<double> weights(count);
    std::ranges::generate(weights, [&] { return bright(random); });
    weights.back() = count > 1 ? 0 : 1;
    return weights;
}

} // namespace

TEST_CASE("every entry comes as often as its weight says") {
    for (const std::size_t count : {1U, 2U, 3U, 63U, 64U, 65U, 1000U, 100'000U}) {
        const std::vector<double> weights = bright_weights(count, 7);
        const double total = std::accumulate(weights.begin(), weights.end(), 0.0);

        const std::vector<double> found = shares(build_alias_table(weights));

        for (std::size_t i = 0; i < count; i++) {
            const double expected = weights[i] * static_cast<double>(count) / total;
            CHECK(found[i] == Approx(expected).epsilon(1e-6).margin(1e-6));
        }
    }
}

TEST_CASE("entries are paired as by two piles") {
    for (unsigned seed = 0; seed < 40; seed++) {
        std::vector<double> weights = bright_weights(2 + 17 * seed, seed);
        weights[0] += static_cast<double>(weights.size()) -
                      std::accumulate(weights.begin(), weights.end(), 0.0);
        if (weights[0] < 0) {
            continue;
        }
        std::vector<AliasEntry> table(weights.size());

        // With this total a weight is its own multiple of the mean.
        fill_alias_table(weights, static_cast<double>(weights.size()),
                         reinterpret_cast<std::byte*>(table.data()), sizeof(AliasEntry));

        const std::vector<AliasEntry> expected = from_piles(weights);
        for (std::size_t i = 0; i < table.size(); i++) {
            CHECK(table[i].threshold == std::clamp(expected[i].threshold, 0.0F, 1.0F));
            CHECK(table[i].other == expected[i].other);
        }
    }
}

TEST_CASE("an entry without weight never comes") {
    const std::vector<AliasEntry> table = build_alias_table(std::vector{0.0, 3.0, 0.0, 1.0});
    CHECK(table[0].threshold == 0);
    CHECK(table[2].threshold == 0);
    CHECK(shares(table) == std::vector{0.0, 3.0, 0.0, 1.0});
}

TEST_CASE("weights that are all zero count as equal") {
    CHECK(shares(build_alias_table(std::vector{0.0, 0.0, 0.0})) == std::vector{1.0, 1.0, 1.0});
}

TEST_CASE("weights that are no weights are named") {
    for (const double wrong : {-1.0, -0.5, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()}) {
        CHECK_THROWS_WITH(build_alias_table(std::vector{1.0, wrong}),
                          ContainsSubstring("entry 1 is"));
    }
}
