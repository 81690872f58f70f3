// SPDX-License-Identifier: Apache-2.0
#include "fit/view_pixels.hpp"

#include "fit/box_blur.hpp"
#include "fit/observation.hpp"

#include <algorithm>
#include <iterator>

namespace weft::fit {

std::vector<std::uint32_t> counted_pixels(std::span<const float> weights) {
    std::vector<std::uint32_t> out;
    for (std::size_t pixel = 0; pixel < weights.size() / kChannels; ++pixel) {
        const std::span<const float> own = weights.subspan(kChannels * pixel, kChannels);
        if (std::ranges::any_of(own, [](float weight) { return weight > 0; })) {
            out.push_back(static_cast<std::uint32_t>(pixel));
        }
    }
    return out;
}

std::vector<std::uint32_t> flagged_pixels(const std::vector<bool>& flags) {
    std::vector<std::uint32_t> out;
    for (std::size_t pixel = 0; pixel < flags.size(); ++pixel) {
        if (flags[pixel]) {
            out.push_back(static_cast<std::uint32_t>(pixel));
        }
    }
    return out;
}

std::vector<std::uint32_t> united_pixels(std::span<const std::uint32_t> one,
                                         std::span<const std::uint32_t> other) {
    std::vector<std::uint32_t> out;
    out.reserve(one.size() + other.size());
    std::ranges::set_union(one, other, std::back_inserter(out));
    return out;
}

std::vector<std::uint32_t> lattice_of(ViewPixels counted, std::size_t stride) {
    const std::size_t width = counted.width;
    std::vector<std::uint32_t> out;
    std::ranges::copy_if(counted.pixels, std::back_inserter(out), [&](std::uint32_t pixel) {
        return pixel / width % stride == 0 && pixel % width % stride == 0;
    });
    return out.empty() ? std::move(counted.pixels) : out;
}

std::vector<float> spread(const ViewPixels& drawn, std::size_t height,
                          std::span<const double> values, std::span<const std::uint32_t> shown,
                          std::size_t radius) {
    const ImageShape shape{.height = height, .width = drawn.width, .channels = 2};
    std::vector<float> layers(shape.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        layers[2 * std::size_t{drawn.pixels[i]}] = static_cast<float>(values[i]);
        layers[2 * std::size_t{drawn.pixels[i]} + 1] = 1;
    }
    box_blur(layers, shape, radius);
    // Differences of sums leave crumbs where nothing is drawn.
    const auto side = static_cast<float>(2 * radius + 1);
    const float least = 0.5F / (side * side);
    std::vector<float> out;
    for (const std::uint32_t pixel : shown) {
        const float total = layers[2 * std::size_t{pixel}];
        const float share = layers[2 * std::size_t{pixel} + 1];
        out.push_back(share > least ? total / share : 0.0F);
    }
    return out;
}

} // namespace weft::fit
