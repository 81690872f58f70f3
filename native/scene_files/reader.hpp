// SPDX-License-Identifier: Apache-2.0
// From the text of a file to a scene. Start reading at read_scene(); fields.hpp reads one object.
#pragma once

#include "scene_files/fields.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace weft::scene_files {

inline constexpr std::int64_t kVersion = 1;
inline constexpr const char* kTextName = "scene.json";

/// What a file says.
struct ReadScene {
    std::int64_t version = 0; ///< above kVersion: nothing else is read
    SceneFile file{};
    std::vector<std::shared_ptr<scene::SlangCall>> calls{}; ///< all, used or not
};

/// @throws std::runtime_error, core::ArgumentError or nlohmann's errors for whatever does not fit.
[[nodiscard]] ReadScene read_scene(ArchiveReader& archive);

} // namespace weft::scene_files
