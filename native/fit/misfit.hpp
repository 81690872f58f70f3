// SPDX-License-Identifier: Apache-2.0
// What is left of residuals: noise, which is each pixel's own, and misfit, which neighbours share.
//
// Noise of draws is that of independent halves, so products of a residual of one half and a residual of the other hold what
// both have: noise of the picture, and what the scene does not explain. Products of neighbours hold the latter alone,
// whatever the noise.
#pragma once

#include "core/api.hpp"
#include "fit/observation.hpp"
#include "fit/verdict.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace weft::fit {

/// A picture as new draws show it. Arrays are height x width, those of floats times 3.
struct Validation {
    const Observation* observation = nullptr; ///< never null
    std::vector<bool> counts{};               ///< which pixels were drawn
    std::vector<float> a{}; ///< residuals of one half, times `weights`; 0 where nothing was drawn
    std::vector<float> b{}; ///< of the other half
    std::vector<float> weights{}; ///< noise_weights() of the observation
    std::vector<float> trust{}; ///< what a robust loss leaves of each pixel, in (0, 1]; empty: all

    [[nodiscard]] std::size_t height() const noexcept {
        return static_cast<std::size_t>(observation->camera.height);
    }
    [[nodiscard]] std::size_t width() const noexcept {
        return static_cast<std::size_t>(observation->camera.width);
    }
};

/// All in units of the light around.
struct Misfit {
    double power =
        0; ///< mean square of residuals without noise of draws: noise of the picture, and misfit
    double misfit = 0;    ///< mean product of neighbours: what the scene does not explain, squared
    double noise = 0;     ///< mean square of the picture's noise
    double certainty = 0; ///< standard deviations by which neighbours are alike
    double outliers =
        0; ///< share of pixels that are far off alone, or that a robust loss leaves out
    double rounding = 0;    ///< mean square of what the steps of the file make
    std::size_t grain = 1;  ///< pixels over which noise of the picture is shared
    double brightness = 1;  ///< picture over render
    std::size_t pixels = 0; ///< that were drawn
};

/// Trust of a pixel that a robust loss leaves out, and below.
inline constexpr float kLeftOut = 0.1F;

[[nodiscard]] WEFT_API Misfit measure(const Validation& fresh);
/// Whether residuals are more than noise: neighbours share them, or they are too large for it however they lie.
[[nodiscard]] WEFT_API bool exceeds_noise(const Misfit& found) noexcept;
/// What that makes of a picture.
/// @param name of the observation.
[[nodiscard]] WEFT_API ViewVerdict judge(const Misfit& found, std::string name = {});
/// The verdict on all pictures.
[[nodiscard]] WEFT_API Verdict judge(const std::vector<Validation>& validations);

/// Residuals of a picture, height x width.
struct ResidualImages {
    std::size_t height = 0;
    std::size_t width = 0;
    std::span<const float> a{}; ///< of one half, three a pixel
    std::span<const float> b{}; ///< of the other half
    std::size_t grain = 1;      ///< pixels over which noise of the picture is shared
};

/// What neighbours have in common.
struct SharedResidual {
    double product = 0;   ///< mean product of neighbours in different halves
    double certainty = 0; ///< standard deviations by which it is not 0
};

/// Of the scale where it is most certain: misfit of large extent shows in means of squares, where noise is small.
/// @param counts pixels that count, one flag a pixel.
[[nodiscard]] WEFT_API SharedResidual find_shared(const ResidualImages& residuals,
                                                  const std::vector<bool>& counts);

} // namespace weft::fit
