// SPDX-License-Identifier: Apache-2.0
#include "fit/view.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/view_pixels.hpp"

#include <algorithm>
#include <cmath>

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

std::size_t View::lost_count() const noexcept {
    return static_cast<std::size_t>(std::count(m_lost.begin(), m_lost.end(), true));
}

std::vector<std::uint32_t> View::counted_pixels() const {
    return fit::counted_pixels(m_weights);
}

void View::show_all(std::size_t stride) {
    m_pixels = lattice_of({.pixels = counted_pixels(), .width = width()}, stride);
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

std::vector<float> View::develop(std::int64_t first, std::int64_t count, bool with_tangents) {
    std::vector<float> film;
    for (const ViewPart& part : m_parts) {
        const std::vector<float> own = part.recorder->develop(first, count, with_tangents);
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

void View::ignore_trust(bool is_ignored) {
    m_ignores_trust = is_ignored;
    update_weights();
}

void View::update_weights() {
    for (std::size_t i = 0; i < m_weights.size(); ++i) {
        const std::size_t pixel = i / kChannels;
        const float share = m_ignores_trust ? 1.0F : std::sqrt(m_trust[pixel]);
        m_weights[i] = m_lost[pixel] ? 0.0F : m_noise_weights[i] * share;
    }
}

void View::leave_out(const std::vector<bool>& bad) {
    std::size_t lost = 0;
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

std::vector<float> View::spread(std::span<const double> values, std::size_t radius) const {
    return fit::spread({.pixels = m_pixels, .width = width()},
                       static_cast<std::size_t>(m_observation->camera.height), values,
                       counted_pixels(), radius);
}

} // namespace weft::fit
