// SPDX-License-Identifier: Apache-2.0
#include "render/texture_tensors.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <utility>

namespace weft::render {

namespace {

using TextureRef = std::shared_ptr<const scene::Texture>;

/// Bytes of pixels up to which an image is the same if its numbers are.
constexpr std::size_t kSmallImage = std::size_t{1} << 18U;

PartKey pixels_key(std::string_view name, const scene::Texture& texture) {
    PartKey key(name);
    if (texture.image && texture.pixels.size_bytes() > kSmallImage) {
        key.add_identity(texture.image);
    } else {
        key.add_content(std::as_bytes(texture.pixels));
    }
    key.add(texture.width).add(texture.height).add(texture.channels);
    return key;
}

Chunk image_chunk(const TextureRef& texture) {
    return {.key = pixels_key("texels", *texture),
            .count = texture->pixels.size(),
            .write = [texture](std::span<std::byte> out) {
                const auto bytes = std::as_bytes(texture->pixels);
                const std::size_t row = bytes.size() / texture->height;
                for (std::size_t y = 0; y < texture->height; ++y) {
                    std::ranges::copy(bytes.last((y + 1) * row).first(row),
                                      out.subspan(y * row, row).begin());
                }
            }};
}

/// All levels of a texture but the first.
Chunk levels_chunk(const TextureRef& texture) {
    return {.key = pixels_key("levels", *texture),
            .count = scene::packed_mip_size(texture->width, texture->height, texture->channels),
            .write = [texture](std::span<std::byte> out) {
                const std::vector<float> levels = scene::packed_mip_levels(
                    texture->pixels, texture->width, texture->height, texture->channels);
                std::ranges::copy(std::as_bytes(std::span(levels)), out.begin());
            }};
}

} // namespace

TextureTensors build_texture_tensors(KeptParts& kept, std::span<const TextureRef> textures) {
    std::vector<scene::TextureShape> shapes;
    std::vector<Chunk> chunks;
    for (const TextureRef& texture : textures) {
        if (texture->pixels.empty()) {
            throw core::ArgumentError(core::text("Texture '", texture->name,
                                                 "': it has no pixels; make it by texture()"));
        }
        shapes.push_back(
            {texture->width, texture->height, texture->channels, texture->wrap, texture->filter});
        chunks.push_back(image_chunk(texture));
    }
    for (const TextureRef& texture : textures) {
        if (texture->filter == scene::TextureFilter::mipmap) {
            chunks.push_back(levels_chunk(texture));
        }
    }
    if (chunks.empty()) {
        chunks.push_back(zeros_chunk(4));
    }
    return {.texels = kept.assemble("texels", std::move(chunks)),
            .records = scene::texture_records(shapes)};
}

} // namespace weft::render
