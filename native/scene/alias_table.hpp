// SPDX-License-Identifier: Apache-2.0
// Drawing from a discrete distribution in constant time.
#pragma once

#include "core/api.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

/// Entry i, drawn uniformly, is kept with probability `threshold` and replaced by entry `other` otherwise.
struct AliasEntry {
    float threshold = 0; ///< in [0, 1]
    std::uint32_t other = 0;
};
static_assert(sizeof(AliasEntry) == 2 * sizeof(std::uint32_t));

/// Returns the table of the alias method (Walker 1977), built in linear time as Vose (1991) does. The order in which
/// entries are paired is fixed: the last small one with the last large one.
///
/// @param weights at least one, none negative; all zero counts as all equal
/// @throws ArgumentError that names the entry for a weight that is negative, NaN or infinite
[[nodiscard]] WEFT_API std::vector<AliasEntry> build_alias_table(std::span<const double> weights);

/// The same into other memory, for tables with more in an entry.
/// @param first of the bytes of the entries. @param stride bytes from one to the next, at least sizeof(AliasEntry).
/// @param total of `weights`, 0: they are all equal
void fill_alias_table(std::span<const double> weights, double total, std::byte* first,
                      std::size_t stride);

} // namespace weft::scene
