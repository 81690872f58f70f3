// SPDX-License-Identifier: Apache-2.0
// When a redescending loss weighs the pixels of photos; see robust_weights.hpp.
#pragma once

#include "fit/validation.hpp"
#include "fit/view.hpp"

#include <cstddef>
#include <cstdint>
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
    /// Weighs pixels by what is left of them. Samples of the draw that tells the weights are used for nothing else: weights
    /// must not know the samples that they weigh.
    /// @param samples paths a pixel in each half, at least. @return whether weights have changed.
    /// @throws as `look`; weights are then as they were.
    bool go_on(const Look& look, std::vector<View>& views, std::int64_t samples);

    /// So far; for checkpoints.
    [[nodiscard]] std::size_t rounds() const noexcept { return m_rounds; }
    void set_rounds(std::size_t rounds) noexcept { m_rounds = rounds; }

private:
    std::size_t m_rounds = 0;
};

/// When the pixels of robust observations are weighed anew by a fit of textures: after shares of its iterations. Textures
/// explain more from one to the next, so that what nothing explains is not known before: rounds come while they still move,
/// and each begins anew. Where residuals around a pixel are large, too, they may be detail that textures do not show yet: only
/// what stands out among them loses its say.
class MapReweighting {
public:
    explicit MapReweighting(const std::vector<View>& views);

    /// Whether pixels are to be weighed. @param done share of the iterations, in [0, 1].
    [[nodiscard]] bool is_due(double done) const noexcept;
    /// As Reweighting::go_on().
    void go_on(const Look& look, std::vector<View>& views, std::int64_t samples);

    /// So far; for checkpoints.
    [[nodiscard]] std::size_t rounds() const noexcept { return m_rounds; }
    void set_rounds(std::size_t rounds) noexcept { m_rounds = rounds; }

private:
    std::size_t m_rounds = 0;
};

} // namespace weft::fit
