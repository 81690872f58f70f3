// SPDX-License-Identifier: Apache-2.0
#include "fit/scalar_model.hpp"

#include "tensor/transfer.hpp"

#include <algorithm>
#include <cstddef>

namespace weft::fit {

namespace {

/// A seed of 32 bits for one view of one iteration; that of weft/fit/seeds.py.
std::uint32_t mix_seeds(std::uint64_t seed, std::uint64_t iteration, std::uint64_t view) noexcept {
    return static_cast<std::uint32_t>(seed * 0x9E3779B1U + iteration * 0x85EBCA77U +
                                      view * 0xC2B2AE3DU + 1);
}

} // namespace

ScalarModel::ScalarModel(std::shared_ptr<render::SceneTables> tables, std::vector<View>& views,
                         const Unknowns& unknowns, ScalarModelDesc desc)
    : m_tables(std::move(tables)), m_views(views), m_unknowns(unknowns), m_desc(std::move(desc)),
      m_scene_values(m_tables->materials()->values) {
    const UnknownDirections directions = unknowns.directions(m_scene_values.size());
    m_columns = directions.columns;
    m_has_directions = directions.count > 0;
    const tensor::TensorRef& own = m_tables->values();
    m_values = tensor::Tensor::create(m_tables->kept()->device(), own->layout(), "fit values");
}

void ScalarModel::write(std::span<const double> x) {
    m_unknowns.write(x, m_scene_values);
    tensor::upload(*m_tables->values(), std::as_bytes(std::span(m_scene_values)));
}

void ScalarModel::draw(std::span<const double> x) {
    draw_samples(x, m_desc.samples);
}

void ScalarModel::draw_samples(std::span<const double> x, std::int64_t samples) {
    write(x);
    m_drawn = samples;
    std::size_t most = 0;
    for (View& view : m_views) {
        view.recorder().forget_paths();
        most = std::max(most, view.pixels().size());
    }
    // For all views: fewer would be made anew for the next one.
    static_cast<void>(
        m_views.front().recorder().film()->buffers(2 * samples * static_cast<std::int64_t>(most)));
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        m_views[number].draw({.samples = samples,
                              .bounces = m_desc.bounces,
                              .seed = mix_seeds(m_desc.seed, m_iteration, number),
                              .check = m_desc.check});
    }
    ++m_iteration;
}

void ScalarModel::replay(std::span<const double> x, bool with_tangents) {
    m_unknowns.write(x, m_scene_values);
    tensor::upload(*m_values, std::as_bytes(std::span(m_scene_values)));
    for (View& view : m_views) {
        view.recorder().replay({.values = m_values, .with_tangents = with_tangents});
    }
}

SamplePair ScalarModel::linearize(std::span<const double> x) {
    replay(x, m_has_directions);
    fill(m_linearized[0], 0, x);
    fill(m_linearized[1], m_drawn, x);
    return {{m_linearized[0].residual, m_linearized[0].jacobian},
            {m_linearized[1].residual, m_linearized[1].jacobian}};
}

void ScalarModel::fill(SampleSet& set, std::int64_t first, std::span<const double> x) {
    const Vector derivatives = m_unknowns.derivatives(x);
    const std::vector<float> gains = m_unknowns.gains(x, m_views.size());
    set.residual.clear();
    set.jacobian.clear();
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        const std::vector<float> film = m_views[number].develop(first, m_drawn, m_has_directions);
        fill_view(set, number, film, std::span(gains).subspan(kChannels * number, kChannels),
                  derivatives);
    }
}

void ScalarModel::fill_view(SampleSet& set, std::size_t number, std::span<const float> film,
                            std::span<const float> gain,
                            std::span<const double> derivatives) const {
    const View& view = m_views[number];
    const std::size_t block = kChannels * view.pixels().size();
    const std::size_t columns = m_columns.size();
    std::size_t row = set.residual.size();
    set.residual.resize(row + block);
    set.jacobian.resize((row + block) * columns, 0.0F);
    for (std::size_t i = 0; i < block; ++i, ++row) {
        const std::size_t channel = i % kChannels;
        const std::size_t at = kChannels * std::size_t{view.pixels()[i / kChannels]} + channel;
        const float weight = view.weights()[at];
        const float scale = weight * gain[channel];
        set.residual[row] =
            film[i] * scale - (weight > 0 ? view.observation().image[at] * weight : 0.0F);
        for (std::size_t unknown = 0; unknown < columns; ++unknown) {
            const UnknownColumn& column = m_columns[unknown];
            const bool acts = column.channel.value_or(channel) == channel &&
                              column.view.value_or(number) == number;
            if (acts) {
                const float slope = column.direction
                                        ? film[(1 + *column.direction) * block + i] * scale
                                        : film[i] * weight;
                set.jacobian[row * columns + unknown] =
                    slope * static_cast<float>(derivatives[unknown]);
            }
        }
    }
}

ResidualPair ScalarModel::residuals(std::span<const double> x) {
    replay(x, false);
    const std::vector<float> gains = m_unknowns.gains(x, m_views.size());
    for (std::size_t half = 0; half < 2; ++half) {
        std::vector<float>& out = m_candidates[half];
        out.clear();
        for (std::size_t number = 0; number < m_views.size(); ++number) {
            View& view = m_views[number];
            const std::vector<float> film = view.develop(half == 0 ? 0 : m_drawn, m_drawn, false);
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
