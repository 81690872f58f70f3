// SPDX-License-Identifier: Apache-2.0
// New draws of what a fit has found, beside its pictures: samples that the fit has not seen.
#pragma once

#include "fit/misfit.hpp"
#include "fit/residuals.hpp"
#include "fit/view.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace weft::fit {

/// Residuals of new samples of the pixels that views draw now, at what was found; later iterations are as if there had been
/// none. Takes paths a pixel in each half, and the number of the draw that the samples follow from; throws as draws do.
using Look = std::function<ResidualPair(std::int64_t samples, std::uint64_t draw)>;

/// Draws all pixels that count, or those of tiles all over large pictures.
/// @param look at the views. @param views stay as they are.
/// @param samples paths a pixel in each half, at least. @param paths of all views. @throws as `look`.
[[nodiscard]] std::vector<Validation> draw_validations(const Look& look, std::vector<View>& views,
                                                       std::int64_t samples,
                                                       std::int64_t paths = std::int64_t{1} << 20U);

/// Renders some pixels of the pictures at what was found, whether or not they count.
/// @param look at the views. @param views stay as they are. @param pixels of each view, y * width + x.
/// @param samples paths a pixel in each half. @param draw number that the samples follow from.
/// @return render minus picture, three a pixel of each view. @throws as `look`.
[[nodiscard]] std::vector<std::vector<float>>
draw_differences(const Look& look, std::vector<View>& views,
                 const std::vector<std::vector<std::uint32_t>>& pixels, std::int64_t samples,
                 std::uint64_t draw);

} // namespace weft::fit
