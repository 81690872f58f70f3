// SPDX-License-Identifier: Apache-2.0
// How paths are traced.
#pragma once

#include "core/api.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace weft::render {

/// Of pixels, in the order of FilterKind of filter.slang; filter_width is the width of the whole.
enum class PixelFilter : std::uint8_t { box, tent, blackman_harris };
/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 3> kPixelFilters{"box", "tent", "blackman_harris"};

/// A plain value; require_valid() says what holds of it. Its defaults are those of scripts (weft/defaults.py).
struct PathSettings {
    std::int64_t samples = 64; ///< paths a pixel, from 1
    std::int64_t bounces = 8;  ///< surfaces that a path may leave; 0: only what cameras see shine
    std::int64_t seed = 0;     ///< equal seeds give equal pictures; 0 to 2^32 - 1
    std::int64_t first_sample = 0;         ///< pictures of 0..n-1 and of n..2n-1 are independent
    PixelFilter filter = PixelFilter::box; ///< paths have weight 1 and its density
    double filter_width = 1;               ///< of the whole filter, pixels, above 0
    /// Bounce from which paths with little to bring may end; not set: never.
    std::optional<std::int64_t> roulette_from = 3;
    /// Samples of different periods are independent, those of one are stratified together. Not set: one period.
    std::optional<std::int64_t> period{};
    /// Transparent surfaces that a path, or a light ray, may pass; further ones are opaque.
    std::int64_t transparent_bounces = 8;
    bool shows_environment = true; ///< cameras see it where they look past everything; else black
    double exposure = 1;           ///< factor of the picture, from 0
};

/// @throws ArgumentError that says which number is out of its range.
WEFT_API void require_valid(const PathSettings& settings);

} // namespace weft::render
