// SPDX-License-Identifier: Apache-2.0
// Noise of a picture, told from structure of the scene.
#pragma once

#include "fit/misfit.hpp"

#include <span>
#include <vector>

namespace weft::fit {

/// The variance of a picture's noise, one a pixel, in units of the light around: robust, in bins of brightness (Foi,
/// Trimeche, Katkovnik, Egiazarian 2008), from second differences along both axes (Immerkaer 1996), which no plane and no
/// straight edge along an axis moves. The smaller one of what the picture and what its residuals vary from pixel to pixel,
/// for either may hold structure of the scene; no less than what the
/// file's rounding makes.
/// @param counts pixels that tell it.
[[nodiscard]] std::vector<double> picture_noise(const Validation& fresh,
                                                const std::vector<bool>& counts);

/// The variance by the steps of a file, one a pixel, in the same units.
[[nodiscard]] std::vector<double> rounding_variance(const Validation& fresh);

/// How far residuals are from 0, in standard deviations of noise, one a pixel: of the picture and of the draws, and of what
/// two renderers may differ by. Pixels that are far off say nothing of noise: it is estimated without them.
[[nodiscard]] std::vector<double> deviations(const Validation& fresh);

/// Which pixels are far off alone: most around them are not. @param far of deviations().
[[nodiscard]] std::vector<bool> find_outliers(const Validation& fresh, std::span<const double> far);

/// Two renderers differ by as much, of the light.
inline constexpr double kSmall = 0.01;
/// Standard deviations in a median absolute deviation of normal numbers.
inline constexpr double kNormal = 1.4826;

} // namespace weft::fit
