// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace weft::job {

/// Linear light of an encoded number (IEC 61966-2-1), as weft.colors has it: odd around 0, nothing is clipped.
[[nodiscard]] inline float linear_from_srgb(float encoded) noexcept {
    const float size = std::abs(encoded);
    const float linear =
        size <= 0.04045F ? size / 12.92F : std::pow((size + 0.055F) / 1.055F, 2.4F);
    return std::copysign(linear, encoded);
}

/// The derivative of the encoded number with respect to linear light of 0 and above.
[[nodiscard]] inline double srgb_derivative(double light) noexcept {
    constexpr double kLinearEnd = 0.0031308;
    return light <= kLinearEnd ? 12.92 : 1.055 / 2.4 * std::pow(light, 1 / 2.4 - 1);
}

} // namespace weft::job
