// SPDX-License-Identifier: Apache-2.0
#include "scene/texture_table.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <limits>

namespace weft::scene {

namespace {

using core::ArgumentError;
using layouts::TextureWord;

static_assert(layouts::TextureWrap::kMirror == static_cast<std::uint32_t>(TextureWrap::mirror));
static_assert(layouts::TextureFilter::kMipmap == static_cast<std::uint32_t>(TextureFilter::mipmap));

constexpr std::uint32_t half(std::uint32_t size) {
    return std::max(size / 2, 1U);
}

std::uint64_t numbers_of(const TextureShape& shape) {
    return std::uint64_t{shape.width} * shape.height * shape.channels;
}

/// Which texels a texel of half the size covers, and how much of the first and the last.
struct Cover {
    std::size_t first = 0;
    std::size_t last = 0;
    double first_weight = 1;
    double last_weight = 1;
};

/// Cover of each of half(count) texels; weights of one add up to 1.
std::vector<Cover> covers_of(std::uint32_t count) {
    const std::uint32_t wanted = half(count);
    std::vector<Cover> covers(wanted);
    for (std::uint32_t k = 0; k < wanted; ++k) {
        // Ends in units of 1 / wanted texels, so that they are whole.
        const std::uint64_t begin = std::uint64_t{k} * count;
        const std::uint64_t end = begin + count;
        Cover& cover = covers[k];
        cover.first = begin / wanted;
        cover.last = (end - 1) / wanted;
        cover.first_weight = static_cast<double>((cover.first + 1) * wanted - begin) / wanted;
        cover.last_weight = static_cast<double>(end - cover.last * wanted) / wanted;
    }
    return covers;
}

struct Image {
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t channels = 0;
    std::vector<double> values{};
};

/// Mean of what `cover` covers among runs of `length` numbers that lie `stride` apart.
void add_mean(const double* from, std::size_t stride, std::size_t length, const Cover& cover,
              double scale, double* out) {
    for (std::size_t at = cover.first; at <= cover.last; ++at) {
        double weight =
            at == cover.first ? cover.first_weight : (at == cover.last ? cover.last_weight : 1.0);
        weight *= scale;
        const double* const source = from + at * stride;
        for (std::size_t k = 0; k < length; ++k) {
            out[k] += weight * source[k];
        }
    }
}

Image half_as_high(const Image& image) {
    const std::vector<Cover> covers = covers_of(static_cast<std::uint32_t>(image.height));
    const std::size_t row = image.width * image.channels;
    Image out{.width = image.width, .height = covers.size(), .channels = image.channels};
    out.values.resize(out.height * row);
    const double scale = static_cast<double>(out.height) / static_cast<double>(image.height);
    for (std::size_t y = 0; y < out.height; ++y) {
        add_mean(image.values.data(), row, row, covers[y], scale, out.values.data() + y * row);
    }
    return out;
}

Image half_as_wide(const Image& image) {
    const std::vector<Cover> covers = covers_of(static_cast<std::uint32_t>(image.width));
    const std::size_t channels = image.channels;
    Image out{.width = covers.size(), .height = image.height, .channels = channels};
    out.values.resize(out.height * out.width * channels);
    const double scale = static_cast<double>(out.width) / static_cast<double>(image.width);
    for (std::size_t y = 0; y < out.height; ++y) {
        const double* const from = image.values.data() + y * image.width * channels;
        double* to = out.values.data() + y * out.width * channels;
        for (const Cover& cover : covers) {
            add_mean(from, channels, channels, cover, scale, to);
            to += channels;
        }
    }
    return out;
}

/// Appends rows from the bottom up.
void append_from_bottom(std::vector<float>& out, std::span<const float> pixels,
                        std::uint32_t height) {
    const std::size_t row = pixels.size() / height;
    for (std::size_t y = height; y-- > 0;) {
        const auto values = pixels.subspan(y * row, row);
        out.insert(out.end(), values.begin(), values.end());
    }
}

TextureRecord record_of(const TextureShape& shape, std::uint64_t first) {
    TextureRecord record{};
    record[TextureWord::kFirst] = static_cast<std::uint32_t>(first);
    record[TextureWord::kWidth] = shape.width;
    record[TextureWord::kHeight] = shape.height;
    record[TextureWord::kChannels] = shape.channels;
    record[TextureWord::kWrap] = static_cast<std::uint32_t>(shape.wrap);
    record[TextureWord::kFilter] = static_cast<std::uint32_t>(shape.filter);
    record[TextureWord::kLevels] = 1;
    return record;
}

} // namespace

std::vector<TextureRecord> texture_records(std::span<const TextureShape> textures) {
    std::vector<TextureShape> shapes(textures.begin(), textures.end());
    std::vector<TextureRecord> records(std::max<std::size_t>(textures.size(), 1));
    for (std::size_t k = 0; k < textures.size(); ++k) {
        records[k] = record_of(textures[k], 0);
        if (textures[k].filter != TextureFilter::mipmap) {
            continue;
        }
        records[k][TextureWord::kAbove] = static_cast<std::uint32_t>(shapes.size());
        for (TextureShape level = textures[k]; std::max(level.width, level.height) > 1;) {
            level.width = half(level.width);
            level.height = half(level.height);
            shapes.push_back(level);
            records[k][TextureWord::kLevels] += 1;
        }
    }
    std::uint64_t first = 0;
    for (std::size_t k = 0; k < shapes.size(); ++k) {
        if (first > std::numeric_limits<std::uint32_t>::max()) {
            throw ArgumentError("Texture: the textures of a scene must have fewer than 2^32 "
                                "numbers together; make some smaller");
        }
        if (k < textures.size()) {
            records[k][TextureWord::kFirst] = static_cast<std::uint32_t>(first);
        } else {
            records.push_back(record_of(shapes[k], first));
        }
        first += numbers_of(shapes[k]);
    }
    return records;
}

std::vector<MipLevel> mip_levels(std::span<const float> pixels, std::uint32_t width,
                                 std::uint32_t height, std::uint32_t channels) {
    if (pixels.empty() || pixels.size() != std::uint64_t{width} * height * channels) {
        throw ArgumentError(core::text("mip_levels: pixels must be (height, width, channels), got ",
                                       pixels.size(), " numbers for (", height, ", ", width, ", ",
                                       channels, ")"));
    }
    std::vector<MipLevel> levels;
    Image image{.width = width, .height = height, .channels = channels};
    image.values.assign(pixels.begin(), pixels.end());
    while (std::max(image.width, image.height) > 1) {
        image = half_as_wide(half_as_high(image));
        MipLevel& level = levels.emplace_back();
        level.width = static_cast<std::uint32_t>(image.width);
        level.height = static_cast<std::uint32_t>(image.height);
        level.pixels.resize(image.values.size());
        std::ranges::transform(image.values, level.pixels.begin(),
                               [](double value) { return static_cast<float>(value); });
    }
    return levels;
}

std::vector<float> packed_mip_levels(std::span<const float> pixels, std::uint32_t width,
                                     std::uint32_t height, std::uint32_t channels) {
    std::vector<float> out;
    out.reserve(packed_mip_size(width, height, channels));
    for (const MipLevel& level : mip_levels(pixels, width, height, channels)) {
        append_from_bottom(out, level.pixels, level.height);
    }
    return out;
}

std::uint64_t packed_mip_size(std::uint32_t width, std::uint32_t height,
                              std::uint32_t channels) noexcept {
    std::uint64_t size = 0;
    while (std::max(width, height) > 1) {
        width = half(width);
        height = half(height);
        size += std::uint64_t{width} * height * channels;
    }
    return size;
}

TextureTable build_texture_table(std::span<const std::shared_ptr<const Texture>> textures) {
    std::vector<TextureShape> shapes;
    TextureTable table;
    for (const auto& texture : textures) {
        if (texture->pixels.empty()) {
            throw ArgumentError(core::text("build_texture_table: texture '", texture->name,
                                           "' has no pixels; whoever made it has to upload them"));
        }
        shapes.push_back(
            {texture->width, texture->height, texture->channels, texture->wrap, texture->filter});
        append_from_bottom(table.texels, texture->pixels, texture->height);
    }
    table.records = texture_records(shapes);
    for (const auto& texture : textures) {
        if (texture->filter == TextureFilter::mipmap) {
            const auto levels = packed_mip_levels(texture->pixels, texture->width, texture->height,
                                                  texture->channels);
            table.texels.insert(table.texels.end(), levels.begin(), levels.end());
        }
    }
    if (table.texels.empty()) {
        table.texels.assign(4, 0.0F); // buffers are not empty
    }
    return table;
}

} // namespace weft::scene
