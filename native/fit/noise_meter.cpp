// SPDX-License-Identifier: Apache-2.0
#include "fit/noise_meter.hpp"

#include <cstddef>
#include <utility>

namespace weft::fit {

NoiseMeter::NoiseMeter(const std::vector<View>& views) : m_views(views) {
    for (const View& view : views) {
        const std::size_t pixels = view.lost().size();
        m_measured.push_back({.height = pixels / view.width(),
                              .width = view.width(),
                              .squares = std::vector<double>(pixels),
                              .counts = std::vector<double>(pixels)});
    }
}

void NoiseMeter::add(const std::vector<std::vector<float>>& squares) {
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        MeasuredNoise& measured = m_measured[number];
        for (std::size_t i = 0; i < squares[number].size(); ++i) {
            const std::uint32_t pixel = m_views[number].pixels()[i];
            measured.squares[pixel] += static_cast<double>(squares[number][i]);
            measured.counts[pixel] += 1;
        }
    }
}

void NoiseMeter::add(const ResidualPair& residuals) {
    std::size_t first = 0;
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        MeasuredNoise& measured = m_measured[number];
        for (const std::uint32_t pixel : m_views[number].pixels()) {
            double square = 0;
            for (std::size_t channel = 0; channel < kChannels; ++channel, ++first) {
                const auto difference =
                    static_cast<double>(residuals.a[first] - residuals.b[first]);
                square += difference * difference;
            }
            measured.squares[pixel] += square / static_cast<double>(kChannels);
            measured.counts[pixel] += 1;
        }
    }
}

std::vector<std::vector<float>> NoiseMeter::relative_noise() const {
    return fit::relative_noise(m_measured);
}

void weigh_by_noise(std::vector<View>& views, const NoiseMeter& meter) {
    std::vector<std::vector<float>> noise = meter.relative_noise();
    for (std::size_t number = 0; number < views.size(); ++number) {
        views[number].set_noise(std::move(noise[number]));
    }
}

} // namespace weft::fit
