// SPDX-License-Identifier: Apache-2.0
// What a fit may change: numbers and textures of materials, the brightness of pictures, and the strength of lights.
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"
#include "scene/closures.hpp"
#include "scene/colors.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace weft::fit {

/// Smallest and largest value.
using Bounds = std::array<double, 2>;

/// What a value is expected to be.
struct ExpectedValue {
    Vector mean;          ///< one number, or one a component
    double deviation = 0; ///< standard deviation, above 0
};

/// A number or colour of a material. A plain value; build_unknowns() says what holds of it.
struct Parameter {
    std::string name; ///< "<material>.<input>", written as scene/parameter_names.hpp says
    std::optional<Bounds> bounds{}; ///< not set: the range of the input
    /// Scale on which steps are taken: `log` for what spans orders of magnitude. Not set: that of the closure's input.
    std::optional<scene::Scale> scale{};
    Vector start{}; ///< within the bounds, one number a component; empty: what the scene has
    std::vector<std::string> tied{}; ///< others of the same size that always have the same value
    std::optional<ExpectedValue> prior{}; ///< not set: nothing is expected
};

/// The unknown brightness of a picture: observation = factor * render.
struct Exposure {
    std::string observation{};     ///< its name; "": each has a factor of its own
    bool white_balance = false;    ///< one factor a channel instead of one for all
    Bounds bounds{1.0 / 16, 16.0}; ///< above 0
    double start = 1;              ///< within the bounds
};

/// The unknown strength of a light: a factor on what the scene says. Results call it "<light>.factor".
struct LightParameter {
    std::string light;  ///< name of a light, of the environment, or of a material that shines
    bool color = false; ///< one factor a channel instead of one for all
    Bounds bounds{1.0 / 64, 64.0}; ///< above 0
    double start = 1;              ///< within the bounds
};

/// A texture of a material, texel by texel, at the resolution that the scene's has. It starts from that.
struct TextureParameter {
    std::string name; ///< "<material>.<input>" that it drives, as scene/parameter_names.hpp says
    /// Smallest and largest value of a texel. A factor of zero hides its own derivative.
    Bounds bounds{0.001, 1.0};
    /// Weight of the prior that neighbours are alike, relative to what the pictures say of a texel, 0 or greater; it does not
    /// blur edges (total variation).
    double smoothness = 0.1;
    /// It lights the scene: all pixels tell of it, and it is no map of a material beside others.
    bool is_light = false;
};

/// The unknown environment of a scene, found as an image; it takes the place of the scene's own. unknown_environment.hpp says
/// how, and what the renderer needs before.
struct EnvironmentParameter {
    std::int64_t width =
        32; ///< texels around, 8 to 512; equirectangular, with Blender's orientation
    std::int64_t height = 16; ///< texels from below to above, 4 to 256
    double smoothness =
        0.1; ///< weight of the prior that neighbours are alike, as that of a texture
    /// Radiance where the fit begins, linear RGB, above 0; not set: the mean of the pictures.
    std::optional<scene::Rgb> start{};
    std::string name = "environment"; ///< what results and messages call it
};

/// All that a fit is to find; something of it.
struct Sought {
    std::vector<Parameter> parameters{};
    std::vector<Exposure> exposures{};
    std::vector<LightParameter> lights{};
    std::vector<TextureParameter> textures{};
    std::optional<EnvironmentParameter> environment{}; ///< of engine::Fit

    /// Whether it has a number, exposure or light.
    [[nodiscard]] bool has_numbers() const noexcept {
        return !parameters.empty() || !exposures.empty() || !lights.empty();
    }
};

} // namespace weft::fit
