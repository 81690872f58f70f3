// SPDX-License-Identifier: Apache-2.0
#include "fit/view_rows.hpp"

#include "fit/observation.hpp"

#include <algorithm>
#include <utility>

namespace weft::fit {

namespace {

/// The sum of the parts of a film, each times the factor of its light.
std::vector<float> sum_parts(const ViewFilm& view, std::span<const float> factors) {
    const std::size_t count = view.lights.size();
    const std::size_t others = factors.size() / kChannels - 1;
    std::vector<float> film(view.parts.size() / count);
    for (std::size_t part = 0; part < count; ++part) {
        const std::size_t first = kChannels * view.lights[part].value_or(others);
        const std::span<const float> own = view.parts.subspan(part * film.size(), film.size());
        for (std::size_t i = 0; i < film.size(); ++i) {
            film[i] += own[i] * factors[first + i % kChannels];
        }
    }
    return film;
}

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
    const std::vector<float> sum = sum_parts(film, factors.lights);
    const std::vector<std::optional<std::size_t>> sources = parts_of(film, factors.columns);
    const std::size_t block = kChannels * film.pixels.size();
    const std::size_t columns = factors.columns.size();
    std::size_t row = residual.size();
    residual.resize(row + block);
    jacobian.resize((row + block) * columns, 0.0F);
    for (std::size_t i = 0; i < block; ++i, ++row) {
        const std::size_t channel = i % kChannels;
        const std::size_t at = kChannels * std::size_t{film.pixels[i / kChannels]} + channel;
        const float weight = film.weights[at];
        const float scale = weight * factors.gains[kChannels * film.number + channel];
        residual[row] = sum[i] * scale - (weight > 0 ? film.image[at] * weight : 0.0F);
        for (std::size_t unknown = 0; unknown < columns; ++unknown) {
            const UnknownColumn& column = factors.columns[unknown];
            const bool acts = column.channel.value_or(channel) == channel &&
                              column.view.value_or(film.number) == film.number;
            if (acts && (!column.light || sources[unknown])) {
                const float derivative =
                    column.direction ? sum[(1 + *column.direction) * block + i] * scale
                    : column.light   ? film.parts[*sources[unknown] * sum.size() + i] * scale
                                     : sum[i] * weight;
                jacobian[row * columns + unknown] =
                    derivative * static_cast<float>(factors.derivatives[unknown]);
            }
        }
    }
}

void append_residuals(const ViewFilm& film, const FilmFactors& factors,
                      std::vector<float>& residual) {
    const std::vector<float> sum = sum_parts(film, factors.lights);
    residual.reserve(residual.size() + kChannels * film.pixels.size());
    for (std::size_t i = 0; i < kChannels * film.pixels.size(); ++i) {
        const std::size_t channel = i % kChannels;
        const std::size_t at = kChannels * std::size_t{film.pixels[i / kChannels]} + channel;
        const float weight = film.weights[at];
        const float gain = factors.gains[kChannels * film.number + channel];
        residual.push_back(weight > 0 ? (sum[i] * gain - film.image[at]) * weight : 0.0F);
    }
}

} // namespace weft::fit
