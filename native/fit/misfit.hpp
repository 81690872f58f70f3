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
    double rounding = 0;   ///< mean square of what the steps of the file make
    std::size_t grain = 1; ///< pixels over which noise of the picture is shared
    double brightness = 1; ///< picture over render
};

[[nodiscard]] WEFT_API Misfit measure(const Validation& fresh);
/// What that makes of the picture.
[[nodiscard]] WEFT_API ViewVerdict judge(const Validation& fresh, const Misfit& found);
/// The verdict on all pictures.
[[nodiscard]] WEFT_API Verdict judge(const std::vector<Validation>& validations);

} // namespace weft::fit
