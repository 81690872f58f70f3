// SPDX-License-Identifier: Apache-2.0
#include "fit/view.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/box_blur.hpp"

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

std::optional<std::size_t> View::part_of(std::size_t light) const noexcept {
    const auto found = std::ranges::find(m_parts, std::optional(light), &ViewPart::light);
    return found == m_parts.end()
               ? std::nullopt
               : std::optional(static_cast<std::size_t>(found - m_parts.begin()));
}

std::size_t View::lost_count() const noexcept {
    return static_cast<std::size_t>(std::count(m_lost.begin(), m_lost.end(), true));
}

std::vector<std::uint32_t> View::counted_pixels() const {
    std::vector<std::uint32_t> out;
    for (std::size_t pixel = 0; pixel < m_lost.size(); ++pixel) {
        const float* own = &m_weights[kChannels * pixel];
        if (std::any_of(own, own + kChannels, [](float weight) { return weight > 0; })) {
            out.push_back(static_cast<std::uint32_t>(pixel));
        }
    }
    return out;
}

void View::show_all(std::size_t stride) {
    const std::vector<std::uint32_t> counted = counted_pixels();
    const auto width = static_cast<std::size_t>(m_observation->camera.width);
    m_pixels.clear();
    std::copy_if(counted.begin(), counted.end(), std::back_inserter(m_pixels),
                 [width, stride](std::uint32_t pixel) {
                     return pixel / width % stride == 0 && pixel % width % stride == 0;
                 });
    if (m_pixels.empty()) {
        m_pixels = counted;
    }
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
    const ImageShape shape{.height = static_cast<std::size_t>(m_observation->camera.height),
                           .width = static_cast<std::size_t>(m_observation->camera.width),
                           .channels = 2};
    std::vector<float> layers(shape.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        layers[2 * std::size_t{m_pixels[i]}] = static_cast<float>(values[i]);
        layers[2 * std::size_t{m_pixels[i]} + 1] = 1;
    }
    box_blur(layers, shape, radius);
    // Differences of sums leave crumbs where nothing is drawn.
    const auto side = static_cast<float>(2 * radius + 1);
    const float least = 0.5F / (side * side);
    std::vector<float> out;
    for (const std::uint32_t pixel : counted_pixels()) {
        const float total = layers[2 * std::size_t{pixel}];
        const float drawn = layers[2 * std::size_t{pixel} + 1];
        out.push_back(drawn > least ? total / drawn : 0.0F);
    }
    return out;
}

} // namespace weft::fit
