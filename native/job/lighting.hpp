// SPDX-License-Identifier: Apache-2.0
// The scene as it was lit for each picture of a job.
#pragma once

#include "job/job_text.hpp"
#include "scene/camera.hpp"
#include "scene/scene.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace weft::job {

/// Scenes for RendererDesc::lit_by, and which of them each target shows.
struct Lighting {
    std::vector<scene::Scene> scenes{};
    std::vector<std::size_t>
        shown{}; ///< one a target: 0: the scene's own lights; from 1: of `scenes`
};

/// @param cameras of the targets, in their order.
/// @param sky material that stands for the unknown environment: it shines where a target has no world; "": there is none.
/// @throws ArgumentError that begins with a target's place if the scene has no light of a name, or a material's light cannot
///         be left out; ImageError for the image of a world.
[[nodiscard]] Lighting light_targets(const scene::Scene& scene,
                                     const std::vector<TargetEntry>& targets,
                                     const std::vector<scene::Camera>& cameras,
                                     const std::string& sky = {});

} // namespace weft::job
