// SPDX-License-Identifier: Apache-2.0
// A redescending loss for photos: pixels that nothing explains lose their say.
//
// Iteratively reweighted least squares with the biweight of Beaton and Tukey (1974). Its scale is that of the noise, or of
// what most residuals are where the fit is not there yet: it shrinks from round to round (graduated non-convexity, Blake and
// Zisserman 1987), so that a fit which starts far off loses no pixel for that.
#pragma once

#include "fit/scalar_model.hpp"
#include "fit/view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::fit {

/// The weight of a residual, in (0, 1]. @param distance from 0, in standard deviations.
[[nodiscard]] float biweight(double distance) noexcept;

/// When the pixels of robust observations are weighed anew.
class Reweighting {
public:
    explicit Reweighting(const std::vector<View>& views);

    /// Whether weights stay as they are.
    [[nodiscard]] bool is_over() const noexcept;
    /// Weighs pixels by what is left of them at `x`. Samples of the draw that tells the weights are used for nothing else:
    /// weights must not know the samples that they weigh.
    /// @param samples paths a pixel in each half, at least. @return whether weights have changed.
    /// @throws as ScalarModel::draw(); weights are then as they were.
    bool go_on(ScalarModel& model, std::span<const double> x, std::vector<View>& views,
               std::int64_t samples);

private:
    std::size_t m_rounds = 0;
};

} // namespace weft::fit
