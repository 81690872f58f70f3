// SPDX-License-Identifier: Apache-2.0
#include "fit/loss_meter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::fit {

namespace {

constexpr double kFourthMoment = 3.0; ///< of a standard normal number

} // namespace

LossMeter::LossMeter(const std::vector<View>& views) : m_views(views) {
    for (const View& view : views) {
        m_pixels.emplace_back(view.lost().size());
    }
}

void LossMeter::record(const ResidualPair& residuals) {
    std::size_t row = 0;
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        for (const std::uint32_t drawn : m_views[number].pixels()) {
            Pixel& pixel = m_pixels[number][drawn];
            pixel.is_counted = pixel.is_counted || m_is_open;
            pixel.product = pixel.variance = 0;
            for (std::size_t channel = 0; channel < kChannels; ++channel, ++row) {
                const double a = residuals.a[row];
                const double b = residuals.b[row];
                pixel.product += a * b;
                pixel.variance += (a - b) * (a - b) / 2;
            }
        }
    }
    m_is_open = false;
}

LossMeter::Sum LossMeter::sum(double (*term)(const Pixel&)) const {
    Sum sum;
    std::size_t pixels = 0;
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        for (std::size_t i = 0; i < m_pixels[number].size(); ++i) {
            if (m_pixels[number][i].is_counted && !m_views[number].lost()[i]) {
                sum.total += term(m_pixels[number][i]);
                ++pixels;
            }
        }
    }
    sum.residuals = static_cast<double>(std::max<std::size_t>(kChannels * pixels, 1));
    return sum;
}

double LossMeter::loss() const {
    const Sum products = sum([](const Pixel& pixel) { return pixel.product; });
    return m_is_open ? std::numeric_limits<double>::infinity()
                     : products.total / products.residuals;
}

double LossMeter::noise_floor() const {
    const Sum squares = sum([](const Pixel& pixel) { return pixel.variance * pixel.variance; });
    return m_is_open ? std::numeric_limits<double>::infinity()
                     : std::sqrt(squares.total / kFourthMoment) / squares.residuals;
}

} // namespace weft::fit
