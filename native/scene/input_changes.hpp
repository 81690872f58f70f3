// SPDX-License-Identifier: Apache-2.0
// Scenes whose materials have other values at their inputs, such as textures that a fit has found.
#pragma once

#include "core/api.hpp"
#include "scene/material_values.hpp"
#include "scene/scene.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace weft::scene {

/// Values by the name of an input, as parameter_names.hpp writes it: "<material>.<input>", with "first." and "second." on
/// the way through mixes and sums, and ".<argument>" below an input that a Slang function drives.
using InputValues = std::map<std::string, Value, std::less<>>;

/// The values of all inputs, defaults included; of constants what they hold.
/// @throws ArgumentError as materials_of().
[[nodiscard]] WEFT_API InputValues inputs_of(const Scene& scene);

/// The scene with other values at inputs of its materials; the one given stays as it is. What does not change is shared with
/// it. An input that had its default, or a number where a texture comes, makes another program of the material.
/// @throws ArgumentError if there is no such input, or a value has another number of components than it takes, as
///         closure() says.
[[nodiscard]] WEFT_API Scene with_inputs(const Scene& scene, const InputValues& inputs);

/// An image as a texture has it.
struct TextureImage {
    std::vector<float> pixels{}; ///< height x width x channels, the top row first, linear, finite
    std::uint32_t width = 0;
    std::uint32_t height = 0;
    std::uint32_t channels = 0; ///< 1, 3 or 4
};

/// Images by the name of an input that a texture drives.
using TextureImages = std::map<std::string, TextureImage, std::less<>>;

/// The scene with other images in its textures, each wherever its texture is used; what else a texture says stays, and what
/// does not change is shared with the scene given, which stays as it is.
/// @throws ArgumentError if no texture drives an input, or as texture().
[[nodiscard]] WEFT_API Scene with_textures(const Scene& scene, const TextureImages& images);

} // namespace weft::scene
