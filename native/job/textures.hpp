// SPDX-License-Identifier: Apache-2.0
// The textures of a job: where a fit of them starts, and the files of what it has found.
#pragma once

#include "fit/fitted_texture.hpp"
#include "job/job_text.hpp"
#include "scene/scene.hpp"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace weft::job {

/// The scene whose inputs are driven by textures as the job wants them: of its resolution, start and wrap.
/// @throws ArgumentError that begins with the entry's place if there is no such input, nothing says its resolution, start
///         has another number of channels, it is driven by what no texture replaces, or an object of the material has no UV
///         set.
[[nodiscard]] scene::Scene with_textures_of(const JobText& job, scene::Scene scene);

/// The scene with the textures that were found.
[[nodiscard]] scene::Scene with_found(const scene::Scene& scene,
                                      const std::vector<fit::FittedTexture>& textures);

/// Files of one texture, relative to the folder of the report.
struct TextureFiles {
    std::string map;    ///< texture_<name>.pfm
    std::string file;   ///< texture_<name>.exr where Weft was built with OpenImageIO, else `map`
    std::string errors; ///< errors_<name>.exr, else .pfm
};

/// Writes each texture and its standard errors. Of four channels the portable float maps have three, and the fourth in
/// "<name>_alpha.pfm". @return the files, in the order of the textures. @throws ImageError.
[[nodiscard]] std::vector<TextureFiles>
write_textures(const std::vector<fit::FittedTexture>& textures,
               const std::filesystem::path& folder);

inline constexpr std::string_view kEnvironmentMap = "environment.pfm";

/// Writes kEnvironmentMap, and environment.exr where Weft was built with OpenImageIO. @return the latter, else the former.
/// @throws ImageError.
[[nodiscard]] std::string write_environment(const scene::Environment& environment,
                                            const std::filesystem::path& folder);

} // namespace weft::job
