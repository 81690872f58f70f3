// SPDX-License-Identifier: Apache-2.0
// Which pixels new draws look at, and in how many draws.
#pragma once

#include "fit/view_pixels.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::fit {

/// Most paths a pixel in each half.
inline constexpr std::int64_t kMostValidationSamples = 64;
/// Most paths of a view in one draw, where pixels are many.
inline constexpr std::size_t kValidationPathsAtOnce = std::size_t{1} << 17U;

/// Draws that show what was found beside the pictures.
struct ValidationPlan {
    std::vector<std::vector<std::uint32_t>> pixels{}; ///< that are looked at, of each view
    std::int64_t samples = 1;                         ///< paths a pixel in each half
    std::size_t at_once = 1;                          ///< most pixels of a view in one draw

    /// Draws that it takes.
    [[nodiscard]] std::size_t rounds() const noexcept;
    /// Pixels of a view in one draw: one where it has no more of them, for none would be no picture.
    [[nodiscard]] std::vector<std::uint32_t> part(std::size_t view, std::size_t round) const;
};

/// Looks at all pixels that count, or at those of tiles all over large pictures.
/// @param views pixels that count. @param samples paths a pixel in each half, at least. @param paths of all views.
[[nodiscard]] ValidationPlan plan_validation(std::span<const ViewPixels> views,
                                             std::int64_t samples, std::int64_t paths);

} // namespace weft::fit
