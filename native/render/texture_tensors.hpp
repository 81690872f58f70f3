// SPDX-License-Identifier: Apache-2.0
// The textures of a scene on the device, as shaders/weft/render/texture.slang reads them.
#pragma once

#include "core/api.hpp"
#include "render/kept_parts.hpp"
#include "scene/texture_table.hpp"

#include <memory>
#include <span>
#include <vector>

namespace weft::render {

/// Texels of all textures, rows from the bottom, then the levels of those that have some; and where each texture lies.
struct TextureTensors {
    tensor::TensorRef texels; ///< flat, float32; at least four
    std::vector<scene::TextureRecord> records;
};

/// @param kept textures that are on the device already. Large images are known by Texture::image, others by their numbers.
/// @throws ArgumentError for a texture without pixels and as scene::texture_records(); DeviceError if memory is short.
[[nodiscard]] WEFT_API TextureTensors build_texture_tensors(
    KeptParts& kept, std::span<const std::shared_ptr<const scene::Texture>> textures);

} // namespace weft::render
