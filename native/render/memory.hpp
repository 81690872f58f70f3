// SPDX-License-Identifier: Apache-2.0
// How much of the device's memory a scene and its pictures take, at most. Compiled kernels, what the driver needs for
// itself, and the tables before while a scene is changed come on top.
#pragma once

#include "core/api.hpp"
#include "render/film_tracer.hpp"
#include "render/lit_scene.hpp"

#include <cstdint>

namespace weft::render {

/// Bytes of all tables of a scene and of its acceleration structures, with the numbers they have now.
[[nodiscard]] WEFT_API std::uint64_t scene_bytes(const LitScene& scene);

/// Bytes that a picture takes beside the scene: paths, film and layers. What making the trees has taken is as much at least:
/// it was there when no picture was.
/// @param has_layers it brings AOVs other than alpha.
[[nodiscard]] WEFT_API std::uint64_t picture_bytes(const FilmTracer& film,
                                                   const scene::Camera& camera,
                                                   const PathSettings& settings, bool has_layers);

} // namespace weft::render
