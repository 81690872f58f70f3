// SPDX-License-Identifier: Apache-2.0
// The loss of a fit of numbers and the noise it has.
//
//     L = sum_p sum_c r_A(p, c) r_B(p, c) / (3 N)
//
// over the N pixels of the first record, each with its latest residuals r_A and r_B of two independent sample sets. The
// expectation of L is the mean squared residual: noise of renders has no part in it, noise of the pictures has.
#pragma once

#include "fit/residuals.hpp"
#include "fit/view.hpp"

#include <cstddef>
#include <vector>

namespace weft::fit {

/// Keeps the latest products of residuals of each pixel.
class LossMeter {
public:
    /// @param views of the fit; they outlive the meter.
    explicit LossMeter(const std::vector<View>& views);

    /// Keeps the residuals of the pixels that are drawn now, all views one after the other; others keep theirs.
    void record(const ResidualPair& residuals);
    /// Relative to the light around, squared; infinite before any record. Noise makes it negative at times.
    [[nodiscard]] double loss() const;
    /// Standard deviation of loss() by noise of renders where nothing else is left; infinite before any record. The product
    /// of two residuals of variance s^2 has the deviation s^2; s^2 is told by their difference, whose fourth moment is
    /// 3 (2 s^2)^2.
    [[nodiscard]] double noise_floor() const;

private:
    struct Pixel {
        bool is_counted = false;
        double product = 0;  ///< sum over channels of r_A r_B
        double variance = 0; ///< sum over channels of (r_A - r_B)^2 / 2
    };

    struct Sum {
        double total = 0;
        double residuals = 1; ///< three a pixel that counts, at least 1
    };

    /// Over the pixels that count.
    [[nodiscard]] Sum sum(double (*term)(const Pixel&)) const;

    const std::vector<View>& m_views;
    std::vector<std::vector<Pixel>> m_pixels; ///< of each view
    bool m_is_open = true; ///< nothing was recorded: the pixels of the first record count
};

} // namespace weft::fit
