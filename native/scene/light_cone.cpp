// SPDX-License-Identifier: Apache-2.0
#include "scene/light_cone.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::scene {

namespace {

using std::numbers::pi;
using Vector = std::array<double, 3>;

double dot(const Vector& a, const Vector& b) noexcept {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/// `a` rotated by `angle` towards `b`, both unit; nullopt-like zero vector if they are opposite.
Vector rotated(const Vector& a, const Vector& b, double angle) noexcept {
    const double along = dot(a, b);
    Vector side{b[0] - along * a[0], b[1] - along * a[1], b[2] - along * a[2]};
    const double length = std::sqrt(dot(side, side));
    if (length < 1e-12) {
        return {0, 0, 0};
    }
    const double cosine = std::cos(angle);
    const double sine = std::sin(angle);
    Vector out{};
    for (std::size_t k = 0; k < 3; ++k) {
        out[k] = cosine * a[k] + sine * side[k] / length;
    }
    return out;
}

} // namespace

LightCone join(const LightCone& a, const LightCone& b) noexcept {
    const LightCone& wide = a.theta_o >= b.theta_o ? a : b;
    const LightCone& narrow = a.theta_o >= b.theta_o ? b : a;
    LightCone out{wide.axis, wide.theta_o, std::max(a.theta_e, b.theta_e)};
    if (wide.theta_o >= pi) { // nothing is outside of it
        return out;
    }
    const double between = std::acos(std::clamp(dot(a.axis, b.axis), -1.0, 1.0));
    if (std::min(between + narrow.theta_o, pi) <= wide.theta_o) {
        return out;
    }
    out.theta_o = (wide.theta_o + between + narrow.theta_o) / 2;
    const Vector axis = rotated(wide.axis, narrow.axis, out.theta_o - wide.theta_o);
    if (out.theta_o >= pi || dot(axis, axis) < 0.5) {
        out.theta_o = pi;
        return out;
    }
    out.axis = axis;
    return out;
}

double solid_angle_measure(const LightCone& cone) noexcept {
    const double o = cone.theta_o;
    const double w = std::min(o + cone.theta_e, pi);
    return 2 * pi * (1 - std::cos(o)) +
           pi / 2 * (2 * w * std::sin(o) - std::cos(o - 2 * w) - 2 * o * std::sin(o) + std::cos(o));
}

} // namespace weft::scene
