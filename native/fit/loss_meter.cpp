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

double LossMeter::loss() const {
    double total = 0;
    std::size_t count = 0;
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        for (std::size_t i = 0; i < m_pixels[number].size(); ++i) {
            if (m_pixels[number][i].is_counted && !m_views[number].lost()[i]) {
                total += m_pixels[number][i].product;
                ++count;
            }
        }
    }
    return m_is_open ? std::numeric_limits<double>::infinity()
                     : total / static_cast<double>(std::max<std::size_t>(kChannels * count, 1));
}

double LossMeter::noise_floor() const {
    double total = 0;
    std::size_t count = 0;
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        for (std::size_t i = 0; i < m_pixels[number].size(); ++i) {
            if (m_pixels[number][i].is_counted && !m_views[number].lost()[i]) {
                total += m_pixels[number][i].variance * m_pixels[number][i].variance;
                ++count;
            }
        }
    }
    return m_is_open ? std::numeric_limits<double>::infinity()
                     : std::sqrt(total / kFourthMoment) /
                           static_cast<double>(std::max<std::size_t>(kChannels * count, 1));
}

} // namespace weft::fit
