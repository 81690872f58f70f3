// SPDX-License-Identifier: Apache-2.0
// Standard errors where residuals of neighbours are alike: of a scene that is not quite right.
//
// The sandwich estimator takes the residuals of each pixel for independent ones. What a scene does not explain extends over
// many pixels: squares of pixels are the clusters then (Conley 1999; Bester, Conley, Hansen 2011). Which extent it has is
// not known: the size of square counts that makes an error largest.
#pragma once

#include "fit/gauss_newton.hpp"
#include "fit/matrix.hpp"
#include "fit/view.hpp"

#include <vector>

namespace weft::fit {

/// The factor, at least 1, by which each standard error grows.
/// @param model of the pixels of the views, in their order. @param matrix H of the normal equations.
[[nodiscard]] Vector inflation(const GaussNewton::AveragedModel& model,
                               const std::vector<View>& views, const Matrix& matrix);

} // namespace weft::fit
