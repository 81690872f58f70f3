// SPDX-License-Identifier: Apache-2.0
// Noise of a picture, told from structure of the scene.
#pragma once

#include "fit/misfit.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::fit {

/// The noise of a picture, estimated robustly in bins of brightness (Foi, Trimeche, Katkovnik, Egiazarian 2008) from second
/// differences along both axes (Immerkaer 1996), which no plane and no straight edge along an axis moves. The smaller one of
/// what the picture and what its residuals vary from pixel to pixel, for either may hold structure of the scene; no less than
/// what the file's rounding makes. Takes time in proportion to the pixels that were drawn: of a large picture these are few.
class PictureNoise {
public:
    /// @param fresh outlives it.
    explicit PictureNoise(const Validation& fresh);

    /// Numbers of the pixels that were drawn, ascending.
    [[nodiscard]] const std::vector<std::uint32_t>& drawn() const noexcept { return m_drawn; }
    /// Variances, one a pixel of drawn(), in units of the light around, squared.
    /// @param counts pixels of the picture that tell them, some of drawn().
    [[nodiscard]] std::vector<double> variances(const std::vector<bool>& counts) const;
    /// The variance by the steps of a file at a pixel of the picture, in the same units.
    [[nodiscard]] double rounding_variance(std::size_t pixel) const;

private:
    /// What a picture, its residuals and their noise of draws vary by around a pixel, three a pixel of `at`.
    struct Differences {
        std::vector<std::uint32_t> at{}; ///< numbers of pixels whose neighbours were drawn, too
        std::vector<double> light{};     ///< around them, one each
        std::vector<double> picture{};
        std::vector<double> residuals{};
        std::vector<double> draws{};
    };

    void find_differences();

    const Validation& m_fresh;
    std::vector<std::uint32_t> m_drawn;
    std::vector<double> m_light; ///< around each pixel of m_drawn
    Differences m_differences;
};

/// How far residuals are from 0, in standard deviations of noise, one a pixel of the picture, 0 where none was drawn: noise of
/// the picture and of the draws, and what two renderers may differ by. Pixels that are far off say nothing of noise: it is
/// estimated without them.
/// @param noise of `fresh`.
[[nodiscard]] std::vector<double> deviations(const Validation& fresh, const PictureNoise& noise);

/// Which pixels are far off alone: most around them are not. @param noise of `fresh`. @param far of deviations().
[[nodiscard]] std::vector<bool> find_outliers(const Validation& fresh, const PictureNoise& noise,
                                              std::span<const double> far);

/// Two renderers differ by as much, of the light.
inline constexpr double kSmall = 0.01;
/// Standard deviations in a median absolute deviation of normal numbers.
inline constexpr double kNormal = 1.4826;

} // namespace weft::fit
