// SPDX-License-Identifier: Apache-2.0
// Standard errors where residuals of neighbours are alike: of a scene that is not quite right.
//
// The sandwich estimator takes the residuals of each pixel for independent ones. What a scene does not explain extends over
// many pixels: squares of pixels are the clusters then (Conley 1999; Bester, Conley, Hansen 2011). Which extent it has is
// not known: the size of square counts that makes an error largest.
#pragma once

#include "fit/matrix.hpp"
#include "fit/residuals.hpp"
#include "fit/view_pixels.hpp"

#include <span>

namespace weft::fit {

/// The factor, at least 1, by which each standard error grows.
/// @param pair residuals of the pixels of the views, in their order. @param views the pixels that were drawn.
/// @param matrix H of the normal equations. @throws ArgumentError if the arrays do not fit together.
[[nodiscard]] Vector inflation(const SamplePair& pair, std::span<const ViewPixels> views,
                               const Matrix& matrix);

} // namespace weft::fit
