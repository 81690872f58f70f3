// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/api.hpp"
#include "scene/geometry_table.hpp"
#include "scene/kernel_text.hpp"
#include "scene/material_table.hpp"
#include "scene/scene.hpp"

#include <cstdint>
#include <span>

namespace weft::scene {

/// What is known of the lights of a scene beside the scene itself.
struct LightTraits {
    std::uint32_t kinds = 0;            ///< bits of the kinds in the table of lights
    bool has_profiles = false;          ///< some light has one
    bool has_textured_emission = false; ///< triangles whose light varies are sampled as lights
    bool has_light_tree = false;        ///< lights at finite distance are drawn from a tree
    EnvironmentPlacement placed{};      ///< of the scene's environment, if it has one
};

/// What kernels of a scene may leave out; sorts_paths and fits_media are as they are made.
[[nodiscard]] WEFT_API SceneTraits scene_traits(const Scene& scene, const GeometryTable& geometry,
                                                const MaterialTable& materials,
                                                const LightTraits& lights);

/// Traits of kernels that serve one scene under several lights.
/// @param traits of it under each of them; at least one.
[[nodiscard]] WEFT_API SceneTraits joined_traits(std::span<const SceneTraits> traits);

} // namespace weft::scene
