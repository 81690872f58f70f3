// SPDX-License-Identifier: Apache-2.0
// Pictures in another size.
#pragma once

#include "fit/observation.hpp"

#include <cstddef>

namespace weft::job {

/// An observation whose image, mask and rounding have `width` x `height` pixels, brought to the size of its camera, of the
/// same aspect: means over areas where pixels become fewer, else linear interpolation. A new pixel counts if all that it
/// covers did. Filters stay as they are, in pixels.
/// @throws ArgumentError if the aspect differs by more than a pixel.
[[nodiscard]] fit::Observation resized(fit::Observation observation, std::size_t width,
                                       std::size_t height);

} // namespace weft::job
