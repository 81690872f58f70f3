// SPDX-License-Identifier: Apache-2.0
// Linear Rec.709 colours.
#pragma once

#include <array>
#include <cstdint>

namespace weft::scene {

/// Linear red, green and blue.
using Rgb = std::array<double, 3>;

/// Of a color, a pixel of a film, a texel of an environment.
inline constexpr std::int64_t kColorChannels = 3;

/// Weights of red, green and blue (ITU-R BT.709); weft.render.frame has them in Slang, weft.colors in Python; tests
/// compare them.
inline constexpr Rgb kLuminance{0.2126, 0.7152, 0.0722};

template <typename Number>
[[nodiscard]] constexpr double luminance(const Number* rgb) noexcept {
    return kLuminance[0] * static_cast<double>(rgb[0]) +
           kLuminance[1] * static_cast<double>(rgb[1]) +
           kLuminance[2] * static_cast<double>(rgb[2]);
}
[[nodiscard]] constexpr double luminance(const Rgb& rgb) noexcept {
    return luminance(rgb.data());
}

} // namespace weft::scene
