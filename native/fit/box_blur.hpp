// SPDX-License-Identifier: Apache-2.0
// Means over squares of images on the host.
#pragma once

#include "core/api.hpp"

#include <cstddef>
#include <span>

namespace weft::fit {

struct ImageShape {
    std::size_t height = 0;   ///< pixels
    std::size_t width = 0;    ///< pixels
    std::size_t channels = 1; ///< floats a pixel

    [[nodiscard]] std::size_t size() const noexcept { return height * width * channels; }
};

/// Replaces each pixel by the mean over the square of side 2 `radius` + 1 around it, as far as the square lies in the
/// image. Takes time in proportion to the pixels times log(radius).
/// @param image rows from the top. @throws ArgumentError if it is not as large as `shape` says.
WEFT_API void box_blur(std::span<float> image, const ImageShape& shape, std::size_t radius = 2);

} // namespace weft::fit
