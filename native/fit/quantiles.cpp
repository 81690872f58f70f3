// SPDX-License-Identifier: Apache-2.0
#include "fit/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace weft::fit {

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
    if (values.empty()) {
        return 0;
    }
    const double at = share * static_cast<double>(values.size() - 1);
    const auto below = values.begin() + static_cast<std::ptrdiff_t>(at);
    std::ranges::nth_element(values, below);
    const auto above =
        below + 1 == values.end() ? below : std::min_element(below + 1, values.end());
    return std::lerp(*below, *above, at - std::floor(at));
}

std::vector<double> quantiles(std::vector<double> values, std::size_t bins) {
    std::vector<double> out;
    auto first = values.begin();
    for (std::size_t number = 1; number < bins; ++number) {
        const double at = static_cast<double>(number) / static_cast<double>(bins) *
                          static_cast<double>(values.size() - 1);
        const auto below = values.begin() + static_cast<std::ptrdiff_t>(at);
        // All before `first` are no larger than what follows.
        std::nth_element(first, below, values.end());
        const auto above = std::min_element(below + 1, values.end());
        out.push_back(
            std::lerp(*below, above == values.end() ? *below : *above, at - std::floor(at)));
        first = below;
    }
    return out;
}

} // namespace weft::fit
