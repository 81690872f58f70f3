// SPDX-License-Identifier: Apache-2.0
#include "fit/best_texels.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

constexpr std::size_t kWindows = 8;     ///< in the iterations of a fit
constexpr std::size_t kLeastWindow = 3; ///< iterations
constexpr double kSignificantRise = 5;  ///< standard deviations of the difference of two windows
constexpr double kLeastRise = 0.2;      ///< of the best window's loss: what is smaller is no harm

} // namespace

BestTexels::BestTexels(TextureModel& model, std::size_t iterations)
    : m_model(&model), m_window(std::max(iterations / kWindows, kLeastWindow)) {
    restart();
}

void BestTexels::restart() {
    m_first = m_model->losses().size();
    m_best.reset();
    m_texels.reset();
}

bool BestTexels::note() {
    const std::size_t made = m_model->losses().size() - m_first;
    if (made == 0 || made % m_window != 0) {
        return false;
    }
    const WindowLoss now = measure();
    if (m_best) {
        const double rise = now.loss - m_best->loss;
        // Not std::hypot(): glibc's is of 2.35, and wheels end at 2.34.
        const double noise =
            std::sqrt(now.deviation * now.deviation + m_best->deviation * m_best->deviation);
        if (rise > std::max(kSignificantRise * noise, kLeastRise * m_best->loss)) {
            m_model->return_to(m_texels);
            m_first = m_model->losses().size();
            return true;
        }
    }
    if (!m_best || now.loss < m_best->loss) {
        m_best = now;
        TextureReplay& replay = m_model->replay();
        m_texels = replay.kernels().copy_of(replay.state().texels());
    }
    return false;
}

BestTexels::WindowLoss BestTexels::measure() const {
    const auto losses = std::span(m_model->losses()).last(m_window);
    const Moments moments = moments_of(losses);
    const double deviation = std::max(std::sqrt(moments.variance), m_model->noise_floor());
    return {.loss = moments.mean,
            .deviation = deviation / std::sqrt(static_cast<double>(losses.size()))};
}

} // namespace weft::fit
