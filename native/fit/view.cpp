// SPDX-License-Identifier: Apache-2.0
#include "fit/view.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/seeds.hpp"
#include "fit/view_pixels.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

namespace weft::fit {

namespace {

constexpr double kMostLost = 0.5; ///< of the pixels that are drawn

} // namespace

View::View(const Observation& observation, std::vector<ViewPart> parts,
           std::vector<std::uint32_t> start_media)
    : m_observation(&observation), m_parts(std::move(parts)), m_start_media(std::move(start_media)),
      m_noise_weights(fit::noise_weights(observation)), m_weights(m_noise_weights),
      m_trust(m_weights.size() / kChannels, 1.0F), m_lost(m_trust.size()) {
    m_pixels = counted_pixels();
}

void View::set_pixels(std::vector<std::uint32_t> pixels) {
    m_pixels = std::move(pixels);
    ++m_version;
}

std::size_t View::lost_count() const noexcept {
    return static_cast<std::size_t>(std::count(m_lost.begin(), m_lost.end(), true));
}

std::vector<std::uint32_t> View::counted_pixels() const {
    return fit::counted_pixels(m_weights);
}

void View::show_all(std::size_t stride) {
    set_pixels(lattice_of({.pixels = counted_pixels(), .width = width()}, stride));
}

void View::draw(const ViewDraw& draw) {
    render::PathSettings settings{.samples = 2 * draw.samples,
                                  .bounces = draw.bounces,
                                  .filter = m_observation->filter,
                                  .filter_width = m_observation->filter_width,
                                  .roulette_from = std::nullopt,
                                  .period = draw.samples};
    for (std::size_t part = 0; part < m_parts.size(); ++part) {
        settings.seed = draw.seeds[part];
        m_parts[part].recorder->record({.camera = m_observation->camera,
                                        .settings = settings,
                                        .pixels = m_pixels,
                                        .start_media = m_start_media,
                                        .check = draw.check});
    }
}

std::vector<float> View::direct_share(std::uint32_t seed, const core::InterruptPoll& check) {
    const render::PathSettings settings{.samples = 2, .bounces = 0, .seed = seed};
    render::Recorder& recorder = *m_parts.front().recorder;
    recorder.record({.camera = m_observation->camera,
                     .settings = settings,
                     .pixels = m_pixels,
                     .start_media = m_start_media,
                     .check = check});
    return recorder.direct_fraction();
}

std::vector<float> View::develop(std::int64_t first, std::int64_t count, bool with_tangents) {
    std::vector<float> film;
    for (const ViewPart& part : m_parts) {
        const std::vector<float> own = part.recorder->resolve_to_host(first, count, with_tangents);
        film.insert(film.end(), own.begin(), own.end());
    }
    const std::size_t pixels = m_pixels.size();
    std::vector<bool> bad(pixels);
    for (std::size_t i = 0; i < film.size(); ++i) {
        if (!std::isfinite(film[i])) {
            bad[i / kChannels % pixels] = true;
        }
    }
    if (std::find(bad.begin(), bad.end(), true) == bad.end()) {
        return film;
    }
    for (std::size_t i = 0; i < film.size(); ++i) {
        film[i] = bad[i / kChannels % pixels] ? 0.0F : film[i];
    }
    leave_out(bad);
    return film;
}

void View::set_trust(std::vector<float> trust) {
    m_trust = std::move(trust);
    update_weights();
}

void View::set_noise(std::vector<float> noise) {
    m_noise = std::move(noise);
    update_weights();
}

void View::weigh_alike(bool is_alike) {
    m_is_alike = is_alike;
    update_weights();
}

void View::update_weights() {
    for (std::size_t i = 0; i < m_weights.size(); ++i) {
        const std::size_t pixel = i / kChannels;
        const float noise = m_noise.empty() ? 1.0F : m_noise[pixel];
        const float own = m_is_alike ? m_noise_weights[i]
                                     : m_noise_weights[i] / noise * std::sqrt(m_trust[pixel]);
        m_weights[i] = m_lost[pixel] ? 0.0F : own;
    }
    ++m_version;
}

void View::leave_out(const std::vector<bool>& bad) {
    std::size_t lost = 0;
    ++m_version;
    for (std::size_t i = 0; i < bad.size(); ++i) {
        const std::size_t pixel = m_pixels[i];
        if (bad[i]) {
            m_lost[pixel] = true;
            std::fill_n(&m_weights[kChannels * pixel], kChannels, 0.0F);
        }
        lost += m_lost[pixel] ? 1 : 0;
    }
    if (static_cast<double>(lost) > kMostLost * static_cast<double>(bad.size())) {
        throw core::ArgumentError(core::text(
            "Fit: ", lost, " of ", bad.size(), " pixels of observation '", m_observation->name,
            "' are no finite numbers; look for inputs of materials or lights that are infinite or "
            "no numbers, and render the scene to see where"));
    }
}

std::string View::problem() const {
    const std::size_t lost = lost_count();
    return lost == 0
               ? ""
               : core::text("Observation '", m_observation->name,
                            "': the render or its derivatives are no finite numbers in ", lost,
                            " pixels, which do not count; look for inputs of materials or "
                            "lights that are no numbers");
}

std::vector<float> View::spread(std::span<const double> values, std::size_t radius) const {
    return fit::spread({.pixels = m_pixels, .width = width()},
                       static_cast<std::size_t>(m_observation->camera.height), values,
                       counted_pixels(), radius);
}

std::vector<std::uint32_t> owning_materials(const scene::Scene& scene,
                                            std::span<const std::string> names) {
    std::set<std::string> owners;
    for (const std::string& name : names) {
        owners.insert(scene::split_owner(name).owner);
    }
    std::vector<std::uint32_t> out;
    const auto materials = scene::materials_of(scene);
    for (std::size_t number = 0; number < materials.size(); ++number) {
        if (owners.contains(materials[number]->name)) {
            out.push_back(static_cast<std::uint32_t>(number));
        }
    }
    return out;
}

void draw_views(std::vector<View>& views, const ViewsDraw& draw) {
    std::size_t most = 0;
    for (const View& view : views) {
        for (const ViewPart& part : view.parts()) {
            part.recorder->forget_paths();
        }
        most = std::max(most, view.pixels().size());
    }
    // For all views: fewer would be made anew for the next one.
    static_cast<void>(views.front().parts().front().recorder->film()->buffers(
        2 * draw.samples * static_cast<std::int64_t>(most)));
    for (std::size_t number = 0; number < views.size(); ++number) {
        std::vector<std::uint32_t> seeds;
        for (std::size_t part = 0; part < views[number].parts().size(); ++part) {
            seeds.push_back(mix_seeds(draw.seed, draw.draw, number + views.size() * part));
        }
        views[number].draw({.samples = draw.samples,
                            .bounces = draw.bounces,
                            .seeds = seeds,
                            .check = draw.check});
    }
}

} // namespace weft::fit
