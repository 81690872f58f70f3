// SPDX-License-Identifier: Apache-2.0
#include "fit/view_films.hpp"

#include "tensor/transfer.hpp"

#include <algorithm>

namespace weft::fit {

using tensor::TensorRef;

namespace {

constexpr FitModule kResiduals = FitModule::residuals;
constexpr std::int64_t kFloats = 3; ///< of a pixel

/// Those of the pixels that are drawn. @param values three a pixel of the picture.
std::vector<float> drawn_of(const View& view, std::span<const float> values) {
    std::vector<float> out;
    out.reserve(kChannels * view.pixels().size());
    for (const std::uint32_t pixel : view.pixels()) {
        const auto own = values.subspan(kChannels * std::size_t{pixel}, kChannels);
        out.insert(out.end(), own.begin(), own.end());
    }
    return out;
}

} // namespace

/// Follows what the view draws and weighs by.
void ViewFilms::refresh() {
    if (m_version == m_view->version()) {
        return;
    }
    std::vector<float> image = drawn_of(*m_view, m_view->observation().image);
    const std::vector<float> weights = drawn_of(*m_view, m_view->weights());
    for (std::size_t i = 0; i < image.size(); ++i) {
        image[i] = weights[i] > 0 ? image[i] : 0.0F; // masked pixels may hold anything
    }
    m_image = m_kernels->upload(image);
    m_weights = m_kernels->upload(weights);
    m_lost = m_kernels->zeros({count()}, reflect::ScalarKind::uint32);
    m_version = m_view->version();
}

TensorRef ViewFilms::replay(const TensorRef& texels, std::int64_t drawn) {
    refresh();
    for (const ViewPart& part : m_view->parts()) {
        part.recorder->replay({.values = part.recorder->desc().lit->values(), .texels = texels});
    }
    TensorRef film = m_kernels->create({2 * kFloats * count()});
    for (std::int64_t half = 0; half < 2; ++half) {
        m_view->parts().front().recorder->resolve(
            half * drawn, drawn, slice(film, kFloats * half * count(), kFloats * count()));
    }
    m_kernels->lanes(kResiduals, "dropLost", count(), film, count(), m_lost);
    return film;
}

TensorRef ViewFilms::sums(const TensorRef& film) {
    const std::int64_t threads = parts_of(count());
    const TensorRef parts = m_kernels->create({threads, 3});
    m_kernels->lanes(kResiduals, "sumResiduals", threads, film, m_image, m_weights, m_lost, count(),
                     threads, parts);
    return m_kernels->sum_of_parts(parts);
}

std::vector<float> ViewFilms::differences(const TensorRef& film) {
    const TensorRef squares = m_kernels->create({count()});
    m_kernels->lanes(kResiduals, "squareDifferences", count(), film, m_weights, m_lost, count(),
                     squares);
    return m_kernels->download(*squares);
}

void ViewFilms::leave_out_lost() {
    std::vector<std::uint32_t> lost(static_cast<std::size_t>(count()));
    tensor::download(*m_lost, std::as_writable_bytes(std::span(lost)));
    m_view->leave_out({lost.begin(), lost.end()});
}

template <typename Launch>
std::vector<TensorRef> ViewFilms::each(std::span<const PartFactor> factors, const Launch& launch) {
    std::vector<TensorRef> out;
    for (const PartFactor& factor : factors) {
        out.push_back(!out.empty() && factor == factors.front() ? out.front() : launch(factor));
    }
    return out;
}

std::vector<TensorRef> ViewFilms::adjoints(const TensorRef& film,
                                           std::span<const PartFactor> factors) {
    return each(factors, [&](const PartFactor& factor) {
        TensorRef made = m_kernels->create({2 * kFloats * count()});
        m_kernels->lanes(kResiduals, "crossResiduals", count(), film, m_image, m_weights, m_lost,
                         count(), factor, made);
        return made;
    });
}

std::vector<TensorRef> ViewFilms::change_adjoints(const FilmChange& change,
                                                  std::span<const PartFactor> factors) {
    return each(factors, [&](const PartFactor& factor) {
        TensorRef made = m_kernels->create({2 * kFloats * count()});
        m_kernels->lanes(kResiduals, "crossDerivatives", count(), change.before, change.after,
                         m_weights, m_lost, count(), change.step, factor, made);
        return made;
    });
}

} // namespace weft::fit
