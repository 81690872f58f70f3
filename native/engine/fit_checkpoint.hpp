// SPDX-License-Identifier: Apache-2.0
// The state of a fit as a file: a zip archive with an array of numpy a member, and what the fit is about. Not that of Python's
// weft.fit, whose files hold the state of its own phases, and say what a fit is about by the text of Python's objects: each
// refuses the other's. Not installed.
#pragma once

#include "fit/fit_state.hpp"
#include "fit/observation.hpp"
#include "fit/parameters.hpp"
#include "fit/saved_arrays.hpp"
#include "render/renderer.hpp"

#include <filesystem>
#include <span>
#include <string>

namespace weft::engine {

/// A text that differs for fits of other scenes, observations, parameters or settings. How long a fit may take does not count.
/// @param selected lights of the renderer when the fit was made, of observations that name none.
/// @throws ArgumentError for a scene that scene_files::save() refuses.
[[nodiscard]] std::string signature_of(const render::Renderer& renderer,
                                       std::span<const fit::Observation> observations,
                                       const fit::Sought& sought, const fit::FitSettings& settings,
                                       std::size_t selected);

/// Writes a checkpoint; an existing file is replaced in one step.
/// @throws ArgumentError if nothing can be written there; the file is as it was.
void write_checkpoint(const std::filesystem::path& path, const std::string& signature,
                      const fit::SavedArrays& state);

/// @param signature of the fit that is to go on.
/// @throws ArgumentError if there is no such file, it is no checkpoint, damaged, of another version or of another fit.
[[nodiscard]] fit::SavedArrays read_checkpoint(const std::filesystem::path& path,
                                               const std::string& signature);

} // namespace weft::engine
