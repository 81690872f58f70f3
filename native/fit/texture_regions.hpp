// SPDX-License-Identifier: Apache-2.0
// Textures that a fit changes, among the texels of their scene. For the sources of this layer.
#pragma once

#include "fit/box_blur.hpp"
#include "fit/parameters.hpp"
#include "render/scene_tables.hpp"
#include "tensor/tensor.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::fit {

/// A texture among the texels of the scene, which have its bottom row first.
struct TextureRegion {
    TextureParameter parameter;
    std::int64_t first = 0; ///< float of its first texel
    ImageShape shape{};

    [[nodiscard]] std::int64_t size() const noexcept {
        return static_cast<std::int64_t>(shape.size());
    }
    /// Its floats, which share the memory. @param texels one float a texel's channel of the scene.
    [[nodiscard]] tensor::TensorRef part_of(const tensor::TensorRef& texels) const;
};

[[nodiscard]] std::vector<std::string> names_of(std::span<const TextureParameter> textures);

/// The textures of parameters, in their order.
/// @throws ArgumentError for bounds that do not rise or are not finite, a smoothness below 0, an input that no texture
///         drives, a texture with mip levels or that drives a normal, and one that is given twice.
[[nodiscard]] std::vector<TextureRegion> find_regions(const render::SceneTables& tables,
                                                      std::span<const TextureParameter> parameters);

} // namespace weft::fit
