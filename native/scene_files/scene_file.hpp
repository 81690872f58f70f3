// SPDX-License-Identifier: Apache-2.0
// Scenes as files, the same that Python and Blender write and read: a zip archive with one JSON text and an array a
// member (docs/decisions/0072-scene-files-in-cpp.md). Link weft::render.
//
//     const auto file = weft::scene_files::load("kitchen.weft");
//     weft::engine::Renderer renderer(*weft, file.scene);
//     renderer.render(file.cameras.front());
#pragma once

#include "core/api.hpp"
#include "scene/camera.hpp"
#include "scene/scene.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace weft::scene_files {

/// Something that is left out of a scene or replaced, on its way from where it was made.
struct Problem {
    std::string where;          ///< place, from the outside in: "Material 'Wood' > node 'Noise'"
    std::string message;        ///< one sentence: what is not supported, and what to do
    std::string used_instead{}; ///< what pictures show in its place; "": nothing
};

/// What a file holds: a scene, and what goes with it.
struct SceneFile {
    scene::Scene scene{};                 ///< owns all that it holds
    std::vector<scene::Camera> cameras{}; ///< in the order of the file; may be empty
    std::vector<Problem> problems{};      ///< of whoever made the scene; may be empty
};

/// How load() reads. A plain value.
struct LoadDesc {
    /// Take Slang functions that this user has not saved, and arrays of any size. What they say is compiled and runs with
    /// the user's rights; no check keeps them within a software device, as Python's Renderer does (docs/security.md).
    bool trust = false;
    /// The folder that holds shaders and node_templates, as EngineDesc::root: functions in there need no trust. Empty:
    /// that of the shared library which this is in.
    std::filesystem::path root{};
};

/// Reads a scene. What objects of the file share is shared afterwards. Calls that only `trust` lets in have their
/// SlangCall::origin set. Thread-safe.
/// @param path of a file; the order of its objects is kept.
/// @throws ArgumentError if there is no such file, it is no scene, damaged or of a newer Weft, or has Slang functions that
///         are neither Weft's nor this user's, and `trust` is not set. Memory that is taken stays within 4 GiB or 100
///         times the size of the file, and a text of 256 MiB.
[[nodiscard]] WEFT_API SceneFile load(const std::filesystem::path& path, const LoadDesc& desc = {});

/// Writes a scene; an existing file is replaced in one step. Slang functions of its materials, but for those that have an
/// origin, become this user's own: files that carry no others load without trust. Equal scenes give equal files.
/// Thread-safe.
/// @param path usually "*.weft". @param root as LoadDesc::root.
/// @throws ArgumentError if the folder does not exist or nothing can be written there, for a texture or an image without
///         pixels, and for a name that is no UTF-8; the file is as it was.
WEFT_API void save(const SceneFile& file, const std::filesystem::path& path,
                   const std::filesystem::path& root = {});

} // namespace weft::scene_files
