// SPDX-License-Identifier: Apache-2.0
// A picture that a fit explains.
#pragma once

#include "core/api.hpp"
#include "render/path_settings.hpp"
#include "scene/camera.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace weft::fit {

/// A pixel has so many residuals, which follow each other and share their noise.
inline constexpr std::size_t kChannels = 3;

/// A plain value; require_valid() says what holds of it.
struct Observation {
    std::string name = "target"; ///< in messages and in names of results
    scene::Camera camera{};      ///< that has seen it
    /// Radiance, linear Rec.709: height x width x 3 of the camera, rows from the top. Finite where a pixel counts.
    std::vector<float> image{};
    /// Weight of each pixel, 0 to 1. Empty: all count alike.
    std::vector<float> mask{};
    render::PixelFilter filter = render::PixelFilter::box; ///< of the picture
    double filter_width = 1;                               ///< of the whole filter, pixels, above 0
    /// Pixels that nothing explains lose their say, by a redescending loss, once numbers stand nearly still: for photos. False:
    /// all count by their squares.
    bool robust = false;
    /// Standard deviation of what the steps of a file have made of each number, linear light, as many as `image`; empty:
    /// nothing.
    std::vector<float> rounding{};
    std::size_t grain = 1; ///< pixels over which noise of the picture is shared, from 1: 8 for JPEG
    /// What shines in the picture: place of the scene in RendererDesc::lit_by, from 1; 0: the scene's own lights. Not set:
    /// those that the renderer has selected when the fit is made.
    std::optional<std::size_t> lights{};
};

/// Their cameras, in their order.
[[nodiscard]] WEFT_API std::vector<scene::Camera>
cameras_of(std::span<const Observation> observations);

/// @throws ArgumentError that names the observation unless it has the camera's size, its mask is in range and leaves a
///         pixel, the pixels that count are finite, not all black, and negative by noise at most, and what a file has done is in
///         range.
WEFT_API void require_valid(const Observation& observation);
/// @throws ArgumentError if there is none, or as for one.
WEFT_API void require_valid(const std::vector<Observation>& observations);

/// One weight a pixel and channel, for noise that grows with the radiance around: relative errors count, down to half of
/// the picture's mean. Differentiable in nothing: a constant of the fit.
/// @param observation a valid one. @param display_noise light that a display hardly tells apart, one number for each of
///        the image: what it hides counts less; empty: nothing.
[[nodiscard]] WEFT_API std::vector<float> noise_weights(const Observation& observation,
                                                        std::span<const float> display_noise = {});

} // namespace weft::fit
