// SPDX-License-Identifier: Apache-2.0
// Three doubles: what tables of geometry are computed in.
#pragma once

#include <array>
#include <cmath>

namespace weft::scene {

using Double3 = std::array<double, 3>;

[[nodiscard]] inline double dot(const Double3& a, const Double3& b) noexcept {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

[[nodiscard]] inline Double3 difference(const Double3& a, const Double3& b) noexcept {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}

[[nodiscard]] inline Double3 cross(const Double3& a, const Double3& b) noexcept {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

[[nodiscard]] inline double length(const Double3& v) noexcept {
    return std::sqrt(dot(v, v));
}

/// Length 1, or 0 where a vector has none.
[[nodiscard]] inline Double3 unit_or_zero(const Double3& v) noexcept {
    const double size = length(v);
    return size > 0 ? Double3{v[0] / size, v[1] / size, v[2] / size} : Double3{};
}

} // namespace weft::scene
