// SPDX-License-Identifier: Apache-2.0
#include "fit/fitted_texture.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

constexpr double kLeastSpread = 1e-30;

} // namespace

double told_share(const FittedTexture& texture) {
    const std::size_t channels = texture.channels;
    std::vector<double> sums(channels);
    double texels = 0;
    double unsure = 0;
    for (std::size_t i = 0; i < texture.pixels.size(); ++i) {
        if (texture.known[i / channels] > 0) {
            sums[i % channels] += static_cast<double>(texture.pixels[i]);
            unsure +=
                static_cast<double>(texture.errors[i]) * static_cast<double>(texture.errors[i]);
            texels += i % channels == 0 ? 1 : 0;
        }
    }
    double spread = 0;
    for (std::size_t i = 0; i < texture.pixels.size(); ++i) {
        if (texture.known[i / channels] > 0) {
            const double apart =
                static_cast<double>(texture.pixels[i]) - sums[i % channels] / texels;
            spread += apart * apart;
        }
    }
    return spread / std::max(spread + unsure, kLeastSpread);
}

} // namespace weft::fit
