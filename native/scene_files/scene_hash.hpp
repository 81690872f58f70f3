// SPDX-License-Identifier: Apache-2.0
// Whether two scenes have the same content.
#pragma once

#include "scene_files/scene_file.hpp"

#include <string>

namespace weft::scene_files {

/// 64 letters that differ for files whose scenes or cameras differ in anything that a file holds.
/// @throws ArgumentError for what cannot be stored, as save().
[[nodiscard]] std::string hash_of(const SceneFile& file);

} // namespace weft::scene_files
