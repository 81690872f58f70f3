// SPDX-License-Identifier: Apache-2.0
// What a fit has found, as files: report.json, and the scene with it.
#pragma once

#include "fit/fit_state.hpp"
#include "fit/fitted_texture.hpp"
#include "fit/unknown_environment.hpp"
#include "fit/verdict.hpp"
#include "job/job_text.hpp"
#include "scene_files/scene_file.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace weft::job {

/// Why a fit ended; words of reports in this order.
enum class EndReason : std::uint8_t { converged, iterations, time_limit, cancelled };

/// A fit that ended.
struct Outcome {
    fit::FitState state{};
    std::vector<fit::FittedTexture> textures{};
    std::optional<fit::FittedEnvironment> environment{}; ///< not set: it was not looked for
    std::optional<fit::Verdict> verdict{}; ///< not set: the fit was ended before it could be judged
    EndReason reason = EndReason::iterations;
    double seconds = 0;
    std::vector<fit::FitState> history{}; ///< after each iteration
    std::string device{};
};

/// The scene with the numbers of materials and of its own lights that were found; textures: with_found().
[[nodiscard]] scene::Scene with_result(const scene::Scene& scene, const JobText& job,
                                       const fit::FitState& found);

/// Writes textures, the environment, scene.weft, then report.json, into a folder that is there; files of an earlier report are replaced in one step.
/// @param root of the installation. @return what report.json has, without its history.
/// @throws ArgumentError if nothing can be written there.
std::string write_report(const JobText& job, const scene_files::SceneFile& file,
                         const Outcome& outcome, const std::filesystem::path& folder,
                         const std::filesystem::path& root);

/// The result for people: a line a parameter and texture.
[[nodiscard]] std::string describe(const Outcome& outcome);

} // namespace weft::job
