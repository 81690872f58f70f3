// SPDX-License-Identifier: Apache-2.0
#include "scene/camera.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace weft::scene {

using core::ArgumentError;
using core::text;

void require_valid(const Camera& camera) {
    constexpr std::int64_t kMaxPixels = std::int64_t{1} << 31U;
    if (camera.width < 1 || camera.height < 1 || camera.width >= kMaxPixels ||
        camera.height >= kMaxPixels || camera.width * camera.height >= kMaxPixels) {
        throw ArgumentError(text("Camera '", camera.name, "': the image must have pixels, got ",
                                 camera.width, " x ", camera.height));
    }
    if (!(camera.fov > 0 && camera.fov < std::numbers::pi)) {
        throw ArgumentError(text("Camera '", camera.name,
                                 "': fov must lie between 0 and pi radians, got ", camera.fov));
    }
    if (!std::ranges::all_of(camera.transform, [](double entry) { return std::isfinite(entry); })) {
        throw ArgumentError(
            text("Camera '", camera.name, "': transform must be a finite (4, 4) or (3, 4) matrix"));
    }
}

Film film_of(const Camera& camera) {
    constexpr double kPi = std::numbers::pi;
    if (camera.kind == CameraKind::equirectangular) {
        return {.low = {-kPi, -kPi / 2}, .high = {kPi, kPi / 2}};
    }
    const bool is_wide = camera.sensor_fit == SensorFit::automatic
                             ? camera.width >= camera.height
                             : camera.sensor_fit == SensorFit::horizontal;
    const double extent =
        camera.kind == CameraKind::orthographic ? camera.scale : 2 * std::tan(camera.fov / 2);
    const auto width = static_cast<double>(camera.width);
    const auto height = static_cast<double>(camera.height);
    const double pixel = extent / (is_wide ? width : height);
    const std::array<double, 2> half{width * pixel / 2, height * pixel / 2};
    Film film{};
    for (std::size_t k = 0; k < half.size(); k++) {
        const double centre = camera.shift.at(k) * extent;
        film.low.at(k) = centre - half.at(k);
        film.high.at(k) = centre + half.at(k);
    }
    return film;
}

std::array<double, 3> forward_of(const Camera& camera) {
    if (camera.kind == CameraKind::equirectangular) {
        return {};
    }
    constexpr std::size_t kColumns = 4;
    constexpr std::size_t kBack = 2;
    return {-camera.transform[kBack], -camera.transform[kColumns + kBack],
            -camera.transform[2 * kColumns + kBack]};
}

} // namespace weft::scene
