// SPDX-License-Identifier: Apache-2.0
// Drawing from a discrete distribution in constant time.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

/// Entry i, drawn uniformly, is kept with probability threshold[i] and replaced by other[i] otherwise.
struct AliasTable {
    std::vector<float> threshold; ///< in [0, 1]
    std::vector<std::uint32_t> other;
};

/// Returns the table of the alias method (Walker 1977), built in linear time as Vose (1991) does. The order in which
/// entries are paired is fixed: the last small one with the last large one.
///
/// @param scaled weights, none negative, with mean 1
/// @throws ArgumentError that names the entry for a weight that is negative, NaN or infinite
AliasTable build_alias_table(std::span<const double> scaled);

} // namespace weft::scene
