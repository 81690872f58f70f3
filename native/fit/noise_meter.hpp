// SPDX-License-Identifier: Apache-2.0
// How much the two sample sets of draws differ: the noise that renders have, pixel by pixel. For the sources of this layer.
#pragma once

#include "fit/relative_noise.hpp"
#include "fit/residuals.hpp"
#include "fit/view.hpp"

#include <vector>

namespace weft::fit {

/// Draws whose noise weighs pixels: so many, before a fit moves.
inline constexpr std::size_t kMeasuredDraws = 2;

/// Sums up how much the two sample sets of draws differ. Weights must not know the samples that they weigh: a pixel whose
/// samples happen to be bright would count less, and the mean would be too dark. So what this measures serves later draws.
class NoiseMeter {
public:
    /// @param views of the fit; they outlive this.
    explicit NoiseMeter(const std::vector<View>& views);

    /// Adds a draw of the pixels that the views draw now.
    /// @param squares mean squared difference of the sets' weighted residuals, one a drawn pixel of each view.
    void add(const std::vector<std::vector<float>>& squares);
    /// The same. @param residuals weighted, of all views one after the other.
    void add(const ResidualPair& residuals);
    /// One number a pixel of each view's picture; see relative_noise().
    [[nodiscard]] std::vector<std::vector<float>> relative_noise() const;

private:
    const std::vector<View>& m_views;
    std::vector<MeasuredNoise> m_measured;
};

/// Lets pixels of views count by the noise that was measured.
void weigh_by_noise(std::vector<View>& views, const NoiseMeter& meter);

} // namespace weft::fit
