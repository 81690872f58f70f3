// SPDX-License-Identifier: Apache-2.0
#include "fit/scalar_model.hpp"

#include "tensor/transfer.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace weft::fit {

namespace {

/// A seed of 32 bits for one view of one iteration; that of weft/fit/seeds.py.
std::uint32_t mix_seeds(std::uint64_t seed, std::uint64_t iteration, std::uint64_t view) noexcept {
    return static_cast<std::uint32_t>(seed * 0x9E3779B1U + iteration * 0x85EBCA77U +
                                      view * 0xC2B2AE3DU + 1);
}

/// The sum of the parts of a view's film, each times the factor of its light.
std::vector<float> sum_parts(const View& view, std::span<const float> parts,
                             std::span<const float> factors) {
    const std::size_t count = view.parts().size();
    const std::size_t others = factors.size() / kChannels - 1;
    std::vector<float> film(parts.size() / count);
    for (std::size_t part = 0; part < count; ++part) {
        const std::size_t first = kChannels * view.parts()[part].light.value_or(others);
        const std::span<const float> own = parts.subspan(part * film.size(), film.size());
        for (std::size_t i = 0; i < film.size(); ++i) {
            film[i] += own[i] * factors[first + i % kChannels];
        }
    }
    return film;
}

/// Places of the films of lights among the parts of a view, one an unknown; not set: it is no light, or does not shine.
std::vector<std::optional<std::size_t>> parts_of(const View& view,
                                                 std::span<const UnknownColumn> columns) {
    std::vector<std::optional<std::size_t>> parts;
    for (const UnknownColumn& column : columns) {
        parts.push_back(column.light ? view.part_of(*column.light) : std::nullopt);
    }
    return parts;
}

} // namespace

ScalarModel::ScalarModel(std::shared_ptr<render::SceneTables> tables, std::vector<View>& views,
                         const Unknowns& unknowns, ScalarModelDesc desc)
    : m_tables(std::move(tables)), m_views(views), m_unknowns(unknowns), m_desc(std::move(desc)) {
    add_values(*m_tables);
    for (const View& view : views) {
        for (const ViewPart& part : view.parts()) {
            add_values(*part.recorder->desc().lit);
        }
    }
    const UnknownDirections directions = unknowns.directions(m_tables->materials()->values.size());
    m_columns = directions.columns;
    m_has_directions = directions.count > 0;
}

void ScalarModel::add_values(const render::SceneTables& tables) {
    const tensor::TensorRef& own = tables.values();
    if (std::ranges::find(m_scene_values, own, &SceneValues::on_device) != m_scene_values.end()) {
        return;
    }
    m_scene_values.push_back(
        {.on_device = own,
         .values = tables.materials()->values,
         .replayed = tensor::Tensor::create(tables.kept()->device(), own->layout(), "fit values")});
}

const ScalarModel::SceneValues& ScalarModel::values_of(const render::SceneTables& tables) const {
    return *std::ranges::find(m_scene_values, tables.values(), &SceneValues::on_device);
}

void ScalarModel::write(std::span<const double> x) {
    for (SceneValues& own : m_scene_values) {
        m_unknowns.write(x, own.values);
        tensor::upload(*own.on_device, std::as_bytes(std::span(own.values)));
    }
}

void ScalarModel::draw(std::span<const double> x) {
    draw_samples(x, m_desc.samples);
}

void ScalarModel::draw_samples(std::span<const double> x, std::int64_t samples) {
    write(x);
    m_drawn = samples;
    std::size_t most = 0;
    for (View& view : m_views) {
        for (const ViewPart& part : view.parts()) {
            part.recorder->forget_paths();
        }
        most = std::max(most, view.pixels().size());
    }
    // For all views: fewer would be made anew for the next one.
    static_cast<void>(m_views.front().parts().front().recorder->film()->buffers(
        2 * samples * static_cast<std::int64_t>(most)));
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        std::vector<std::uint32_t> seeds;
        for (std::size_t part = 0; part < m_views[number].parts().size(); ++part) {
            seeds.push_back(mix_seeds(m_desc.seed, m_iteration, number + m_views.size() * part));
        }
        m_views[number].draw(
            {.samples = samples, .bounces = m_desc.bounces, .seeds = seeds, .check = m_desc.check});
    }
    ++m_iteration;
}

void ScalarModel::replay(std::span<const double> x, bool with_tangents) {
    for (SceneValues& own : m_scene_values) {
        m_unknowns.write(x, own.values);
        tensor::upload(*own.replayed, std::as_bytes(std::span(own.values)));
    }
    for (const View& view : m_views) {
        for (const ViewPart& part : view.parts()) {
            part.recorder->replay({.values = values_of(*part.recorder->desc().lit).replayed,
                                   .with_tangents = with_tangents});
        }
    }
}

ResidualPair ScalarModel::look(std::span<const double> x, std::int64_t samples,
                               std::uint64_t draw) {
    const std::uint64_t before = std::exchange(m_iteration, draw);
    try {
        draw_samples(x, samples);
    } catch (...) {
        m_iteration = before;
        throw;
    }
    m_iteration = before;
    return residuals(x);
}

SamplePair ScalarModel::linearize(std::span<const double> x) {
    replay(x, m_has_directions);
    fill(m_linearized[0], 0, x);
    fill(m_linearized[1], m_drawn, x);
    return {{m_linearized[0].residual, m_linearized[0].jacobian},
            {m_linearized[1].residual, m_linearized[1].jacobian}};
}

void ScalarModel::fill(SampleSet& set, std::int64_t first, std::span<const double> x) {
    set.residual.clear();
    set.jacobian.clear();
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        fill_view(set, number, m_views[number].develop(first, m_drawn, m_has_directions), x);
    }
}

void ScalarModel::fill_view(SampleSet& set, std::size_t number, std::span<const float> parts,
                            std::span<const double> x) const {
    const View& view = m_views[number];
    const Vector derivatives = m_unknowns.derivatives(x);
    const std::vector<float> gains = m_unknowns.gains(x, m_views.size());
    const std::vector<float> film = sum_parts(view, parts, m_unknowns.light_factors(x));
    const std::vector<std::optional<std::size_t>> sources = parts_of(view, m_columns);
    const std::size_t block = kChannels * view.pixels().size();
    const std::size_t columns = m_columns.size();
    std::size_t row = set.residual.size();
    set.residual.resize(row + block);
    set.jacobian.resize((row + block) * columns, 0.0F);
    for (std::size_t i = 0; i < block; ++i, ++row) {
        const std::size_t channel = i % kChannels;
        const std::size_t at = kChannels * std::size_t{view.pixels()[i / kChannels]} + channel;
        const float weight = view.weights()[at];
        const float scale = weight * gains[kChannels * number + channel];
        set.residual[row] =
            film[i] * scale - (weight > 0 ? view.observation().image[at] * weight : 0.0F);
        for (std::size_t unknown = 0; unknown < columns; ++unknown) {
            const UnknownColumn& column = m_columns[unknown];
            const bool acts = column.channel.value_or(channel) == channel &&
                              column.view.value_or(number) == number;
            if (acts && (!column.light || sources[unknown])) {
                const float derivative =
                    column.direction ? film[(1 + *column.direction) * block + i] * scale
                    : column.light   ? parts[*sources[unknown] * film.size() + i] * scale
                                     : film[i] * weight;
                set.jacobian[row * columns + unknown] =
                    derivative * static_cast<float>(derivatives[unknown]);
            }
        }
    }
}

ResidualPair ScalarModel::residuals(std::span<const double> x) {
    replay(x, false);
    const std::vector<float> gains = m_unknowns.gains(x, m_views.size());
    const std::vector<float> factors = m_unknowns.light_factors(x);
    for (std::size_t half = 0; half < 2; ++half) {
        std::vector<float>& out = m_candidates[half];
        out.clear();
        for (std::size_t number = 0; number < m_views.size(); ++number) {
            View& view = m_views[number];
            const std::vector<float> film =
                sum_parts(view, view.develop(half == 0 ? 0 : m_drawn, m_drawn, false), factors);
            for (std::size_t i = 0; i < film.size(); ++i) {
                const std::size_t channel = i % kChannels;
                const std::size_t at =
                    kChannels * std::size_t{view.pixels()[i / kChannels]} + channel;
                const float weight = view.weights()[at];
                const float gain = gains[kChannels * number + channel];
                out.push_back(weight > 0 ? (film[i] * gain - view.observation().image[at]) * weight
                                         : 0.0F);
            }
        }
    }
    return {m_candidates[0], m_candidates[1]};
}

} // namespace weft::fit
