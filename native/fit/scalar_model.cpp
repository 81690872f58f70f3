// SPDX-License-Identifier: Apache-2.0
#include "fit/scalar_model.hpp"

#include "tensor/transfer.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace weft::fit {

namespace {

std::vector<std::optional<std::size_t>> lights_of(const View& view) {
    std::vector<std::optional<std::size_t>> out;
    for (const ViewPart& part : view.parts()) {
        out.push_back(part.light);
    }
    return out;
}

/// @param parts that were developed of the view. @param lights of the parts.
ViewFilm film_of(const View& view, std::size_t number, std::span<const float> parts,
                 std::span<const std::optional<std::size_t>> lights) {
    return {.number = number,
            .parts = parts,
            .lights = lights,
            .pixels = view.pixels(),
            .weights = view.weights(),
            .image = view.observation().image};
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
    draw_views(m_views, {.samples = samples,
                         .bounces = m_desc.bounces,
                         .seed = m_desc.seed,
                         .draw = m_iteration,
                         .check = m_desc.check});
    ++m_iteration;
}

void ScalarModel::replay(std::span<const double> x, const tensor::TensorRef& texels,
                         bool with_tangents) {
    for (SceneValues& own : m_scene_values) {
        m_unknowns.write(x, own.values);
        tensor::upload(*own.replayed, std::as_bytes(std::span(own.values)));
    }
    each_view(m_views, [&](std::size_t number) {
        for (const ViewPart& part : m_views[number].parts()) {
            part.recorder->replay({.values = values_of(*part.recorder->desc().lit).replayed,
                                   .texels = texels,
                                   .with_tangents = with_tangents});
        }
    });
}

ResidualPair ScalarModel::look(std::span<const double> x, std::int64_t samples, std::uint64_t draw,
                               std::optional<std::int64_t> bounces) {
    const struct Kept {
        ~Kept() {
            model.m_iteration = iteration;
            model.m_desc.bounces = bounces;
        }
        ScalarModel& model;
        std::uint64_t iteration;
        std::int64_t bounces;
    } kept{*this, m_iteration, m_desc.bounces};
    m_iteration = draw;
    m_desc.bounces = bounces.value_or(m_desc.bounces);
    draw_samples(x, samples);
    return residuals(x);
}

FilmFactors ScalarModel::factors_at(std::span<const double> x) const {
    return film_factors(m_unknowns, m_columns, x, m_views.size());
}

SamplePair ScalarModel::linearize(std::span<const double> x) {
    return linearize(x, nullptr);
}

SamplePair ScalarModel::linearize(std::span<const double> x, const tensor::TensorRef& texels) {
    replay(x, texels, m_has_directions);
    const FilmFactors factors = factors_at(x);
    fill(m_linearized[0], 0, factors);
    fill(m_linearized[1], m_drawn, factors);
    return {{m_linearized[0].residual, m_linearized[0].jacobian},
            {m_linearized[1].residual, m_linearized[1].jacobian}};
}

void ScalarModel::fill(SampleSet& set, std::int64_t first, const FilmFactors& factors) {
    m_of_views.resize(m_views.size());
    each_view(m_views, [&](std::size_t number) {
        View& view = m_views[number];
        SampleSet& own = m_of_views[number];
        own.residual.clear();
        own.jacobian.clear();
        const std::vector<std::optional<std::size_t>> lights = lights_of(view);
        const std::vector<float> parts = view.resolve_to_host(first, m_drawn, m_has_directions);
        append_rows(film_of(view, number, parts, lights), factors, own.residual, own.jacobian);
    });
    if (m_of_views.size() == 1) {
        std::swap(set, m_of_views.front());
        return;
    }
    set.residual.clear();
    set.jacobian.clear();
    for (const SampleSet& own : m_of_views) {
        set.residual.insert(set.residual.end(), own.residual.begin(), own.residual.end());
        set.jacobian.insert(set.jacobian.end(), own.jacobian.begin(), own.jacobian.end());
    }
}

ResidualPair ScalarModel::residuals(std::span<const double> x) {
    return residuals(x, nullptr);
}

ResidualPair ScalarModel::residuals(std::span<const double> x, const tensor::TensorRef& texels) {
    replay(x, texels, false);
    const FilmFactors factors = factors_at(x);
    for (std::size_t half = 0; half < 2; ++half) {
        std::vector<std::vector<float>> rows(m_views.size());
        each_view(m_views, [&](std::size_t number) {
            View& view = m_views[number];
            const std::vector<std::optional<std::size_t>> lights = lights_of(view);
            const std::vector<float> parts =
                view.resolve_to_host(half == 0 ? 0 : m_drawn, m_drawn, false);
            append_residuals(film_of(view, number, parts, lights), factors, rows[number]);
        });
        std::vector<float>& out = m_candidates.at(half);
        out.clear();
        for (const std::vector<float>& own : rows) {
            out.insert(out.end(), own.begin(), own.end());
        }
    }
    return {m_candidates[0], m_candidates[1]};
}

} // namespace weft::fit
