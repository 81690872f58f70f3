// SPDX-License-Identifier: Apache-2.0
#include "fit/view_rows.hpp"

#include "fit/observation.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace weft::fit {

namespace {

/// The sum of the parts of a film, each times the factor of its light.
class FilmSum {
public:
    FilmSum(const ViewFilm& view, std::span<const float> factors) {
        const std::size_t count = view.lights.size();
        const std::size_t others = factors.size() / kChannels - 1;
        const std::size_t size = view.parts.size() / count;
        const auto factor_of = [&](std::size_t part) {
            return factors.subspan(kChannels * view.lights[part].value_or(others), kChannels);
        };
        if (count == 1 && std::ranges::all_of(factor_of(0), [](float each) { return each == 1; })) {
            m_values = view.parts; // what is no sum need not be copied
            return;
        }
        m_own.resize(size);
        for (std::size_t part = 0; part < count; ++part) {
            const std::span<const float> own = view.parts.subspan(part * size, size);
            const std::span<const float> factor = factor_of(part);
            for (std::size_t first = 0; first < size; first += kChannels) {
                for (std::size_t channel = 0; channel < kChannels; ++channel) {
                    m_own[first + channel] += own[first + channel] * factor[channel];
                }
            }
        }
        m_values = m_own;
    }
    FilmSum(const FilmSum&) = delete;
    FilmSum& operator=(const FilmSum&) = delete;

    [[nodiscard]] std::span<const float> values() const noexcept { return m_values; }

private:
    std::vector<float> m_own;
    std::span<const float> m_values;
};

/// Places of the films of lights among the parts of a view, one an unknown; not set: it is no light, or does not shine.
std::vector<std::optional<std::size_t>> parts_of(const ViewFilm& view,
                                                 std::span<const UnknownColumn> columns) {
    std::vector<std::optional<std::size_t>> parts;
    for (const UnknownColumn& column : columns) {
        const auto found = std::ranges::find(view.lights, column.light);
        const bool has_part = column.light && found != view.lights.end();
        parts.push_back(has_part
                            ? std::optional(static_cast<std::size_t>(found - view.lights.begin()))
                            : std::nullopt);
    }
    return parts;
}

/// Where the derivatives by an unknown come from, of the residuals of one channel.
struct ColumnSource {
    std::size_t unknown;
    const float* values; ///< one a residual
    bool is_gained;      ///< they are scaled by the gain of the view
    float factor;
};

using ChannelSources = std::array<std::vector<ColumnSource>, kChannels>;

/// Of all unknowns that act on the view: what a residual has to do with each of them is looked up once a channel.
ChannelSources sources_of(const ViewFilm& film, std::span<const float> sum,
                          const FilmFactors& factors) {
    const std::vector<std::optional<std::size_t>> parts = parts_of(film, factors.columns);
    const std::size_t block = kChannels * film.pixels.size();
    ChannelSources out;
    for (std::size_t unknown = 0; unknown < factors.columns.size(); ++unknown) {
        const UnknownColumn& column = factors.columns[unknown];
        const bool acts =
            column.view.value_or(film.number) == film.number && (!column.light || parts[unknown]);
        for (std::size_t channel = 0; acts && channel < kChannels; ++channel) {
            if (column.channel.value_or(channel) != channel) {
                continue;
            }
            const float* values = column.direction ? sum.data() + (1 + *column.direction) * block
                                  : column.light ? film.parts.data() + *parts[unknown] * sum.size()
                                                 : sum.data();
            out.at(channel).push_back({.unknown = unknown,
                                       .values = values,
                                       .is_gained = column.direction || column.light,
                                       .factor = static_cast<float>(factors.derivatives[unknown])});
        }
    }
    return out;
}

} // namespace

FilmFactors film_factors(const Unknowns& unknowns, std::vector<UnknownColumn> columns,
                         std::span<const double> x, std::size_t views) {
    return {.columns = std::move(columns),
            .derivatives = unknowns.derivatives(x),
            .gains = unknowns.gains(x, views),
            .lights = unknowns.light_factors(x)};
}

void append_rows(const ViewFilm& film, const FilmFactors& factors, std::vector<float>& residual,
                 std::vector<float>& jacobian) {
    const FilmSum film_sum(film, factors.lights);
    const std::span<const float> sum = film_sum.values();
    const ChannelSources sources = sources_of(film, sum, factors);
    const std::size_t columns = factors.columns.size();
    const std::size_t begin = residual.size();
    residual.resize(begin + kChannels * film.pixels.size());
    jacobian.resize(residual.size() * columns, 0.0F);
    float* row = jacobian.data() + begin * columns;
    std::size_t i = 0;
    for (const std::uint32_t pixel : film.pixels) {
        for (std::size_t channel = 0; channel < kChannels; ++channel, ++i, row += columns) {
            const std::size_t at = kChannels * std::size_t{pixel} + channel;
            const float weight = film.weights[at];
            const float scale = weight * factors.gains[kChannels * film.number + channel];
            residual[begin + i] = sum[i] * scale - (weight > 0 ? film.image[at] * weight : 0.0F);
            for (const ColumnSource& source : sources[channel]) {
                row[source.unknown] =
                    source.values[i] * (source.is_gained ? scale : weight) * source.factor;
            }
        }
    }
}

void append_residuals(const ViewFilm& film, const FilmFactors& factors,
                      std::vector<float>& residual) {
    const FilmSum film_sum(film, factors.lights);
    const std::span<const float> sum = film_sum.values();
    std::size_t next = residual.size();
    residual.resize(next + kChannels * film.pixels.size());
    std::size_t i = 0;
    for (const std::uint32_t pixel : film.pixels) {
        for (std::size_t channel = 0; channel < kChannels; ++channel) {
            const std::size_t at = kChannels * std::size_t{pixel} + channel;
            const float weight = film.weights[at];
            const float gain = factors.gains[kChannels * film.number + channel];
            residual[next++] = weight > 0 ? (sum[i] * gain - film.image[at]) * weight : 0.0F;
            ++i;
        }
    }
}

} // namespace weft::fit
