// SPDX-License-Identifier: Apache-2.0
// When a redescending loss weighs the pixels of photos; see robust_weights.hpp.
#pragma once

#include "fit/scalar_model.hpp"
#include "fit/view.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::fit {

/// Rounds of weighing, at most.
inline constexpr std::size_t kWeighingRounds = 4;

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
