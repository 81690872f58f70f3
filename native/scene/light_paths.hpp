// SPDX-License-Identifier: Apache-2.0
// Limits of paths. A plain value; any thread may read it.
#pragma once

#include <cstdint>
#include <optional>

namespace weft::scene {

/// Limits of paths beside their number of bounces, those of Cycles' light paths; as it stands it has no effect. Fits honour
/// them but for the clamps.
struct LightPaths {
    /// Surfaces that a path may leave in a diffuse reflection, 0 to 62; not set: as many as it may leave at all.
    std::optional<std::uint32_t> diffuse_bounces{};
    std::optional<std::uint32_t>
        glossy_bounces{}; ///< reflected by facets or a mirror, 0 to 62; not set: as above
    std::optional<std::uint32_t>
        transmission_bounces{}; ///< through the surface, 0 to 62; not set: as above
    std::optional<std::uint32_t>
        volume_bounces{}; ///< scattered in a medium, 0 to 62; not set: as above
    /// Most that one light may add to a sample where it is seen or lights what the camera sees, as a mean of the channels;
    /// 0: all of it.
    double clamp_direct = 0;
    double clamp_indirect = 0;       ///< the same after a bounce; 0: all of it
    double filter_glossy = 0;        ///< density, 1/sr, below which facets are rougher; 0: never
    bool reflective_caustics = true; ///< false: facets reflect no light towards diffuse surfaces
    bool refractive_caustics = true; ///< false: facets refract no light towards diffuse surfaces

    friend bool operator==(const LightPaths&, const LightPaths&) = default;
};

} // namespace weft::scene
