// SPDX-License-Identifier: Apache-2.0
// How many paths an iteration takes.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft::fit {

/// In each sample set of an iteration, where pixels are few.
inline constexpr std::int64_t kMinPaths = std::int64_t{1} << 15U;
/// In each sample set of an iteration, for each unknown.
inline constexpr std::int64_t kPathsPerNumber = std::int64_t{1} << 11U;
/// Times the samples of the settings: most samples.
inline constexpr std::int64_t kMaxSamplesFactor = 8;

/// Paths a pixel in each sample set of an iteration: more where pixels are few, for noise may lead numbers to where there is
/// no way back from.
/// @param pixels of all views that are drawn. @param unknowns their number. @param wanted samples of the settings.
/// @param least samples that are enough, 1 to `wanted`.
[[nodiscard]] constexpr std::int64_t iteration_samples(std::int64_t pixels, std::int64_t unknowns,
                                                       std::int64_t wanted, std::int64_t least) {
    const std::int64_t paths = std::max(kMinPaths, kPathsPerNumber * unknowns);
    return std::min(std::max(paths / std::max<std::int64_t>(pixels, 1), least),
                    kMaxSamplesFactor * wanted);
}

} // namespace weft::fit
