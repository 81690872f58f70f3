// SPDX-License-Identifier: Apache-2.0
// Textures as shaders/weft/render/texture.slang reads them: records, texels from the bottom row up, and mip levels.
#pragma once

#include "core/api.hpp"
#include "scene/layouts.hpp"
#include "scene/material_values.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace weft::scene {

/// What a record of a texture is made from.
struct TextureShape {
    std::uint32_t width = 0;                      ///< texels, from 1
    std::uint32_t height = 0;                     ///< texels, from 1
    std::uint32_t channels = 0;                   ///< 1, 3 or 4
    TextureWrap wrap = TextureWrap::repeat;       ///< as of Texture
    TextureFilter filter = TextureFilter::linear; ///< mipmap: its levels get records, too
};

/// Words of layouts::TextureWord, unsigned integers of 32 bits.
using TextureRecord = std::array<std::uint32_t, layouts::TextureWord::kEnd>;

/// Records of textures in their order, then those of the levels of those with mip levels; at least one. Texels lie one
/// texture after the other in the order of the records.
/// @throws ArgumentError for more than 2^32 - 1 texels' numbers together.
[[nodiscard]] WEFT_API std::vector<TextureRecord>
texture_records(std::span<const TextureShape> textures);

/// An image at half the size.
struct MipLevel {
    std::uint32_t width = 0;   ///< texels, from 1
    std::uint32_t height = 0;  ///< texels, from 1
    std::vector<float> pixels; ///< (height, width, channels), the top row first
};

/// An image at half its size each time (at least 1), down to one texel, as means of what the texels cover; without the image
/// itself. Sums are double.
/// @param pixels (height, width, channels). @throws ArgumentError if there are other than height x width x channels of them.
[[nodiscard]] WEFT_API std::vector<MipLevel> mip_levels(std::span<const float> pixels,
                                                        std::uint32_t width, std::uint32_t height,
                                                        std::uint32_t channels);

/// All mip levels one after the other, each from its bottom row up: what follows the texels of all images.
[[nodiscard]] WEFT_API std::vector<float> packed_mip_levels(std::span<const float> pixels,
                                                            std::uint32_t width,
                                                            std::uint32_t height,
                                                            std::uint32_t channels);

/// How many floats packed_mip_levels() gives for an image of that size.
[[nodiscard]] WEFT_API std::uint64_t packed_mip_size(std::uint32_t width, std::uint32_t height,
                                                     std::uint32_t channels) noexcept;

/// Textures of a scene on the host, all at once.
struct TextureTable {
    std::vector<TextureRecord> records; ///< as texture_records() gives them
    std::vector<float> texels;          ///< at least one
};

/// @throws ArgumentError for a texture whose owner uploads the pixels itself.
[[nodiscard]] WEFT_API TextureTable
build_texture_table(std::span<const std::shared_ptr<const Texture>> textures);

} // namespace weft::scene
