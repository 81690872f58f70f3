// SPDX-License-Identifier: Apache-2.0
// How the iterations of a fit move textures: coarse structure first.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace weft::fit {

/// How one of the iterations of a fit moves textures.
struct StepSchedule {
    std::int64_t blur = 0; ///< radius, texels, over which steps are averaged
    /// The largest radius over the shorter side of a map.
    double widest_blur = std::numeric_limits<double>::infinity();
    double rate = 1;          ///< share of the full step, in (0, 1]
    double momentum = 0;      ///< share of the step before that goes on (Polyak 1964), in [0, 1)
    std::int64_t samples = 1; ///< paths a pixel in each sample set
    bool is_averaged = false; ///< results are averaged
};

/// Coarse structure comes first, from few samples: its errors are larger than the noise.
/// @param iteration its number, from 0. @param iterations of the fit, at least 1.
/// @param samples of the iterations that count most.
[[nodiscard]] StepSchedule texture_schedule(std::size_t iteration, std::size_t iterations,
                                            std::int64_t samples);

/// Whether the loss of the last quarter of the draws is not below the quarter before. Differences that two standard errors
/// explain, of less than a fifth, or small beside the noise of a draw, do not count. Fewer than eight losses cannot tell.
/// @param losses of the draws. @param noise variance of the mean residual of a draw, by that draw.
[[nodiscard]] bool has_settled(std::span<const double> losses, double noise);

/// Mean and sample variance of numbers, at least two for the variance.
struct Moments {
    double mean = 0;
    double variance = 0;
};
[[nodiscard]] Moments moments_of(std::span<const double> values);

} // namespace weft::fit
