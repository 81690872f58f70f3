// SPDX-License-Identifier: Apache-2.0
#include "fit/texture_replay.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/seeds.hpp"
#include "fit/view_rows.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace weft::fit {

using tensor::TensorRef;

namespace {

constexpr float kMostLost = 0.5F; ///< of the texels that the pictures show
constexpr std::size_t kAround =
    2; ///< pixels: neighbours of one that shows a material count as well

std::vector<render::SceneTablesRef> tables_of(const render::SceneTablesRef& scene,
                                              const std::vector<View>& views) {
    std::vector<render::SceneTablesRef> out{scene};
    for (const View& view : views) {
        for (const ViewPart& part : view.parts()) {
            out.push_back(part.recorder->desc().lit);
        }
    }
    return out;
}

} // namespace

TextureReplay::TextureReplay(dispatch::Context context, const render::SceneTablesRef& tables,
                             std::vector<View>& views, std::span<const TextureParameter> parameters,
                             TextureReplayDesc desc)
    : m_views(views), m_desc(std::move(desc)), m_tables(tables_of(tables, views)),
      m_images(std::move(context)), m_regions(find_regions(*tables, parameters)),
      m_state(m_images, tables->textures().texels) {
    for (View& view : views) {
        m_view_films.emplace_back(view, m_images.calls());
    }
}

TensorRef TextureReplay::scene_texels() {
    return kernels().copy_of(m_tables.front()->textures().texels);
}

void TextureReplay::give(const TensorRef& texels) {
    std::set<TensorRef> own;
    for (const render::SceneTablesRef& tables : m_tables) {
        own.insert(tables->textures().texels);
    }
    for (const TensorRef& target : own) {
        m_images.calls().copy(target, texels);
    }
}

void TextureReplay::draw(std::int64_t samples) {
    give(m_state.texels());
    m_samples = samples;
    draw_views(m_views, {.samples = samples,
                         .bounces = m_desc.bounces,
                         .seed = m_desc.seed,
                         .draw = m_draws,
                         .check = m_desc.check});
    ++m_draws;
}

ResidualPair TextureReplay::look(std::int64_t samples, std::uint64_t draw,
                                 std::optional<std::int64_t> bounces) {
    draw_views(m_views, {.samples = samples,
                         .bounces = bounces.value_or(m_desc.bounces),
                         .seed = m_desc.seed,
                         .draw = draw,
                         .check = m_desc.check});
    m_seen = {};
    const FilmFactors ones{.gains = {1, 1, 1}, .lights = {1, 1, 1}}; // textures move alone
    for (View& view : m_views) {
        for (const ViewPart& part : view.parts()) {
            part.recorder->replay({.values = part.recorder->desc().lit->values()});
        }
        const std::vector<std::optional<std::size_t>> lights(view.parts().size());
        for (std::size_t half = 0; half < 2; ++half) {
            const std::vector<float> parts =
                view.resolve_to_host(half == 0 ? 0 : samples, samples, false);
            append_residuals({.number = 0,
                              .parts = parts,
                              .lights = lights,
                              .pixels = view.pixels(),
                              .weights = view.weights(),
                              .image = view.observation().image},
                             ones, m_seen.at(half));
        }
    }
    return {m_seen[0], m_seen[1]};
}

void TextureReplay::select_pixels() {
    const bool is_light = std::ranges::any_of(
        m_regions, [](const TextureRegion& region) { return region.parameter.is_light; });
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        View& view = m_views[number];
        view.show_all();
        if (is_light) {
            continue;
        }
        const std::vector<float> fraction =
            view.direct_fraction(mix_seeds(m_desc.seed, 0, number), m_desc.check);
        std::vector<float> around(view.lost().size());
        for (std::size_t i = 0; i < fraction.size(); ++i) {
            around[view.pixels()[i]] = fraction[i];
        }
        const scene::Camera& camera = view.observation().camera;
        box_blur(around,
                 {.height = static_cast<std::size_t>(camera.height),
                  .width = static_cast<std::size_t>(camera.width)},
                 kAround);
        std::vector<std::uint32_t> kept;
        std::ranges::copy_if(view.pixels(), std::back_inserter(kept),
                             [&](std::uint32_t pixel) { return around[pixel] > 0; });
        if (!kept.empty()) {
            view.set_pixels(std::move(kept));
        }
    }
}

Films TextureReplay::films_of(const TensorRef& texels) {
    Films out;
    for (ViewFilms& view : m_view_films) {
        out.push_back(view.replay(texels, m_samples));
    }
    return out;
}

LossOfDraw TextureReplay::replay() {
    m_films = films_of(m_state.texels());
    Films sums;
    for (std::size_t number = 0; number < m_view_films.size(); ++number) {
        sums.push_back(m_view_films[number].sums(m_films[number]));
    }
    LossOfDraw out;
    double count = 0;
    for (std::size_t number = 0; number < m_view_films.size(); ++number) {
        const std::vector<float> own = kernels().download(*sums[number]);
        out.loss += static_cast<double>(own[0]);
        out.noise += static_cast<double>(own[1]);
        count += static_cast<double>(kChannels) * static_cast<double>(m_view_films[number].count());
        if (own[2] > 0) {
            m_view_films[number].leave_out_lost();
        }
    }
    count = std::max(count, 1.0);
    return {.loss = out.loss / count, .noise = out.noise / count};
}

std::vector<std::vector<float>> TextureReplay::differences() {
    std::vector<std::vector<float>> out;
    out.reserve(m_view_films.size());
    for (std::size_t number = 0; number < m_view_films.size(); ++number) {
        out.push_back(m_view_films[number].differences(m_films[number]));
    }
    return out;
}

std::vector<Films> TextureReplay::raised_films() {
    std::vector<Films> out;
    out.reserve(m_regions.size());
    for (const TextureRegion& region : m_regions) {
        out.push_back(films_of(raised(region)));
    }
    return out;
}

/// Of each part of a view's light.
std::vector<PartFactor> TextureReplay::factors_of(const View& view) const {
    std::vector<PartFactor> out;
    for (const ViewPart& part : view.parts()) {
        const bool has_own = part.light && !m_factors.empty();
        out.push_back(has_own ? m_factors.at(*part.light) : PartFactor{1, 1, 1});
    }
    return out;
}

Adjoints TextureReplay::upload(const std::vector<std::vector<float>>& rows) {
    Adjoints out;
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        const std::vector<PartFactor> factors = factors_of(m_views[number]);
        std::vector<TensorRef> own;
        for (const PartFactor& factor : factors) {
            if (!own.empty() && factor == factors.front()) {
                own.push_back(own.front());
                continue;
            }
            std::vector<float> scaled = rows[number];
            for (std::size_t i = 0; i < scaled.size(); ++i) {
                scaled[i] *= static_cast<float>(factor.at(i % kChannels));
            }
            own.push_back(kernels().upload(scaled));
        }
        out.push_back(std::move(own));
    }
    return out;
}

TensorRef TextureReplay::gradient() {
    Adjoints adjoints;
    for (std::size_t number = 0; number < m_view_films.size(); ++number) {
        ViewFilms& own = m_view_films[number];
        adjoints.push_back(own.adjoints(m_films[number], factors_of(own.view())));
    }
    return collect(adjoints);
}

TensorRef TextureReplay::curvature(const Films& raised) {
    Adjoints adjoints;
    for (std::size_t number = 0; number < m_view_films.size(); ++number) {
        ViewFilms& own = m_view_films[number];
        adjoints.push_back(own.change_adjoints(
            {.before = m_films[number], .after = raised[number], .step = kRaise},
            factors_of(own.view())));
    }
    return collect(adjoints);
}

TensorRef TextureReplay::collect(const Adjoints& adjoints) {
    FitKernels& calls = m_images.calls();
    const std::int64_t size = m_state.texels()->element_count();
    TensorRef collected = calls.zeros({size});
    const TensorRef unused = calls.zeros({m_tables.front()->values()->element_count()});
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        const std::span<const ViewPart> parts = m_views[number].parts();
        for (std::size_t part = 0; part < parts.size(); ++part) {
            render::Recorder& recorder = *parts[part].recorder;
            recorder.add_gradients({.values = recorder.desc().lit->values(),
                                    .pixel_gradients = adjoints[number][part],
                                    .gradients = unused,
                                    .texels = m_state.texels(),
                                    .texel_gradients = collected});
        }
    }
    const std::int64_t threads = parts_of(size);
    const TensorRef counts = calls.create({threads, 2});
    calls.lanes(FitModule::texels, "dropNonFinite", threads, collected, size, threads, counts);
    m_counts.push_back(calls.sum_of_parts(counts));
    return collected;
}

void TextureReplay::require_numbers() {
    const std::vector<TensorRef> counts = std::exchange(m_counts, {});
    for (const TensorRef& entry : counts) {
        const std::vector<float> own = kernels().download(*entry);
        const float bad = own[0];
        const float filled = own[1];
        if (bad > kMostLost * filled) {
            throw core::NonFiniteError(
                core::text("Fit: derivatives of ", static_cast<std::int64_t>(bad), " of ",
                           static_cast<std::int64_t>(filled),
                           " texels that the pictures show are no finite numbers; look for inputs "
                           "of materials or lights that are infinite or no numbers"));
        }
        if (bad > 0) {
            m_lost = std::max(m_lost, static_cast<std::size_t>(bad) / kChannels + 1);
        }
    }
}

std::vector<std::string> TextureReplay::problems() const {
    std::vector<std::string> out;
    for (const View& view : m_views) {
        if (std::string problem = view.problem(); !problem.empty()) {
            out.push_back(std::move(problem));
        }
    }
    if (m_lost > 0) {
        std::vector<std::string> names;
        names.reserve(m_regions.size());
        for (const TextureRegion& region : m_regions) {
            names.push_back(region.parameter.name);
        }
        out.push_back(core::text("Texture ", core::join(names, ", "), ": derivatives of about ",
                                 m_lost,
                                 " texels are no finite numbers in some draws; look for inputs of "
                                 "materials or lights that are no numbers"));
    }
    return out;
}

} // namespace weft::fit
