// SPDX-License-Identifier: Apache-2.0
// From the pictures of a job to what a fit explains.
#pragma once

#include "engine/renderer.hpp"
#include "fit/observation.hpp"
#include "job/job_text.hpp"
#include "scene_files/scene_file.hpp"

#include <vector>

namespace weft::job {

/// Reads the picture and the mask of a target: linear light, divided by its exposure; clipped, transparent and masked
/// pixels have no weight.
/// @throws ArgumentError that begins with the entry's place if there is no such camera or file, channels are others than R,
///         G and B or one; ImageError.
[[nodiscard]] fit::Observation read_observation(const TargetEntry& target,
                                                const std::vector<scene::Camera>& cameras);

/// Leaves out what does not show an object at the centre of the pixel.
/// @throws ArgumentError if there is no such object, or no pixel that counts shows it.
void keep_pixels_of(const std::string& object, engine::Renderer& renderer,
                    fit::Observation& observation);

} // namespace weft::job
