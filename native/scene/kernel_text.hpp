// SPDX-License-Identifier: Apache-2.0
// The Slang modules of a scene: one for each program of its materials, and one for the rest. The text of a program says
// nothing of the other materials: what is edited is compiled alone, and equal programs of other scenes are found in the
// cache.
#pragma once

#include "core/api.hpp"
#include "scene/material_program.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace weft::scene {

/// What kernels may leave out, see shaders/weft/render/traits.slang. A plain value; true costs time, false where it is
/// needed gives wrong pictures.
struct SceneTraits {
    std::uint32_t light_kinds = 0; ///< bit k: a light of kind k of layouts::LightKind is there
    /// Every mesh is placed once and not mirrored, and its triangles are in world space.
    bool has_baked_transforms = false;
    bool sorts_paths =
        true; ///< a launch serves paths of one program; else all paths, and picks its own
    bool has_transparency = false;      ///< a material is transparent
    bool has_textured_emission = false; ///< triangles whose light varies are sampled as lights
    bool has_cones = false;             ///< a texture is mip-mapped
    bool has_bumps = false;             ///< a material takes differences over part of a pixel
    bool has_light_tree = false;        ///< lights at finite distance are drawn from a tree
    bool has_kinds = false;             ///< paths know what kind of ray they send
    bool has_hidden = false;            ///< objects are hidden from some kinds of ray
    bool has_terminators = false;       ///< objects lift light rays near the edge of their shadow
    bool has_media = false;             ///< objects hold media
    bool has_limits = false;            ///< paths have limits beside their number of bounces
    bool has_walks = false;             ///< light wanders below surfaces
    bool fits_media = false;            ///< numbers of media are fitted
    bool has_light_rules = false; ///< lights are hidden from some kinds of ray, or cast no shadow

    /// Whether only the host can tell how many segments the longest path has.
    [[nodiscard]] bool is_uncounted() const noexcept {
        return has_hidden || has_media || has_walks;
    }
    /// Whether paths carry what only some scenes need, see PathRow of path_rows.slang.
    [[nodiscard]] bool has_long_paths() const noexcept {
        return has_transparency || has_textured_emission || has_cones || has_bumps ||
               has_light_tree || has_kinds || has_media || has_walks;
    }
};

/// A trait that is a yes or no, by its name.
struct SceneTrait {
    std::string_view name;     ///< as Python and, behind "weft_", Slang have it
    bool SceneTraits::* value; ///< never null
};
/// All of them, in the order of SceneTraits.
inline constexpr std::array<SceneTrait, 15> kSceneTraits{{
    {"has_baked_transforms", &SceneTraits::has_baked_transforms},
    {"sorts_paths", &SceneTraits::sorts_paths},
    {"has_transparency", &SceneTraits::has_transparency},
    {"has_textured_emission", &SceneTraits::has_textured_emission},
    {"has_cones", &SceneTraits::has_cones},
    {"has_bumps", &SceneTraits::has_bumps},
    {"has_light_tree", &SceneTraits::has_light_tree},
    {"has_kinds", &SceneTraits::has_kinds},
    {"has_hidden", &SceneTraits::has_hidden},
    {"has_terminators", &SceneTraits::has_terminators},
    {"has_media", &SceneTraits::has_media},
    {"has_limits", &SceneTraits::has_limits},
    {"has_walks", &SceneTraits::has_walks},
    {"fits_media", &SceneTraits::fits_media},
    {"has_light_rules", &SceneTraits::has_light_rules},
}};

/// The Slang module with the kernels that evaluate no material. Thread-safe, as are those below.
[[nodiscard]] WEFT_API std::string print_shared_module(const SceneTraits& traits);

/// The Slang module of a program with the kernels that run it. Equal programs and traits give equal text.
[[nodiscard]] WEFT_API std::string print_program_module(const MaterialProgram& program,
                                                        const SceneTraits& traits);

/// print_program_module() with the kernels that record and replay paths, for a program whose parameters change.
[[nodiscard]] WEFT_API std::string print_recording_module(const MaterialProgram& program,
                                                          const SceneTraits& traits);

} // namespace weft::scene
