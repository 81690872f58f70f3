// SPDX-License-Identifier: Apache-2.0
// Numbers in [0, 1) that follow from a seed alone, in any language: what numpy finds from them stands in tests.
#pragma once

#include "fit/texel_image.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weft::fit {

inline std::vector<double> drawn(std::uint32_t seed, std::size_t count) {
    std::vector<double> out(count);
    for (std::size_t i = 0; i < count; ++i) {
        std::uint32_t x = seed * 747796405U + static_cast<std::uint32_t>(i) * 2891336453U + 1U;
        x = (x ^ (x >> 16U)) * 0x7feb352dU;
        x = (x ^ (x >> 15U)) * 0x846ca68bU;
        out[i] = static_cast<double>(x ^ (x >> 16U)) / 4294967296.0;
    }
    return out;
}

/// scale * drawn + first, in float.
inline std::vector<float> drawn_floats(std::uint32_t seed, std::size_t count, double scale = 1,
                                       double first = 0) {
    std::vector<float> out;
    for (const double value : drawn(seed, count)) {
        out.push_back(static_cast<float>(scale * value + first));
    }
    return out;
}

inline TexelImage drawn_image(std::uint32_t seed, const ImageShape& shape) {
    TexelImage out(shape);
    out.values = drawn(seed, shape.size());
    return out;
}

/// The same channels in all texels.
inline TexelImage constant_image(std::size_t side, const std::vector<double>& texel) {
    TexelImage out({.height = side, .width = side, .channels = texel.size()});
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        out.values[i] = texel[i % texel.size()];
    }
    return out;
}

} // namespace weft::fit
