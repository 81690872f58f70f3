// SPDX-License-Identifier: Apache-2.0
// Numbers below which a share of many numbers lies. For the sources of this layer.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::fit {

/// Of numbers in any order; the mean of the middle two of an even count; 0 of none.
[[nodiscard]] double median(std::vector<double> values);

/// The number below which `share` of the values lie, linear between neighbours; 0 of none.
/// @param share in [0, 1].
[[nodiscard]] double quantile(std::vector<double> values, double share);

/// Numbers between which equally many of the values lie, linear between neighbours: `bins` - 1 of them, ascending.
/// @param values in any order, at least one. @param bins at least 1.
[[nodiscard]] std::vector<double> quantiles(std::vector<double> values, std::size_t bins);

} // namespace weft::fit
