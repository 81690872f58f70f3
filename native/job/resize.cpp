// SPDX-License-Identifier: Apache-2.0
#include "job/resize.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>
#include <vector>

namespace weft::job {

namespace {

constexpr double kCovered = 0.999; ///< share of a new pixel whose old ones must count

/// What an old pixel gives to a new one.
struct Share {
    std::size_t pixel = 0;
    double weight = 0;
};

/// The shares of each new pixel along an axis; those of one add up to 1.
std::vector<std::vector<Share>> shares(std::size_t before, std::size_t after) {
    const double ratio = static_cast<double>(before) / static_cast<double>(after);
    std::vector<std::vector<Share>> out(after);
    for (std::size_t i = 0; i < after; ++i) {
        const auto place = static_cast<double>(i);
        const double centre =
            std::clamp((place + 0.5) * ratio - 0.5, 0.0, static_cast<double>(before - 1));
        double total = 0;
        for (std::size_t k = 0; k < before; ++k) {
            const auto own = static_cast<double>(k);
            const double weight = after <= before ? std::min((place + 1) * ratio, own + 1) -
                                                        std::max(place * ratio, own)
                                                  : 1 - std::abs(centre - own);
            if (weight > 0) {
                out[i].push_back({k, weight});
                total += weight;
            }
        }
        for (Share& share : out[i]) {
            share.weight /= total;
        }
    }
    return out;
}

/// Brings images of one size to another.
class Resizer {
public:
    /// @param before what images have. @param width wanted. @param height wanted.
    Resizer(const ImageSize& before, std::size_t width, std::size_t height)
        : m_width(before.width), m_rows(shares(before.height, height)),
          m_columns(shares(before.width, width)) {}

    /// @param pixels `channels` numbers each.
    [[nodiscard]] std::vector<float> operator()(std::span<const float> pixels,
                                                std::size_t channels) const {
        std::vector<float> out(m_rows.size() * m_columns.size() * channels);
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::size_t pixel = i / channels;
            out[i] = static_cast<float>(
                mean(m_rows[pixel / m_columns.size()], m_columns[pixel % m_columns.size()],
                     [&](std::size_t old) { return pixels[old * channels + i % channels]; }));
        }
        return out;
    }

private:
    [[nodiscard]] double mean(const std::vector<Share>& row, const std::vector<Share>& column,
                              const auto& value) const {
        double sum = 0;
        for (const Share& y : row) {
            for (const Share& x : column) {
                sum +=
                    y.weight * x.weight * static_cast<double>(value(y.pixel * m_width + x.pixel));
            }
        }
        return sum;
    }

    std::size_t m_width;
    std::vector<std::vector<Share>> m_rows;
    std::vector<std::vector<Share>> m_columns;
};

void require_aspect(const fit::Observation& observation, std::size_t width, std::size_t height) {
    const auto wanted_width = static_cast<std::size_t>(observation.camera.width);
    const auto wanted_height = static_cast<std::size_t>(observation.camera.height);
    const std::size_t a = width * wanted_height;
    const std::size_t b = height * wanted_width;
    if ((a > b ? a - b : b - a) > std::max(width, height)) {
        throw core::ArgumentError(core::text("target '", observation.name, "': the image is ",
                                             width, " x ", height, " and cannot be resized to ",
                                             wanted_width, " x ", wanted_height,
                                             ": the aspect differs; crop it"));
    }
}

} // namespace

std::vector<float> resampled(std::span<const float> pixels, const ImageSize& size,
                             std::size_t width, std::size_t height) {
    return Resizer(size, width, height)(pixels, size.channels);
}

fit::Observation resized(fit::Observation observation, std::size_t width, std::size_t height) {
    require_aspect(observation, width, height);
    const auto wanted = static_cast<std::size_t>(observation.camera.width);
    if (wanted == width && static_cast<std::size_t>(observation.camera.height) == height) {
        return observation;
    }
    std::vector<float> counts;
    counts.reserve(observation.mask.size());
    for (std::size_t i = 0; i < observation.image.size(); ++i) {
        const bool is_counted = observation.mask[i / fit::kChannels] > 0;
        observation.image[i] = is_counted ? observation.image[i] : 0.0F;
    }
    for (const float weight : observation.mask) {
        counts.push_back(weight > 0 ? 1.0F : 0.0F);
    }
    const Resizer resize({.width = width, .height = height}, wanted,
                         static_cast<std::size_t>(observation.camera.height));
    observation.image = resize(observation.image, fit::kChannels);
    const std::vector<float> coverage = resize(counts, 1);
    observation.mask = resize(observation.mask, 1);
    for (std::size_t pixel = 0; pixel < observation.mask.size(); ++pixel) {
        if (static_cast<double>(coverage[pixel]) <= kCovered) {
            observation.mask[pixel] = 0;
        }
    }
    if (!observation.rounding.empty()) {
        observation.rounding = resize(observation.rounding, fit::kChannels);
    }
    const double grain =
        static_cast<double>(observation.grain * wanted) / static_cast<double>(width);
    observation.grain = std::max<std::size_t>(static_cast<std::size_t>(std::nearbyint(grain)), 1);
    return observation;
}

} // namespace weft::job
