// SPDX-License-Identifier: Apache-2.0
// The loss of a fit: one quantity over all its phases, and the noise it has.
//
// Phases draw different pixels and weigh them differently. The loss is the mean over the pixels of the first record, each
// with its latest residuals:
//
//     L = sum_p t_p sum_c r_A(p, c) r_B(p, c) / (3 N)
//
// r_A and r_B are the residuals of two independent sample sets in units of the light around, with weights that stay the same
// over the fit: those of the picture, smaller where renders are noisy if textures are fitted. t_p is what a robust loss leaves
// of a pixel, N the number of pixels. The expectation of L is the mean squared residual: noise of renders has no part in it,
// noise of the pictures has.
#pragma once

#include "fit/residuals.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::fit {

/// A view as it is drawn.
struct DrawnView {
    std::span<const std::uint32_t> pixels;
    std::span<const float> weights; ///< of its residuals, three a pixel of the picture
};

/// What counts of a view.
struct CountedView {
    std::span<const float> trust;            ///< one a pixel of the picture
    const std::vector<bool>* lost = nullptr; ///< one flag a pixel of the picture; never null
};

/// Keeps the latest products of residuals of each pixel.
class LossMeter {
public:
    /// Of one view, one entry a pixel of its picture.
    struct Pixels {
        std::vector<float> noise{};      ///< of renders, of what is usual, above 0
        std::vector<bool> is_counted{};  ///< it has a part in the loss
        std::vector<double> products{};  ///< sum over channels of r_A r_B
        std::vector<double> variances{}; ///< sum over channels of (r_A - r_B)^2 / 2
    };
    /// All that later losses depend on.
    struct State {
        bool is_open = true; ///< nothing was recorded: the pixels of the first record count
        std::vector<Pixels> views{};
    };

    /// @param weights of the loss, three a pixel of each view's picture.
    explicit LossMeter(std::vector<std::vector<float>> weights);

    /// Keeps the residuals of the pixels that are drawn now, all views one after the other; others keep theirs.
    void record(std::span<const DrawnView> views, const ResidualPair& residuals);
    /// Lets pixels count by the noise of renders there. @param noise of each view.
    void set_noise(std::vector<std::vector<float>> noise);
    /// Counts no pixels of a view but these: no later phase draws the others.
    void keep(std::size_t view, std::span<const std::uint32_t> pixels);

    /// Relative to the light around, squared; infinite before any record. Noise makes it negative at times.
    [[nodiscard]] double loss(std::span<const CountedView> views) const;
    /// Standard deviation of loss() by noise of renders where nothing else is left; infinite before any record. The product
    /// of two residuals of variance s^2 has the deviation s^2; s^2 is told by their difference, whose fourth moment is
    /// 3 (2 s^2)^2.
    [[nodiscard]] double noise_floor(std::span<const CountedView> views) const;

    [[nodiscard]] const State& state() const noexcept { return m_state; }
    /// Goes back. @throws ArgumentError if a view has another number of pixels.
    void restore(State state);

private:
    struct Sum {
        double total = 0;
        double residuals = 1; ///< three a pixel that counts, at least 1
    };

    /// Over the pixels that count. @param rows numbers of each pixel. @param power of the weighted numbers.
    [[nodiscard]] Sum sum(std::span<const CountedView> views, std::vector<double> Pixels::* rows,
                          int power) const;

    std::vector<std::vector<float>> m_weights;
    State m_state{};
};

} // namespace weft::fit
