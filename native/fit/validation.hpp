// SPDX-License-Identifier: Apache-2.0
// New draws of what a fit has found, beside its pictures: samples that the fit has not seen.
#pragma once

#include "fit/misfit.hpp"
#include "fit/scalar_model.hpp"
#include "fit/view.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace weft::fit {

/// Draws all pixels that count, or those of tiles all over large pictures.
/// @param model of the views. @param x what was found. @param views stay as they are.
/// @param samples paths a pixel in each half, at least. @param paths of all views. @throws as ScalarModel::draw().
[[nodiscard]] std::vector<Validation>
draw_validations(ScalarModel& model, std::span<const double> x, std::vector<View>& views,
                 std::int64_t samples, std::int64_t paths = std::int64_t{1} << 20U);

} // namespace weft::fit
