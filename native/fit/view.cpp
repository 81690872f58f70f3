// SPDX-License-Identifier: Apache-2.0
#include "fit/view.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/seeds.hpp"
#include "fit/view_pixels.hpp"
#include "scene/parameter_names.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <exception>
#include <iterator>
#include <set>
#include <thread>
#include <utility>

namespace weft::fit {

namespace {

constexpr double kMostLost = 0.5;                ///< of the pixels that are drawn
constexpr std::uint32_t kExponent = 0x7F800000U; ///< of a float: all ones where it is not finite

/// Films have millions of floats, and are looked through in each iteration: without a branch, compilers use vectors.
bool is_all_finite(std::span<const float> values) {
    std::uint32_t is_any_bad = 0;
    for (const float value : values) {
        const auto bits = std::bit_cast<std::uint32_t>(value);
        is_any_bad |= (bits & kExponent) == kExponent ? 1U : 0U;
    }
    return is_any_bad == 0;
}

} // namespace

View::View(const Observation& observation, std::vector<ViewPart> parts,
           std::vector<std::uint32_t> start_media, std::vector<float> noise_weights)
    : m_observation(&observation), m_parts(std::move(parts)), m_start_media(std::move(start_media)),
      m_noise_weights(noise_weights.empty() ? fit::noise_weights(observation)
                                            : std::move(noise_weights)),
      m_weights(m_noise_weights), m_trust(m_weights.size() / kChannels, 1.0F),
      m_lost(m_trust.size()) {
    if (m_weights.size() != observation.image.size()) {
        throw core::ArgumentError(core::text("View: ", observation.image.size(),
                                             " weights are needed for picture '", observation.name,
                                             "', got ", m_weights.size()));
    }
    m_pixels = counted_pixels();
}

const device::Device& View::device() const noexcept {
    return *m_parts.front().recorder->desc().tables->kept()->device();
}

void View::set_pixels(std::vector<std::uint32_t> pixels) {
    m_is_drawn = m_is_drawn && m_pixels == pixels;
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
    m_is_drawn = false;
    for (std::size_t part = 0; part < m_parts.size(); ++part) {
        settings.seed = draw.seeds[part];
        m_parts[part].recorder->record({.camera = m_observation->camera,
                                        .settings = settings,
                                        .pixels = m_pixels,
                                        .start_media = m_start_media,
                                        .check = draw.check});
    }
    m_is_drawn = true;
}

std::vector<float> View::direct_fraction(std::uint32_t seed, const core::InterruptPoll& check) {
    const render::PathSettings settings{.samples = 2, .bounces = 0, .seed = seed};
    m_is_drawn = false;
    render::Recorder& recorder = *m_parts.front().recorder;
    recorder.record({.camera = m_observation->camera,
                     .settings = settings,
                     .pixels = m_pixels,
                     .start_media = m_start_media,
                     .check = check});
    return recorder.direct_fraction();
}

std::vector<float> View::resolve_to_host(std::int64_t first, std::int64_t count,
                                         bool with_tangents) {
    if (!m_is_drawn) {
        throw core::ArgumentError(core::text("Fit: the pixels of picture '", m_observation->name,
                                             "' are others than were drawn; draw first"));
    }
    std::vector<float> film =
        m_parts.front().recorder->resolve_to_host(first, count, with_tangents);
    for (std::size_t part = 1; part < m_parts.size(); ++part) {
        const std::vector<float> own =
            m_parts[part].recorder->resolve_to_host(first, count, with_tangents);
        film.insert(film.end(), own.begin(), own.end());
    }
    if (is_all_finite(film)) {
        return film;
    }
    const std::size_t pixels = m_pixels.size();
    std::vector<bool> bad(pixels);
    for (std::size_t i = 0; i < film.size(); ++i) {
        if (!std::isfinite(film[i])) {
            bad[i / kChannels % pixels] = true;
        }
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

void View::set_weighting(Weighting weighting) {
    m_weighting = weighting;
    update_weights();
}

void View::update_weights() {
    for (std::size_t i = 0; i < m_weights.size(); ++i) {
        const std::size_t pixel = i / kChannels;
        if (m_weighting == Weighting::unit) {
            m_weights[i] = 1;
            continue;
        }
        const float noise = m_noise.empty() ? 1.0F : m_noise[pixel];
        const float own = m_weighting == Weighting::noise
                              ? m_noise_weights[i]
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
        throw core::NonFiniteError(core::text(
            "Fit: ", lost, " of ", bad.size(), " pixels of picture '", m_observation->name,
            "' are no finite numbers; look for inputs of materials or lights that are infinite or "
            "no numbers, and render the scene to see where"));
    }
}

ViewState View::state() const {
    return {.pixels = m_pixels, .trust = m_trust, .noise = m_noise, .lost = m_lost};
}

void View::require(const ViewState& state) const {
    const std::size_t count = m_trust.size();
    if (state.trust.size() != count || state.lost.size() != count ||
        (!state.noise.empty() && state.noise.size() != count) ||
        std::ranges::any_of(state.pixels, [count](auto pixel) { return pixel >= count; })) {
        throw core::ArgumentError(
            core::text("View::restore: the state is of another picture than '", m_observation->name,
                       "'; start anew"));
    }
}

void View::restore(const ViewState& state) {
    require(state);
    const std::size_t count = m_trust.size();
    for (std::size_t i = 0; i < count; ++i) {
        m_lost[i] = m_lost[i] || state.lost[i];
    }
    m_is_drawn = m_is_drawn && m_pixels == state.pixels;
    m_pixels = state.pixels;
    m_trust = state.trust;
    m_noise = state.noise;
    update_weights();
}

std::string View::problem() const {
    const std::size_t lost = lost_count();
    return lost == 0
               ? ""
               : core::text("Picture '", m_observation->name,
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

void each_view(const std::vector<View>& views, const std::function<void(std::size_t)>& work) {
    std::vector<const device::Device*> devices;
    std::vector<std::vector<std::size_t>> numbers;
    for (std::size_t number = 0; number < views.size(); ++number) {
        const auto found = std::ranges::find(devices, &views[number].device());
        if (found == devices.end()) {
            devices.push_back(&views[number].device());
            numbers.push_back({number});
        } else {
            numbers[static_cast<std::size_t>(found - devices.begin())].push_back(number);
        }
    }
    std::vector<std::exception_ptr> errors(numbers.size());
    const auto work_on = [&](std::size_t device) noexcept {
        try {
            std::ranges::for_each(numbers[device], work);
        } catch (...) {
            errors[device] = std::current_exception();
        }
    };
    std::vector<std::thread> others;
    for (std::size_t device = 1; device < numbers.size(); ++device) {
        others.emplace_back(work_on, device);
    }
    if (!numbers.empty()) {
        work_on(0);
    }
    std::ranges::for_each(others, &std::thread::join);
    for (const std::exception_ptr& error : errors) {
        if (error) {
            std::rethrow_exception(error);
        }
    }
}

void draw_views(std::vector<View>& views, const ViewsDraw& draw) {
    std::size_t most = 0;
    std::set<render::FilmTracer*> films;
    for (const View& view : views) {
        for (const ViewPart& part : view.parts()) {
            part.recorder->forget_paths();
            films.insert(part.recorder->film().get());
        }
        most = std::max(most, view.pixels().size());
    }
    for (render::FilmTracer* const film : films) {
        // For all views: fewer would be made anew for the next one.
        static_cast<void>(film->buffers(2 * draw.samples * static_cast<std::int64_t>(most)));
    }
    each_view(views, [&](std::size_t number) {
        std::vector<std::uint32_t> seeds;
        for (std::size_t part = 0; part < views[number].parts().size(); ++part) {
            seeds.push_back(mix_seeds(draw.seed, draw.draw, number + views.size() * part));
        }
        views[number].draw({.samples = draw.samples,
                            .bounces = draw.bounces,
                            .seeds = seeds,
                            .check = draw.check});
    });
}

} // namespace weft::fit
