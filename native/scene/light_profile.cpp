// SPDX-License-Identifier: Apache-2.0
#include "scene/light_profile.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "scene/colors.hpp"
#include "scene/layouts.hpp"
#include "scene/pairwise_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

namespace weft::scene {

using core::ArgumentError;
using layouts::ProfileWord;

std::shared_ptr<const LightProfile> light_profile(std::vector<float> image, std::uint32_t width,
                                                  std::uint32_t height, double distance_power,
                                                  double smooth) {
    if (image.empty() || image.size() != std::size_t{3} * width * height) {
        throw ArgumentError(core::text("LightProfile: image must be (height, width, 3), got ",
                                       image.size(), " numbers for ", height, " x ", width));
    }
    const auto owned = std::make_shared<std::vector<float>>(std::move(image));
    LightProfile profile{.image = *owned,
                         .width = width,
                         .height = height,
                         .distance_power = distance_power,
                         .smooth = smooth,
                         .owner = owned};
    require_profile(profile, core::text(distance_power), core::text(smooth));
    return std::make_shared<const LightProfile>(std::move(profile));
}

void require_profile(const LightProfile& profile, std::string_view power_shown,
                     std::string_view smooth_shown) {
    if (!std::ranges::all_of(profile.image,
                             [](float value) { return value >= 0 && std::isfinite(value); })) {
        throw ArgumentError(
            "LightProfile: factors must be finite and not negative; repair the image");
    }
    if (!(profile.distance_power >= 0 && profile.distance_power <= 2)) {
        throw ArgumentError(
            core::text("LightProfile: distance_power must be from 0 to 2, got ", power_shown));
    }
    if (!(profile.smooth >= 0 && std::isfinite(profile.smooth))) {
        throw ArgumentError(
            core::text("LightProfile: smooth must be finite and not negative, got ", smooth_shown));
    }
}

double mean_factor(const LightProfile& profile) {
    std::vector<double> row(profile.width);
    double light = 0;
    double sines = 0;
    for (std::size_t y = 0; y < profile.height; ++y) {
        for (std::size_t x = 0; x < profile.width; ++x) {
            row[x] = luminance(&profile.image[3 * (y * profile.width + x)]);
        }
        const double sine =
            std::sin(std::numbers::pi * (static_cast<double>(y) + 0.5) / profile.height);
        light += pairwise_sum(row) / profile.width * sine;
        sines += sine;
    }
    return light / sines;
}

std::uint32_t ProfileTable::add(const std::shared_ptr<const LightProfile>& profile) {
    const auto found = std::ranges::find(m_entries, profile, &Entry::profile);
    if (found != m_entries.end()) {
        return found->first;
    }
    const std::size_t first = m_words.size();
    if (first + ProfileWord::kTexels + profile->image.size() >
        std::numeric_limits<std::uint32_t>::max()) {
        throw ArgumentError("LightProfile: the profiles of all lights must have fewer than 2^32 "
                            "numbers; make the images smaller");
    }
    m_words.resize(first + ProfileWord::kTexels);
    m_words[first + ProfileWord::kWidth] = std::bit_cast<float>(profile->width);
    m_words[first + ProfileWord::kHeight] = std::bit_cast<float>(profile->height);
    m_words[first + ProfileWord::kDistancePower] = static_cast<float>(profile->distance_power);
    m_words[first + ProfileWord::kSmooth] = static_cast<float>(profile->smooth);
    const std::size_t row = std::size_t{3} * profile->width;
    for (std::size_t y = profile->height; y-- > 0;) { // rows from the bottom
        const auto values = profile->image.subspan(y * row, row);
        m_words.insert(m_words.end(), values.begin(), values.end());
    }
    m_entries.push_back({profile, static_cast<std::uint32_t>(first)});
    return static_cast<std::uint32_t>(first);
}

} // namespace weft::scene
