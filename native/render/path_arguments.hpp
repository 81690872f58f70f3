// SPDX-License-Identifier: Apache-2.0
// What the stages of shaders/weft/render/path.slang get of settings and cameras.
#pragma once

#include "render/kernel_argument.hpp"
#include "render/path_settings.hpp"
#include "scene/camera.hpp"
#include "scene/light_paths.hpp"

#include <cstdint>

namespace weft::render {

/// Numbers first ... first + count - 1.
struct Range {
    std::int64_t first = 0;
    std::int64_t count = 0;
};

/// StepSettings of path.slang for the first segment of some samples of some pixels.
[[nodiscard]] KernelArgument step_settings(const PathSettings& settings,
                                           const scene::LightPaths& limits, Range pixels,
                                           Range samples);

/// Camera of camera.slang. @param filter_width pixels
[[nodiscard]] KernelArgument camera_argument(const scene::Camera& camera, double filter_width);

/// A clamp of light that holds nothing down.
inline constexpr double kAllLight = 1e30;
/// No limit, and no bounce.
inline constexpr std::int64_t kNever = 0xFFFFFFFF;

} // namespace weft::render
