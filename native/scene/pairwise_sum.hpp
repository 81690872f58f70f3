// SPDX-License-Identifier: Apache-2.0
// Sums of many numbers whose rounding grows with the logarithm of their count (Higham 1993), as those of numpy.
#pragma once

#include <array>
#include <cstddef>
#include <span>

namespace weft::scene {

/// Halves down to runs of 128, each summed in eight lanes.
[[nodiscard]] inline double pairwise_sum(std::span<const double> values) noexcept {
    constexpr std::size_t kLanes = 8;
    constexpr std::size_t kRun = 128;
    const std::size_t count = values.size();
    if (count > kRun) {
        const std::size_t half = count / 2 - (count / 2) % kLanes;
        return pairwise_sum(values.first(half)) + pairwise_sum(values.subspan(half));
    }
    double total = 0;
    std::size_t next = 0;
    if (count >= kLanes) {
        std::array<double, kLanes> lanes{};
        for (; next + kLanes <= count; next += kLanes) {
            for (std::size_t k = 0; k < kLanes; ++k) {
                lanes[k] += values[next + k];
            }
        }
        total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
                ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
    }
    for (; next < count; ++next) {
        total += values[next];
    }
    return total;
}

} // namespace weft::scene
