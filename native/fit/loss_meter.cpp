// SPDX-License-Identifier: Apache-2.0
#include "fit/loss_meter.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/observation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace weft::fit {

namespace {

constexpr double kFourthMoment = 3.0; ///< of a standard normal number

double square(double value) {
    return value * value;
}

} // namespace

LossMeter::LossMeter(std::vector<std::vector<float>> weights) : m_weights(std::move(weights)) {
    for (const std::vector<float>& own : m_weights) {
        const std::size_t pixels = own.size() / kChannels;
        m_state.views.push_back({.noise = std::vector<float>(pixels, 1.0F),
                                 .is_counted = std::vector<bool>(pixels),
                                 .products = std::vector<double>(pixels),
                                 .variances = std::vector<double>(pixels)});
    }
}

void LossMeter::record(std::span<const DrawnView> views, const ResidualPair& residuals) {
    std::size_t row = 0;
    for (std::size_t number = 0; number < views.size(); ++number) {
        Pixels& own = m_state.views[number];
        for (const std::uint32_t pixel : views[number].pixels) {
            own.is_counted[pixel] = own.is_counted[pixel] || m_state.is_open;
            own.products[pixel] = own.variances[pixel] = 0;
            for (std::size_t channel = 0; channel < kChannels; ++channel, ++row) {
                const std::size_t at = kChannels * std::size_t{pixel} + channel;
                const double weight = views[number].weights[at];
                const double scale = weight > 0 ? square(m_weights[number][at] / weight) : 0;
                const double a = residuals.a[row];
                const double b = residuals.b[row];
                own.products[pixel] += a * b * scale;
                own.variances[pixel] += square(a - b) / 2 * scale;
            }
        }
    }
    m_state.is_open = false;
}

void LossMeter::set_noise(std::vector<std::vector<float>> noise) {
    for (std::size_t number = 0; number < noise.size(); ++number) {
        m_state.views[number].noise = std::move(noise[number]);
    }
}

void LossMeter::keep(std::size_t view, std::span<const std::uint32_t> pixels) {
    std::vector<bool>& counted = m_state.views[view].is_counted;
    std::vector<bool> kept(counted.size());
    for (const std::uint32_t pixel : pixels) {
        kept[pixel] = counted[pixel];
    }
    counted = std::move(kept);
}

LossMeter::Sum LossMeter::sum(std::span<const CountedView> views,
                              std::vector<double> Pixels::* rows, int power) const {
    Sum out;
    std::size_t pixels = 0;
    for (std::size_t number = 0; number < views.size(); ++number) {
        const Pixels& own = m_state.views[number];
        for (std::size_t i = 0; i < own.is_counted.size(); ++i) {
            if (own.is_counted[i] && !(*views[number].lost)[i]) {
                const double factor =
                    views[number].trust[i] / square(static_cast<double>(own.noise[i]));
                out.total += std::pow(factor * (own.*rows)[i], power);
                ++pixels;
            }
        }
    }
    out.residuals = static_cast<double>(std::max<std::size_t>(kChannels * pixels, 1));
    return out;
}

double LossMeter::loss(std::span<const CountedView> views) const {
    const Sum products = sum(views, &Pixels::products, 1);
    return m_state.is_open ? std::numeric_limits<double>::infinity()
                           : products.total / products.residuals;
}

double LossMeter::noise_floor(std::span<const CountedView> views) const {
    const Sum squares = sum(views, &Pixels::variances, 2);
    return m_state.is_open ? std::numeric_limits<double>::infinity()
                           : std::sqrt(squares.total / kFourthMoment) / squares.residuals;
}

void LossMeter::restore(State state) {
    bool fits = state.views.size() == m_weights.size();
    for (std::size_t number = 0; fits && number < m_weights.size(); ++number) {
        const Pixels& own = state.views[number];
        const std::size_t pixels = m_weights[number].size() / kChannels;
        fits = own.noise.size() == pixels && own.is_counted.size() == pixels &&
               own.products.size() == pixels && own.variances.size() == pixels;
    }
    if (!fits) {
        throw core::ArgumentError("LossMeter: what was saved has other views or pixels; start "
                                  "anew");
    }
    m_state = std::move(state);
}

} // namespace weft::fit
