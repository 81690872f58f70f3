// SPDX-License-Identifier: Apache-2.0
// Which pixels a fit of a few numbers draws: those that hold the information.
#pragma once

#include "fit/residuals.hpp"

#include <cstddef>
#include <vector>

namespace weft::fit {

/// Rows and columns from one pixel of the first look to the next. @param counted pixels of all views that count.
[[nodiscard]] std::size_t pilot_stride(std::size_t counted) noexcept;

/// The leverage of each residual, J_A H^-1 J_B': their sum is the number of unknowns that the residuals determine.
/// @throws ArgumentError if the arrays do not fit together.
[[nodiscard]] std::vector<double> leverages(const SamplePair& pair, std::size_t unknowns);

/// From which information on pixels are kept, so that these hold a share of all of it; 0: there is none.
/// @param information one a pixel. @param share in (0, 1].
[[nodiscard]] float information_threshold(std::vector<float> information, float share);

} // namespace weft::fit
