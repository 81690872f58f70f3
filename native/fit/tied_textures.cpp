// SPDX-License-Identifier: Apache-2.0
#include "fit/tied_textures.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace weft::fit {

using tensor::TensorRef;

namespace {

std::vector<MapRegion> maps_of(const std::vector<TextureRegion>& regions) {
    std::vector<MapRegion> out;
    out.reserve(regions.size());
    for (const TextureRegion& region : regions) {
        out.push_back({.name = region.parameter.name,
                       .first = static_cast<std::size_t>(region.first),
                       .shape = region.shape,
                       .bounds = region.parameter.bounds,
                       .smoothness = region.parameter.smoothness,
                       .is_light = region.parameter.is_light});
    }
    return out;
}

/// Adjoints that are 1 in one of the views, and 0 in the others.
Adjoints ones_of(TextureReplay& replay, std::size_t shown) {
    Adjoints out;
    for (std::size_t number = 0; number < replay.views().size(); ++number) {
        const View& view = replay.views()[number];
        const std::vector<float> values(2 * kChannels * view.pixels().size(),
                                        number == shown ? 1.0F : 0.0F);
        const TensorRef both = replay.kernels().upload(values);
        out.emplace_back(view.parts().size(), both);
    }
    return out;
}

} // namespace

TiedTextures::TiedTextures(TextureReplay& replay) : m_replay(replay) {
    const std::vector<MapRegion> maps = maps_of(replay.regions());
    const std::vector<std::vector<std::size_t>> groups = group_maps(maps);
    if (groups.empty()) {
        return;
    }
    const std::vector<float> texels = replay.kernels().download(*replay.state().texels());
    for (const std::vector<std::size_t>& numbers : groups) {
        std::vector<MapRegion> own;
        std::ranges::transform(numbers, std::back_inserter(own),
                               [&maps](std::size_t number) { return maps[number]; });
        MapGroup group(std::move(own));
        const TexelImage start = group.gather(texels);
        m_groups.push_back({TiedMaps(std::move(group), start), numbers});
    }
}

bool TiedTextures::has(std::size_t number) const {
    return std::ranges::any_of(m_groups, [number](const Group& group) {
        return std::ranges::find(group.numbers, number) != group.numbers.end();
    });
}

void TiedTextures::count_views() {
    for (Group& group : m_groups) {
        group.tied.forget_views();
    }
    for (std::size_t shown = 0; shown < m_replay.views().size(); ++shown) {
        std::vector<float> answers =
            m_replay.kernels().download(*m_replay.collect(ones_of(m_replay, shown)));
        for (float& each : answers) {
            each = std::abs(each);
        }
        for (Group& group : m_groups) {
            group.tied.add_view(answers);
        }
    }
}

void TiedTextures::add_curvature(std::span<const TensorRef> answers) {
    for (Group& group : m_groups) {
        std::vector<std::vector<float>> own;
        own.reserve(group.numbers.size());
        for (const std::size_t number : group.numbers) {
            own.push_back(m_replay.kernels().download(*answers[number]));
        }
        const std::vector<std::span<const float>> spans(own.begin(), own.end());
        group.tied.add_blocks(group.tied.group().blocks(spans));
    }
}

void TiedTextures::move(const TensorRef& gradient, double loss, double noise,
                        const TiedSchedule& schedule) {
    if (is_empty()) {
        return;
    }
    FitKernels& kernels = m_replay.kernels();
    const TensorRef& place = m_replay.state().texels();
    const std::vector<float> derivatives = kernels.download(*gradient);
    std::vector<float> texels = kernels.download(*place);
    for (Group& group : m_groups) {
        group.tied.expect(loss, noise * schedule.noise);
        group.tied.step(derivatives, texels, schedule);
    }
    kernels.copy(place, kernels.upload(texels));
}

Matrix TiedTextures::products(std::span<const TensorRef> rows, double blur) {
    Matrix out(rows.size() - 1, rows.size());
    if (is_empty()) {
        return out;
    }
    std::vector<std::vector<float>> own;
    for (const TensorRef& row : rows) {
        own.push_back(m_replay.kernels().download(*row));
    }
    const std::vector<std::span<const float>> spans(own.begin(), own.end());
    for (Group& group : m_groups) {
        const Matrix found = group.tied.products(spans, blur);
        std::ranges::transform(out.values, found.values, out.values.begin(), std::plus<>());
    }
    return out;
}

std::vector<TiedUncertainty> TiedTextures::uncertainty(double variance, double sharing) const {
    std::vector<TiedUncertainty> out;
    for (const Group& group : m_groups) {
        const MapGroup& maps = group.tied.group();
        TiedUncertainty own;
        own.numbers = group.numbers;
        own.maps = maps.gather(m_replay.kernels().download(*m_replay.state().found()));
        own.unknown = group.tied.uncertainty(own.maps, variance, sharing);
        for (const std::size_t number : group.numbers) {
            const TextureRegion& region = m_replay.regions()[number];
            const std::vector<float> marks =
                m_replay.kernels().download(*m_replay.state().known(region));
            const std::vector<double> values(marks.begin(), marks.end());
            const TexelImage grown = maps.grown(
                {{.height = region.shape.height, .width = region.shape.width, .channels = 1},
                 values});
            std::vector<bool>& known = own.known.emplace_back();
            for (const double mark : grown.values) {
                known.push_back(mark > 0.5);
            }
        }
        out.push_back(std::move(own));
    }
    return out;
}

void TiedTextures::save(SavedArrays& saved) const {
    for (std::size_t number = 0; number < m_groups.size(); ++number) {
        saved.add_part(core::text("tied.", number), m_groups[number].tied.save());
    }
}

void TiedTextures::restore(const SavedArrays& saved) {
    for (std::size_t number = 0; number < m_groups.size(); ++number) {
        m_groups[number].tied.restore(saved.part(core::text("tied.", number)));
    }
}

std::vector<float> TiedTextures::errors(std::size_t number,
                                        std::span<const TiedUncertainty> found) const {
    const auto group = std::ranges::find_if(m_groups, [number](const Group& own) {
        return std::ranges::find(own.numbers, number) != own.numbers.end();
    });
    if (group == m_groups.end()) {
        throw core::InternalError("TiedTextures::errors: the texture moves alone");
    }
    const MapGroup& maps = group->tied.group();
    const auto own = static_cast<std::size_t>(std::ranges::find(group->numbers, number) -
                                              group->numbers.begin());
    const MapUncertainty& unknown =
        found[static_cast<std::size_t>(group - m_groups.begin())].unknown;
    const std::size_t channels = maps.regions()[own].shape.channels;
    TexelImage errors(
        {.height = maps.shape().height, .width = maps.shape().width, .channels = channels});
    for (std::size_t i = 0; i < errors.values.size(); ++i) {
        errors.values[i] =
            unknown.errors.texel(i / channels)[maps.first_channel(own) + i % channels];
    }
    const TexelImage means = maps.shrunk(own, errors);
    std::vector<float> out(means.values.size());
    std::ranges::transform(means.values, out.begin(),
                           [](double value) { return static_cast<float>(value); });
    return out;
}

} // namespace weft::fit
