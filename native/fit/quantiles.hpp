// SPDX-License-Identifier: Apache-2.0
// Numbers below which a share of many numbers lies. For the sources of this layer.
#pragma once

#include <vector>

namespace weft::fit {

/// Of numbers in any order; the mean of the middle two of an even count; 0 of none.
[[nodiscard]] double median(std::vector<double> values);

/// The number below which `share` of the values lie, linear between neighbours; 0 of none.
/// @param share in [0, 1].
[[nodiscard]] double quantile(std::vector<double> values, double share);

} // namespace weft::fit
