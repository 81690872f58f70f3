// SPDX-License-Identifier: Apache-2.0
// Media of objects, and what media a place is in, as shaders/weft/render/medium.slang keeps it of paths.
#pragma once

#include "core/api.hpp"
#include "scene/camera.hpp"
#include "scene/layouts.hpp"
#include "scene/scene.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::scene {

/// Whether more triangles are left than entered on a straight way from a place to far away. Its direction is fixed, and
/// parallel to no edge that people draw. What is on a surface may count as inside or outside.
/// @param corners world space, metres, 9 a triangle; a front is counter-clockwise.
/// @param is_mirrored the transform mirrors the mesh: what was its front stays it.
/// @throws ArgumentError if there are not 9 numbers a triangle.
[[nodiscard]] WEFT_API bool is_inside(std::span<const double> corners,
                                      const std::array<double, 3>& place, bool is_mirrored = false);

/// What is inside of an object, behind its surfaces of one material.
struct ObjectMedium {
    std::uint32_t object = 0;   ///< index into Scene::objects
    std::uint32_t material = 0; ///< index among materials_of()
};

/// The media of a scene, in the order of objects, then of slots: their numbers in tables.
/// @throws ArgumentError if two materials have one name.
[[nodiscard]] WEFT_API std::vector<ObjectMedium> media_of(const Scene& scene);

/// Whether a medium may emit light: true where a volume has a closure `emission` or an input of that name, whatever their numbers.
[[nodiscard]] WEFT_API bool has_emissive_media(const Scene& scene);

/// What a camera is in.
struct CameraMedia {
    std::array<std::uint32_t, layouts::MediaLimit::kDepth>
        stack{}; ///< numbers of media, from 1; 0: no more
    /// A medium begins within the film of an orthographic camera, whose paths all begin in what its middle is in.
    bool differs_at_corners = false;
};

/// As MediaStack of medium.slang has it. Media beyond MediaLimit::kDepth are left out.
/// @throws ArgumentError if two materials have one name, or a mesh names a vertex that there is not.
[[nodiscard]] WEFT_API CameraMedia camera_media(const Scene& scene, const Camera& camera);

} // namespace weft::scene
