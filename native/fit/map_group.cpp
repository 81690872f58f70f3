// SPDX-License-Identifier: Apache-2.0
#include "fit/map_group.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace weft::fit {

namespace {

/// Parts of `coarse` as sums over parts of `fine`, from parts of `fine` as sums over those of `coarse`.
std::vector<Overlap> transposed(const std::vector<Overlap>& given, std::size_t coarse) {
    std::vector<Overlap> out(coarse);
    for (std::size_t fine = 0; fine < given.size(); ++fine) {
        for (std::size_t k = 0; k < given[fine].weights.size(); ++k) {
            Overlap& own = out[given[fine].first + k];
            if (own.weights.empty()) {
                own.first = fine;
            }
            own.weights.push_back(given[fine].weights[k]);
        }
    }
    return out;
}

/// Sums of rows.
TexelImage with_rows(const TexelView& image, const std::vector<Overlap>& rows) {
    const std::size_t width = image.shape.width * image.shape.channels;
    TexelImage out(
        {.height = rows.size(), .width = image.shape.width, .channels = image.shape.channels});
    for (std::size_t y = 0; y < rows.size(); ++y) {
        double* own = out.values.data() + y * width;
        for (std::size_t k = 0; k < rows[y].weights.size(); ++k) {
            const double* from = image.values.data() + (rows[y].first + k) * width;
            for (std::size_t i = 0; i < width; ++i) {
                own[i] += rows[y].weights[k] * from[i];
            }
        }
    }
    return out;
}

/// Sums of columns.
TexelImage with_columns(const TexelView& image, const std::vector<Overlap>& columns) {
    const std::size_t channels = image.shape.channels;
    TexelImage out({.height = image.shape.height, .width = columns.size(), .channels = channels});
    for (std::size_t y = 0; y < image.shape.height; ++y) {
        double* own = out.values.data() + y * columns.size() * channels;
        const double* row = image.values.data() + y * image.shape.width * channels;
        for (const Overlap& column : columns) {
            for (std::size_t k = 0; k < column.weights.size(); ++k) {
                for (std::size_t c = 0; c < channels; ++c) {
                    own[c] += column.weights[k] * row[(column.first + k) * channels + c];
                }
            }
            own += channels;
        }
    }
    return out;
}

TexelImage copy_of(const TexelView& image) {
    TexelImage out(image.shape);
    std::ranges::copy(image.values, out.values.begin());
    return out;
}

/// Its floats among those of the scene.
template <typename Float>
std::span<Float> part_of(const MapRegion& region, std::span<Float> texels) {
    if (region.first + region.shape.size() > texels.size()) {
        throw core::ArgumentError(core::text("MapGroup: the map '", region.name, "' ends at ",
                                             region.first + region.shape.size(), " of ",
                                             texels.size(), " floats of texels"));
    }
    return texels.subspan(region.first, region.shape.size());
}

/// Writes the channels of each texel to some of those of an image.
template <typename Value>
void spread(std::span<const Value> part, std::size_t channels, std::size_t first, TexelImage& out) {
    double* own = out.values.data() + first;
    for (std::size_t at = 0; at < part.size(); at += channels, own += out.shape.channels) {
        for (std::size_t c = 0; c < channels; ++c) {
            own[c] = static_cast<double>(part[at + c]);
        }
    }
}

/// One of the D numbers: a channel of one of the maps.
struct Number {
    std::size_t map = 0;
    std::size_t channel = 0; ///< of the map
    std::size_t count = 0;   ///< channels of the map
    std::size_t place = 0;   ///< among the D numbers
};

/// An entry of a block: the mean of two numbers.
struct Entry {
    std::size_t place = 0;
    const double* first = nullptr; ///< of the first texel
    const double* second = nullptr;
};

/// Where half of an entry of a block comes from.
struct Source {
    std::size_t answer = 0;
    std::size_t place = 0; ///< among the D numbers
};

/// Derivatives along a colour are sums of its channels: its partner tells them apart. None: the entry is 0.
std::optional<Source> source_of(const Number& row, const Number& column) {
    if (row.count == column.count && row.channel != column.channel) {
        return std::nullopt;
    }
    return row.count >= column.count ? Source{column.map, row.place}
                                     : Source{row.map, column.place};
}

} // namespace

std::vector<std::vector<std::size_t>> group_maps(std::span<const MapRegion> regions) {
    std::vector<std::vector<std::size_t>> found;
    std::map<std::string, std::size_t> places;
    for (std::size_t number = 0; number < regions.size(); ++number) {
        if (!regions[number].is_light) {
            const auto [place, is_new] =
                places.emplace(scene::split_owner(regions[number].name).owner, found.size());
            if (is_new) {
                found.emplace_back();
            }
            found[place->second].push_back(number);
        }
    }
    std::erase_if(found, [](const auto& numbers) { return numbers.size() < 2; });
    return found;
}

std::vector<Overlap> overlaps(std::size_t fine, std::size_t coarse, bool share) {
    if (coarse == 0 || coarse > fine) {
        throw core::ArgumentError(core::text("overlaps: there must be 1 to ", fine,
                                             " coarse parts of ", fine, " fine ones, got ",
                                             coarse));
    }
    std::vector<Overlap> out(fine);
    const auto parts = static_cast<double>(fine);
    const auto wide = static_cast<double>(coarse);
    for (std::size_t i = 0; i < fine; ++i) {
        if (fine == coarse) {
            out[i] = {i, {1.0}};
            continue;
        }
        const double end = static_cast<double>(i + 1) / parts;
        const std::size_t near = i * coarse / fine;
        for (std::size_t j = near == 0 ? 0 : near - 1; j < std::min(near + 3, coarse); ++j) {
            const double end_wide = static_cast<double>(j + 1) / wide;
            const double common =
                std::min(end, end_wide) - std::max(end - 1 / parts, end_wide - 1 / wide);
            if (common > 0) {
                if (out[i].weights.empty()) {
                    out[i].first = j;
                }
                out[i].weights.push_back(common * (share ? wide : parts));
            }
        }
    }
    return out;
}

MapGroup::MapGroup(std::vector<MapRegion> regions) : m_regions(std::move(regions)) {
    m_shape = {.height = 0, .width = 0, .channels = 0};
    for (const MapRegion& region : m_regions) {
        if (region.shape.size() == 0) {
            throw core::ArgumentError(
                core::text("MapGroup: the map '", region.name, "' has no texel"));
        }
        m_first.push_back(m_shape.channels);
        m_shape.height = std::max(m_shape.height, region.shape.height);
        m_shape.width = std::max(m_shape.width, region.shape.width);
        m_shape.channels += region.shape.channels;
    }
    if (m_regions.empty()) {
        throw core::ArgumentError("MapGroup: there must be a map");
    }
}

TexelImage MapGroup::gathered(std::span<const float> texels, bool share) const {
    TexelImage out(m_shape);
    for (std::size_t number = 0; number < m_regions.size(); ++number) {
        const MapRegion& region = m_regions[number];
        const std::span<const float> part = part_of(region, texels);
        if (region.shape.height == m_shape.height && region.shape.width == m_shape.width) {
            spread(part, region.shape.channels, m_first[number], out);
            continue;
        }
        TexelImage own(region.shape);
        std::ranges::copy(part, own.values.begin());
        const TexelImage wide = grown(own, share);
        spread(std::span<const double>(wide.values), region.shape.channels, m_first[number], out);
    }
    return out;
}

TexelImage MapGroup::gather(std::span<const float> texels) const {
    return gathered(texels, false);
}

TexelImage MapGroup::gather_sums(std::span<const float> texels) const {
    return gathered(texels, true);
}

void MapGroup::scatter(const TexelView& maps, std::span<float> texels) const {
    require_shape("MapGroup::scatter", "maps", maps, m_shape);
    for (std::size_t number = 0; number < m_regions.size(); ++number) {
        const MapRegion& region = m_regions[number];
        const std::span<float> part = part_of(region, texels);
        const std::size_t channels = region.shape.channels;
        TexelImage own({.height = m_shape.height, .width = m_shape.width, .channels = channels});
        for (std::size_t texel = 0; texel < m_shape.height * m_shape.width; ++texel) {
            for (std::size_t c = 0; c < channels; ++c) {
                own.values[texel * channels + c] = maps.texel(texel)[m_first[number] + c];
            }
        }
        const TexelImage small = shrunk(number, own);
        std::ranges::transform(small.values, part.begin(),
                               [](double value) { return static_cast<float>(value); });
    }
}

TexelImage MapGroup::grown(const TexelView& image, bool share) const {
    require_shape("MapGroup::grown", "the image", image, image.shape);
    TexelImage out = copy_of(image);
    if (image.shape.height != m_shape.height) {
        out = with_rows(out, overlaps(m_shape.height, image.shape.height, share));
    }
    if (image.shape.width != m_shape.width) {
        out = with_columns(out, overlaps(m_shape.width, image.shape.width, share));
    }
    return out;
}

TexelImage MapGroup::shrunk(std::size_t number, const TexelView& image) const {
    require_shape(
        "MapGroup::shrunk", "the image", image,
        {.height = m_shape.height, .width = m_shape.width, .channels = image.shape.channels});
    const ImageShape& own = m_regions.at(number).shape;
    TexelImage out = copy_of(image);
    if (own.height != m_shape.height) {
        out = with_rows(out, transposed(overlaps(m_shape.height, own.height, true), own.height));
    }
    if (own.width != m_shape.width) {
        out = with_columns(out, transposed(overlaps(m_shape.width, own.width, true), own.width));
    }
    return out;
}

Vector MapGroup::each(std::span<const double> values) const {
    Vector out;
    for (std::size_t number = 0; number < m_regions.size(); ++number) {
        out.insert(out.end(), m_regions[number].shape.channels, values[number]);
    }
    return out;
}

Vector MapGroup::low() const {
    Vector values(m_regions.size());
    std::ranges::transform(m_regions, values.begin(),
                           [](const auto& own) { return own.bounds[0]; });
    return each(values);
}

Vector MapGroup::high() const {
    Vector values(m_regions.size());
    std::ranges::transform(m_regions, values.begin(),
                           [](const auto& own) { return own.bounds[1]; });
    return each(values);
}

TexelImage MapGroup::blocks(std::span<const std::span<const float>> answers) const {
    if (answers.size() != m_regions.size()) {
        throw core::ArgumentError(
            core::text("MapGroup::blocks: there must be an answer of each of ", m_regions.size(),
                       " maps, got ", answers.size()));
    }
    std::vector<TexelImage> columns;
    std::vector<Number> numbers;
    for (std::size_t map = 0; map < m_regions.size(); ++map) {
        columns.push_back(gather_sums(answers[map]));
        const std::size_t count = m_regions[map].shape.channels;
        for (std::size_t channel = 0; channel < count; ++channel) {
            numbers.push_back({map, channel, count, numbers.size()});
        }
    }
    const std::size_t count = numbers.size();
    std::vector<Entry> entries;
    for (const Number& row : numbers) {
        for (const Number& column : numbers) {
            const auto one = source_of(row, column);
            const auto other = source_of(column, row);
            if (one.has_value() && other.has_value()) {
                entries.push_back({row.place * count + column.place,
                                   columns[one->answer].values.data() + one->place,
                                   columns[other->answer].values.data() + other->place});
            }
        }
    }
    TexelImage out({.height = m_shape.height, .width = m_shape.width, .channels = count * count});
    double* block = out.values.data();
    for (std::size_t at = 0; at < m_shape.size(); at += count, block += count * count) {
        for (const Entry& entry : entries) {
            block[entry.place] = (entry.first[at] + entry.second[at]) / 2;
        }
    }
    return out;
}

} // namespace weft::fit
