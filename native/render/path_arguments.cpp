// SPDX-License-Identifier: Apache-2.0
#include "render/path_arguments.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/colors.hpp"
#include "scene/layouts.hpp"

#include <algorithm>
#include <cmath>

namespace weft::render {

using core::ArgumentError;
using core::text;

namespace {

std::int64_t limit_of(const std::optional<std::uint32_t>& count) noexcept {
    return count ? std::int64_t{*count} : kNever;
}

/// Of a sum of channels.
double clamp_of(double mean) noexcept {
    return mean != 0 ? double{scene::kColorChannels} * mean : kAllLight;
}

/// What limits.slang reads.
void add_limits(KernelArgument& step, const scene::LightPaths& limits) {
    step.add_integers("kindBounces",
                      std::array{limit_of(limits.diffuse_bounces), limit_of(limits.glossy_bounces),
                                 limit_of(limits.transmission_bounces),
                                 limit_of(limits.volume_bounces)});
    const std::array most{clamp_of(limits.clamp_direct), clamp_of(limits.clamp_indirect)};
    step.add_reals("mostLight", most, std::array{std::ssize(most)});
    step.add_real("leastDensity", limits.filter_glossy);
    step.add_integer("stops",
                     (limits.reflective_caustics ? 0 : scene::layouts::Stop::kReflection) |
                         (limits.refractive_caustics ? 0 : scene::layouts::Stop::kRefraction));
}

} // namespace

void require_valid(const PathSettings& settings) {
    if (settings.samples < 1 ||
        std::min({settings.bounces, settings.transparent_bounces, settings.first_sample}) < 0) {
        throw ArgumentError(text("PathSettings: samples must be at least 1, bounces, "
                                 "transparent_bounces and first_sample at least 0, got ",
                                 settings.samples, ", ", settings.bounces, ", ",
                                 settings.transparent_bounces, " and ", settings.first_sample));
    }
    if (!(settings.exposure >= 0 && std::isfinite(settings.exposure))) {
        throw ArgumentError(
            text("PathSettings: exposure must be a number from 0, got ", settings.exposure));
    }
    if (!(settings.filter_width > 0)) {
        throw ArgumentError(
            text("PathSettings: filter_width must be above 0 pixels, got ", settings.filter_width));
    }
}

KernelArgument step_settings(const PathSettings& settings, const scene::LightPaths& limits,
                             Range pixels, Range samples) {
    using scene::layouts::Background;
    KernelArgument step;
    step.add_integer("seed", settings.seed);
    step.add_integer("samples", samples.count);
    step.add_integer("firstSample", settings.first_sample + samples.first);
    const std::int64_t period = settings.period.value_or(0);
    step.add_integer("period", period != 0 ? period : kNever);
    step.add_integer("firstPixel", pixels.first);
    step.add_integer("bounce", 0);
    step.add_integer("bounces", settings.bounces);
    step.add_integer("transparentBounces", settings.transparent_bounces);
    step.add_integer("rouletteFrom", settings.roulette_from.value_or(kNever));
    step.add_integer("background",
                     settings.shows_environment ? Background::kEnvironment : Background::kBlack);
    add_limits(step, limits);
    return step;
}

KernelArgument camera_argument(const scene::Camera& camera, double filter_width) {
    constexpr double kFarthest = 1e30; // kernels calculate with it
    const scene::Film film = scene::film_of(camera);
    KernelArgument argument;
    argument.add_integer("width", camera.width);
    argument.add_integer("height", camera.height);
    argument.add_reals("low", film.low, std::array{std::ssize(film.low)});
    argument.add_reals("high", film.high, std::array{std::ssize(film.high)});
    argument.add_real("near", camera.near);
    argument.add_real("far", std::min(camera.far, kFarthest));
    argument.add_real("aperture",
                      camera.kind == scene::CameraKind::perspective ? camera.aperture : 0.0);
    argument.add_real("focus", camera.focus);
    argument.add_real("filterWidth", filter_width);
    std::array<double, 12> rows{};
    std::ranges::transform(camera.transform, rows.begin(),
                           [](double entry) { return double{static_cast<float>(entry)}; });
    argument.add_reals("rows", rows, std::array<std::int64_t, 2>{3, 4});
    return argument;
}

} // namespace weft::render
