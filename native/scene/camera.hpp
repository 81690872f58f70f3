// SPDX-License-Identifier: Apache-2.0
// A view of a scene: which ray goes through which place of the film is shaders/weft/render/camera.slang.
#pragma once

#include "core/api.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace weft::scene {

/// In the order of CameraKind of camera.slang. equirectangular: the whole sphere.
enum class CameraKind : std::uint8_t { perspective, orthographic, equirectangular };
/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 3> kCameraKinds{"perspective", "orthographic",
                                                              "equirectangular"};

/// Which side of the image an extent measures. automatic: the longer one.
enum class SensorFit : std::uint8_t { automatic, horizontal, vertical };
/// In the order of the enumeration.
inline constexpr std::array<std::string_view, 3> kSensorFits{"auto", "horizontal", "vertical"};

/// A plain value; require_valid() says what holds of it.
struct Camera {
    std::int64_t width = 1;                    ///< pixels
    std::int64_t height = 1;                   ///< pixels
    CameraKind kind = CameraKind::perspective; ///< `fov` or `scale` counts by it
    double fov =
        0.69813170079773179; ///< perspective: angle of view along the side of sensor_fit, radians; 40 degrees
    double scale = 6; ///< orthographic: extent of the view along that side, metres
    SensorFit sensor_fit = SensorFit::automatic; ///< the side that fov, scale and shift are of
    std::array<double, 2> shift{}; ///< of the film, right and up, in units of that side
    /// Camera to world, 3 x 4, row-major; the first three columns have length 1. The camera looks along -z, y is up.
    std::array<double, 12> transform{1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    double near = 0; ///< nothing is seen nearer than this, metres
    double far = std::numeric_limits<double>::infinity(); ///< nor farther
    double aperture =
        0; ///< radius of the lens, metres; 0, or another kind than perspective: everything is sharp
    double focus = 10;           ///< distance of the sharp plane, metres
    std::string name = "camera"; ///< in messages

    /// Whether rays begin at places of a lens.
    [[nodiscard]] bool has_lens() const noexcept {
        return aperture > 0 && kind == CameraKind::perspective;
    }
};

/// Corners of the film: x right, y up, at distance 1 of a perspective camera; metres of an orthographic one; radians of
/// longitude and latitude of an equirectangular one.
struct Film {
    std::array<double, 2> low;  ///< lower left
    std::array<double, 2> high; ///< upper right
};

/// @throws ArgumentError naming the camera unless it has 1 to 2^31 - 1 pixels, a fov between 0 and pi and a finite transform.
WEFT_API void require_valid(const Camera& camera);

/// The film of a camera that require_valid() takes.
[[nodiscard]] WEFT_API Film film_of(const Camera& camera);

/// The direction along which depths are measured, world space; 0: along each ray.
[[nodiscard]] WEFT_API std::array<double, 3> forward_of(const Camera& camera);

} // namespace weft::scene
