// SPDX-License-Identifier: Apache-2.0
// Pictures in another size.
#pragma once

#include "fit/observation.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace weft::job {

/// An observation whose image, mask and rounding have `width` x `height` pixels, brought to the size of its camera, of the
/// same aspect: means over areas where pixels become fewer, else linear interpolation. A new pixel counts if all that it
/// covers did. Filters stay as they are, in pixels.
/// @throws ArgumentError if the aspect differs by more than a pixel.
[[nodiscard]] fit::Observation resized(fit::Observation observation, std::size_t width,
                                       std::size_t height);

/// How many pixels an image has, and of how many numbers each.
struct ImageSize {
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t channels = 1;
};

/// An image with another width and height, of any aspect: means over areas where pixels become fewer, else linear
/// interpolation. @param pixels of a size of at least one pixel. @param width from 1. @param height from 1.
[[nodiscard]] std::vector<float> resampled(std::span<const float> pixels, const ImageSize& size,
                                           std::size_t width, std::size_t height);

} // namespace weft::job
