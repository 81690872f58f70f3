// SPDX-License-Identifier: Apache-2.0
#include "fit/observation.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/box_blur.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>

namespace weft::fit {

namespace {

constexpr double kMostNegative =
    0.05; ///< of the light: noise about black, and colours beyond Rec.709
constexpr float kLeastMask = 1e-6F;
constexpr double kLeastMean = 1e-6;

[[noreturn]] void refuse(const Observation& observation, const std::string& what) {
    throw core::ArgumentError(core::text("Observation '", observation.name, "': ", what));
}

std::size_t pixel_count(const Observation& observation) {
    return static_cast<std::size_t>(observation.camera.width) *
           static_cast<std::size_t>(observation.camera.height);
}

ImageShape shape_of(const Observation& observation, std::size_t channels) {
    return {.height = static_cast<std::size_t>(observation.camera.height),
            .width = static_cast<std::size_t>(observation.camera.width),
            .channels = channels};
}

float mask_of(const Observation& observation, std::size_t pixel) {
    return observation.mask.empty() ? 1.0F : observation.mask[pixel];
}

void require_mask(const Observation& observation) {
    if (observation.mask.empty()) {
        return;
    }
    if (observation.mask.size() != pixel_count(observation)) {
        refuse(observation, core::text("the mask must have ", pixel_count(observation),
                                       " numbers, one a pixel, got ", observation.mask.size()));
    }
    if (!std::all_of(observation.mask.begin(), observation.mask.end(),
                     [](float weight) { return weight >= 0 && weight <= 1; })) {
        refuse(observation, "weights of the mask must lie between 0 and 1");
    }
    if (std::all_of(observation.mask.begin(), observation.mask.end(),
                    [](float weight) { return weight == 0; })) {
        refuse(observation, "the mask leaves no pixel; widen it");
    }
}

void require_light(const Observation& observation) {
    double above = 0;
    double below = 0;
    for (std::size_t i = 0; i < observation.image.size(); ++i) {
        const std::size_t pixel = i / kChannels;
        if (mask_of(observation, pixel) == 0) {
            continue;
        }
        const double light = observation.image[i];
        if (!std::isfinite(light)) {
            const auto width = static_cast<std::size_t>(observation.camera.width);
            refuse(observation, core::text("the pixel in row ", pixel / width, ", column ",
                                           pixel % width, " is not finite; mask it out"));
        }
        (light > 0 ? above : below) += std::abs(light);
    }
    if (above + below == 0) {
        refuse(observation, "every pixel that counts is black, which tells nothing; leave the "
                            "picture out, or correct its exposure");
    }
    if (below > kMostNegative * above) {
        refuse(observation, "pixels that count are negative, and noise does not explain it; give "
                            "linear light, subtract less black, or mask them out");
    }
}

} // namespace

std::vector<scene::Camera> cameras_of(std::span<const Observation> observations) {
    std::vector<scene::Camera> out;
    out.reserve(observations.size());
    std::ranges::transform(observations, std::back_inserter(out), &Observation::camera);
    return out;
}

void require_valid(const Observation& observation) {
    scene::require_valid(observation.camera);
    const std::size_t wanted = kChannels * pixel_count(observation);
    if (observation.image.size() != wanted) {
        refuse(observation,
               core::text("camera '", observation.camera.name, "' sees ", observation.camera.width,
                          " x ", observation.camera.height, " pixels, that is ", wanted,
                          " floats, and the image has ", observation.image.size(), "; resize one"));
    }
    if (!(observation.filter_width > 0) || !std::isfinite(observation.filter_width)) {
        refuse(observation, core::text("filter_width must be above 0 pixels and finite, got ",
                                       observation.filter_width));
    }
    if (!observation.rounding.empty() && observation.rounding.size() != wanted) {
        refuse(observation,
               core::text("rounding must have ", wanted, " numbers, as the image, got ",
                          observation.rounding.size()));
    }
    if (observation.grain < 1) {
        refuse(observation, "grain must be 1 pixel or more");
    }
    require_mask(observation);
    require_light(observation);
}

void require_valid(const std::vector<Observation>& observations) {
    if (observations.empty()) {
        throw core::ArgumentError("Fit: there is no observation; give at least one picture");
    }
    for (const Observation& observation : observations) {
        require_valid(observation);
    }
}

std::vector<float> noise_weights(const Observation& observation,
                                 std::span<const float> display_noise) {
    const std::size_t count = pixel_count(observation);
    std::vector<float> light(kChannels * count);
    std::vector<float> mask(count);
    double lit = 0;
    double covered = 0;
    for (std::size_t i = 0; i < light.size(); ++i) {
        const float weight = mask_of(observation, i / kChannels);
        light[i] = weight > 0 ? observation.image[i] * weight : 0.0F;
        // Light of noise about black may be negative, its noise is not.
        lit += std::max(light[i], 0.0F);
    }
    for (std::size_t pixel = 0; pixel < count; ++pixel) {
        mask[pixel] = mask_of(observation, pixel);
        covered += mask[pixel];
    }
    const double typical = lit / std::max(covered * kChannels, kLeastMean);
    const auto least = static_cast<float>(std::max(typical, kLeastMean) * 0.5);
    box_blur(light, shape_of(observation, kChannels));
    std::vector<float> around = mask;
    box_blur(around, shape_of(observation, 1));
    for (std::size_t i = 0; i < light.size(); ++i) {
        const std::size_t pixel = i / kChannels;
        const float mean = light[i] / std::max(around[pixel], kLeastMask);
        const float noise = std::max(mean, 0.0F) + least;
        const float shown = display_noise.empty() ? 0.0F : display_noise[i];
        // Not std::hypot(): glibc's is of 2.35, and wheels end at 2.34.
        light[i] = std::sqrt(mask[pixel]) / std::sqrt(noise * noise + shown * shown);
    }
    return light;
}

} // namespace weft::fit
