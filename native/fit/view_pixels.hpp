// SPDX-License-Identifier: Apache-2.0
// Which pixels of a picture count, and which of them are drawn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::fit {

/// Some pixels of a picture.
struct ViewPixels {
    std::vector<std::uint32_t> pixels; ///< y * width + x, ascending
    std::size_t width = 1;             ///< of the picture
};

/// The pixels that have a weight, ascending.
/// @param weights three a pixel of the picture; 0: it does not count.
[[nodiscard]] std::vector<std::uint32_t> counted_pixels(std::span<const float> weights);

/// The pixels whose flags are set, ascending. @param flags one a pixel of the picture.
[[nodiscard]] std::vector<std::uint32_t> flagged_pixels(const std::vector<bool>& flags);

/// The pixels of both, ascending. @param one ascending, as is `other`.
[[nodiscard]] std::vector<std::uint32_t> united_pixels(std::span<const std::uint32_t> one,
                                                       std::span<const std::uint32_t> other);

/// Those in every `stride`-th row and column; all if there are none.
[[nodiscard]] std::vector<std::uint32_t> lattice_of(ViewPixels counted, std::size_t stride);

/// Means over squares of side 2 `radius` + 1, one for each of `shown`; 0 where none is drawn nearby.
/// @param height of the picture. @param values one a pixel of `drawn`. @param shown numbers of pixels.
[[nodiscard]] std::vector<float> spread(const ViewPixels& drawn, std::size_t height,
                                        std::span<const double> values,
                                        std::span<const std::uint32_t> shown, std::size_t radius);

} // namespace weft::fit
