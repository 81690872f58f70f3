// SPDX-License-Identifier: Apache-2.0
// A job as it is written: what is to be found, in which pictures of which scene. The format is that of `weft fit`
// (docs/guide/fitting.md).
#pragma once

#include "fit/fit_state.hpp"
#include "fit/parameters.hpp"
#include "render/path_settings.hpp"
#include "scene/light.hpp"
#include "scene/material_values.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace weft::job {

enum class ColorSpace : std::uint8_t { linear, srgb };

/// The environment of one picture.
struct WorldEntry {
    std::filesystem::path image{}; ///< equirectangular; empty: there is no environment
    scene::Rgb strength{1, 1, 1};
    std::array<double, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1}; ///< world to image, row-major
    std::string name = "environment";

    bool operator==(const WorldEntry&) const = default;
};

/// A light of one picture.
struct LightEntry {
    scene::Light light{};
    bool is_at_camera =
        false; ///< its places and directions are the camera's, which looks along -z, y up
};

/// A picture that is to be explained.
struct TargetEntry {
    std::string place; ///< "job.toml:12", for messages
    std::filesystem::path image{};
    std::string name{}; ///< of results
    std::variant<std::int64_t, std::string> camera =
        std::int64_t{0};                         ///< number or name in the scene
    std::optional<ColorSpace> color_space{};     ///< not set: what the format usually holds
    std::optional<std::filesystem::path> mask{}; ///< an image of weights, its first channel
    std::string mask_from{}; ///< "alpha", or an object that pixels must show; "": neither
    double exposure = 0;     ///< stops by which the picture is brighter than the scene
    std::optional<double>
        saturation{}; ///< values of the file from here on were clipped; infinite: none
    render::PixelFilter filter = render::PixelFilter::box;
    double filter_width = 1; ///< pixels
    /// Names of the lights and materials of the scene that shine in it; not set: all, if there are no own_lights.
    std::optional<std::vector<std::string>> shining{};
    std::vector<LightEntry> own_lights{}; ///< of its own
    std::optional<WorldEntry> world{};    ///< not set: the scene's
    bool resize = false;                  ///< to the size of its camera
    std::optional<bool> robust{};         ///< not set: photos are
};

/// A texture that is to be found, and what drives its input before.
struct TextureEntry {
    std::string place; ///< "job.toml:12", for messages
    fit::TextureParameter parameter{};
    /// Width and height, texels, from 1; not set: those of the texture that is there.
    std::optional<std::array<std::uint32_t, 2>> resolution{};
    std::vector<double> start{}; ///< one number, or one a channel; empty: what the input has
    std::optional<scene::TextureWrap>
        wrap{}; ///< not set: that of the texture that is there, or repeat
};

/// @throws ArgumentError: "<place>: target '<name>': <what>".
[[noreturn]] void refuse(const TargetEntry& target, const std::string& what);

struct JobText {
    std::filesystem::path file{};
    std::filesystem::path scene{};
    std::vector<TargetEntry> targets{}; ///< at least one
    std::vector<fit::Parameter> parameters{};
    std::vector<fit::Exposure> exposures{};
    std::vector<fit::LightParameter> lights{};
    std::vector<TextureEntry> textures{};
    std::optional<fit::EnvironmentParameter> environment{}; ///< not set: it is the scene's
    fit::FitSettings settings{};
    std::optional<double> time_limit{}; ///< seconds
};

/// Reads a job and none of the files that it names; their paths are relative to its folder.
/// @throws ArgumentError with file and line if a key is unknown, absent or of a wrong kind.
[[nodiscard]] JobText read_job_text(const std::filesystem::path& file);

} // namespace weft::job
