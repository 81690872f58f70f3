// SPDX-License-Identifier: Apache-2.0
// A redescending loss for photos: pixels that nothing explains lose their say.
//
// Iteratively reweighted least squares with the biweight of Beaton and Tukey (1974). Its scale is that of the noise, or of
// what most residuals are where the fit is not there yet: it shrinks from round to round (graduated non-convexity, Blake and
// Zisserman 1987), so that a fit which starts far off loses no pixel for that.
#pragma once

#include "fit/misfit.hpp"

#include <span>
#include <vector>

namespace weft::fit {

/// The weight of a residual, in (0, 1]. @param distance from 0, in standard deviations.
[[nodiscard]] float biweight(double distance) noexcept;

/// What is usual around each pixel, in units of what is usual everywhere: means in which a few that are far off count little.
/// @param fresh says which pixels were drawn. @param distance of residuals from 0, one a pixel.
[[nodiscard]] std::vector<double> usual_around(const Validation& fresh,
                                               std::span<const double> distance);

/// What residuals leave of the pixels of some pictures.
struct NewTrust {
    std::vector<std::vector<float>>
        trust{};             ///< of each picture, one number a pixel; see Validation::trust
    bool has_changed = true; ///< false: weights stand still
};

/// Weights of pixels by what is left of them; pixels that were not drawn keep theirs. What is usual is the same for all
/// pictures: one that disagrees with all others gets no scale of its own.
/// @param pictures robust ones, none null. @param with_detail residuals that are large around a pixel, too, may be detail that
///        textures do not show yet: only what stands out among them loses its say.
[[nodiscard]] NewTrust weigh_residuals(std::span<const Validation* const> pictures,
                                       bool with_detail = false);

} // namespace weft::fit
