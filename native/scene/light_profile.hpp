// SPDX-License-Identifier: Apache-2.0
// How the radiance of a light differs with direction, as measured lights (IES) or nodes of lights have it.
#pragma once

#include "core/api.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace weft::scene {

/// Factors of a light's radiance. Plain data, made once and not changed after: any thread may read it.
struct LightProfile {
    /// Factor by the direction in which light leaves: linear RGB, (height, width, 3), equirectangular in world space whatever
    /// the light's own direction, the top row (+z) first; finite, not negative.
    std::span<const float> image{};
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    /// Light falls off with the square of the distance times the distance to this power: 0 (as in nature) to 2 (not at
    /// all). Suns do not fall off.
    double distance_power = 0;
    /// m^2 that soften the falloff near the light: a factor d^2 / (smooth + d^2) at the distance d; not negative.
    double smooth = 0;
    std::shared_ptr<void> owner{}; ///< keeps the memory of the image
};

/// Takes the image: it is the profile's own.
/// @throws ArgumentError if there are not height x width x 3 numbers, or if there are none, and as require_profile() does.
[[nodiscard]] WEFT_API std::shared_ptr<const LightProfile>
light_profile(std::vector<float> image, std::uint32_t width, std::uint32_t height,
              double distance_power = 0, double smooth = 0);

/// @param power_shown, smooth_shown what came, as messages show it.
/// @throws ArgumentError for a factor that is negative or not finite, and for numbers out of range.
void require_profile(const LightProfile& profile, std::string_view power_shown,
                     std::string_view smooth_shown);

/// The luminance of a profile's image over all directions.
[[nodiscard]] WEFT_API double mean_factor(const LightProfile& profile);

/// Lays profiles out one after the other, as shaders/weft/render/light_profile.slang reads them; not thread-safe.
class ProfileTable {
public:
    /// Where the profile begins, from 1 on; one that was added before begins where it did.
    /// @throws ArgumentError if the table would have 2^32 words.
    std::uint32_t add(const std::shared_ptr<const LightProfile>& profile);
    /// Words of all, as bits of floats; a zero stands before them.
    [[nodiscard]] std::vector<float> take() && { return std::move(m_words); }

private:
    struct Entry {
        std::shared_ptr<const LightProfile> profile;
        std::uint32_t first = 0;
    };
    std::vector<Entry> m_entries;
    std::vector<float> m_words{0.0F};
};

} // namespace weft::scene
