// SPDX-License-Identifier: Apache-2.0
// A job as it is written: what is to be found, in which pictures of which scene. The format is that of `weft fit`
// (docs/guide/fitting.md); what only Python fits is refused by name.
#pragma once

#include "fit/fit_state.hpp"
#include "fit/parameters.hpp"
#include "render/path_settings.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace weft::job {

enum class ColorSpace : std::uint8_t { linear, srgb };

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
    double filter_width = 1;       ///< pixels
    bool is_least_squares = false; ///< `robust = false` is given: all pixels count by their squares
};

struct JobText {
    std::filesystem::path file{};
    std::filesystem::path scene{};
    std::vector<TargetEntry> targets{}; ///< at least one
    std::vector<fit::Parameter> parameters{};
    std::vector<fit::Exposure> exposures{};
    std::vector<fit::LightParameter> lights{};
    fit::FitSettings settings{};
    std::optional<double> time_limit{}; ///< seconds
};

/// Reads a job and none of the files that it names; their paths are relative to its folder.
/// @throws ArgumentError with file and line if a key is unknown, absent or of a wrong kind, or asks for what only Python
///         fits: textures, unknown environments, lights of single pictures, robust losses, pictures of another size.
[[nodiscard]] JobText read_job_text(const std::filesystem::path& file);

} // namespace weft::job
