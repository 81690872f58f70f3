// SPDX-License-Identifier: Apache-2.0
// The noise that renders have, pixel by pixel, as the halves of draws tell it.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::fit {

/// What draws have shown of a view, one entry a pixel of its picture.
struct MeasuredNoise {
    std::size_t height = 0;
    std::size_t width = 0;
    std::vector<double> squares{}; ///< sums of mean squared differences of the weighted residuals
    std::vector<double> counts{};  ///< draws of each
};

/// The noise of weighted residuals, of what is usual in all views, for each pixel: pooled over squares, for a few samples of
/// one pixel say little. 1 where it is usual or less, or nothing was measured; at most 32.
[[nodiscard]] std::vector<std::vector<float>>
relative_noise(const std::vector<MeasuredNoise>& views);

} // namespace weft::fit
