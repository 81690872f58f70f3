// SPDX-License-Identifier: Apache-2.0
#include "scene/media.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace weft::scene {

namespace {

using Vector = std::array<double, 3>;

constexpr Vector kWay{0.2113, 0.1327, 0.9684};
constexpr std::size_t kNumbers = 9;

constexpr Vector minus(const double* a, const double* b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
constexpr Vector cross(const Vector& a, const Vector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
constexpr double dot(const Vector& a, const Vector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// 1: the way enters the triangle through its front; -1: it leaves by its back; 0: it misses (Möller and Trumbore 1997).
int crossing(const double* corners, const Vector& place) {
    const Vector e1 = minus(corners + 3, corners);
    const Vector e2 = minus(corners + 6, corners);
    const Vector s = minus(place.data(), corners);
    const Vector h = cross(kWay, e2);
    const Vector q = cross(s, e1);
    const double determinant = dot(e1, h);
    if (determinant == 0) {
        return 0;
    }
    const double u = dot(s, h) / determinant;
    const double v = dot(q, kWay) / determinant;
    const bool is_hit = u >= 0 && v >= 0 && u + v <= 1 && dot(e2, q) / determinant > 0;
    return is_hit ? (determinant > 0 ? 1 : -1) : 0;
}

} // namespace

bool is_inside(std::span<const double> corners, const Vector& place, bool is_mirrored) {
    if (corners.size() % kNumbers != 0) {
        throw core::ArgumentError(core::text("is_inside: a triangle has 9 numbers, got ",
                                             corners.size(), "; give three corners each"));
    }
    std::ptrdiff_t entered = 0;
    for (std::size_t at = 0; at < corners.size(); at += kNumbers) {
        entered += crossing(corners.data() + at, place);
    }
    return (is_mirrored ? -entered : entered) < 0;
}

} // namespace weft::scene
