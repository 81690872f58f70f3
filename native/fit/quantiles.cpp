// SPDX-License-Identifier: Apache-2.0
#include "fit/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace weft::fit {

namespace {

/// The value at a place of the sorted values, linear between neighbours. Sorts as far as it takes.
/// @param first none before it is larger than those from it on. @param at from `first` to the last place.
double between(std::vector<double>& values, std::ptrdiff_t first, double at) {
    const auto below = values.begin() + static_cast<std::ptrdiff_t>(at);
    std::nth_element(values.begin() + first, below, values.end());
    const auto above =
        below + 1 == values.end() ? below : std::min_element(below + 1, values.end());
    return std::lerp(*below, *above, at - std::floor(at));
}

} // namespace

double median(std::vector<double> values) {
    if (values.empty()) {
        return 0;
    }
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::ranges::nth_element(values, middle);
    return values.size() % 2 == 1 ? *middle
                                  : (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double quantile(std::vector<double> values, double share) {
    return values.empty() ? 0 : between(values, 0, share * static_cast<double>(values.size() - 1));
}

std::vector<double> quantiles(std::vector<double> values, std::size_t bins) {
    std::vector<double> out;
    std::ptrdiff_t first = 0;
    for (std::size_t number = 1; number < bins; ++number) {
        const double at = static_cast<double>(number) / static_cast<double>(bins) *
                          static_cast<double>(values.size() - 1);
        out.push_back(between(values, first, at));
        first = static_cast<std::ptrdiff_t>(at);
    }
    return out;
}

} // namespace weft::fit
