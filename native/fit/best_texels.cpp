// SPDX-License-Identifier: Apache-2.0
#include "fit/best_texels.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

namespace weft::fit {

namespace {

constexpr std::size_t kWindows = 8;     ///< in the iterations of a fit
constexpr std::size_t kLeastWindow = 3; ///< iterations
constexpr double kSignificantRise = 5;  ///< standard deviations of the difference of two windows
constexpr double kLeastRise = 0.2;      ///< of the best window's loss: what is smaller is no harm

} // namespace

BestTexels::BestTexels(TextureModel& model, std::size_t iterations, JointNumbers* numbers)
    : m_model(&model), m_numbers(numbers), m_window(std::max(iterations / kWindows, kLeastWindow)) {
    restart();
}

void BestTexels::restart() {
    m_first = m_model->losses().size();
    m_best.reset();
    m_texels.reset();
    m_x.clear();
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
            if (m_numbers != nullptr) {
                m_numbers->return_to(m_x);
            }
            m_first = m_model->losses().size();
            return true;
        }
    }
    if (!m_best || now.loss < m_best->loss) {
        m_best = now;
        TextureReplay& replay = m_model->replay();
        m_texels = replay.kernels().copy_of(replay.state().texels());
        m_x = m_numbers == nullptr ? Vector() : m_numbers->x();
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

SavedArrays BestTexels::save() const {
    const double none = std::numeric_limits<double>::infinity();
    SavedArrays out;
    out.add("best", {static_cast<double>(m_first), m_best ? m_best->loss : none,
                     m_best ? m_best->deviation : none});
    out.add("x", m_x);
    std::vector<float> texels =
        m_texels ? m_model->replay().kernels().download(*m_texels) : std::vector<float>();
    out.arrays.emplace("texels", SavedArray{{texels.size()}, std::move(texels)});
    return out;
}

void BestTexels::restore(const SavedArrays& saved) {
    const std::vector<double> best = saved.doubles("best", 3);
    const std::vector<float> texels = saved.floats("texels");
    const std::vector<double> x = saved.doubles("x");
    const auto size = static_cast<std::size_t>(m_model->replay().state().texels()->element_count());
    const std::size_t numbers = m_numbers == nullptr || texels.empty() ? 0 : m_numbers->x().size();
    const bool is_known = std::isfinite(best[1]);
    if (x.size() != numbers || is_known == texels.empty() ||
        (!texels.empty() && texels.size() != size)) {
        throw core::ArgumentError(core::text("restore: the best texels must be ", size,
                                             " with as many numbers as move with them, got ",
                                             texels.size(), " and ", x.size(), "; start anew"));
    }
    m_x = x;
    m_first = static_cast<std::size_t>(best[0]);
    m_best =
        is_known ? std::optional(WindowLoss{.loss = best[1], .deviation = best[2]}) : std::nullopt;
    m_texels = texels.empty() ? nullptr : m_model->replay().kernels().upload(texels);
}

} // namespace weft::fit
