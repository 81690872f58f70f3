// SPDX-License-Identifier: Apache-2.0
// Bounds of the directions in which lights shine.
#pragma once

#include <array>
#include <limits>

namespace weft::scene {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Directions within `theta_e` of one that is within `theta_o` of `axis`. Radians.
struct LightCone {
    std::array<double, 3> axis{0, 0, 1}; ///< unit
    double theta_o = 0;
    double theta_e = 0;
};

/// The smallest cone around the axes of both, with the wider emission (Conty Estevez and Kulla 2018, algorithm 1).
[[nodiscard]] LightCone join(const LightCone& a, const LightCone& b) noexcept;

/// How much of all directions a cone covers, weighted by the cosine beyond `theta_o` (the same, section 4.3):
/// 4 pi at most.
[[nodiscard]] double solid_angle_measure(const LightCone& cone) noexcept;

} // namespace weft::scene
