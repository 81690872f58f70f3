// SPDX-License-Identifier: Apache-2.0
#include "scene/alias_table.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace weft::scene {

namespace {

struct Piles {
    std::vector<std::uint32_t> small; ///< below the mean
    std::vector<std::uint32_t> large;
};

Piles split(std::span<const double> scaled) {
    Piles piles;
    for (std::uint32_t i = 0; i < scaled.size(); i++) {
        if (!(scaled[i] >= 0) || std::isinf(scaled[i])) {
            throw core::ArgumentError(
                core::text("build_alias_table: weights must be finite and not negative, entry ", i,
                           " is ", scaled[i]));
        }
        (scaled[i] < 1 ? piles.small : piles.large).push_back(i);
    }
    return piles;
}

} // namespace

AliasTable build_alias_table(std::span<const double> scaled) {
    Piles piles = split(scaled);
    std::vector<double> rest(scaled.begin(), scaled.end());
    AliasTable table;
    table.other.resize(scaled.size());
    std::iota(table.other.begin(), table.other.end(), 0U);
    while (!piles.small.empty() && !piles.large.empty()) {
        const std::uint32_t below = piles.small.back();
        const std::uint32_t above = piles.large.back();
        piles.small.pop_back();
        table.other[below] = above;
        rest[above] -= 1 - rest[below];
        if (rest[above] < 1) {
            piles.large.pop_back();
            piles.small.push_back(above);
        }
    }
    // What is left differs from 1 by rounding only.
    for (const auto* pile : {&piles.small, &piles.large}) {
        for (const std::uint32_t i : *pile) {
            rest[i] = 1;
        }
    }
    table.threshold.resize(scaled.size());
    std::ranges::transform(rest, table.threshold.begin(), [](double value) {
        return static_cast<float>(std::clamp(value, 0.0, 1.0));
    });
    return table;
}

} // namespace weft::scene
