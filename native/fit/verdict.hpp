// SPDX-License-Identifier: Apache-2.0
// Whether a scene explains its pictures: what a fit says of itself at its end.
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace weft::fit {

/// explained: what is left of the residuals is noise. doubtful: more than noise is left, or pixels are far off: errors are
/// larger for it. wrong: the scene does not explain the pictures, and what was found means little.
enum class VerdictLevel : std::uint8_t { explained, doubtful, wrong };
inline constexpr std::array<std::string_view, 3> kVerdictLevels{"explained", "doubtful", "wrong"};

/// Standard deviations: more is no noise.
inline constexpr double kMisfitSigmas = 6.0;

/// Share of the pixels: more that are far off make a picture doubtful.
inline constexpr double kFewOutliers = 0.02;

/// What is left of one picture.
struct ViewVerdict {
    std::string name; ///< of the observation
    VerdictLevel level = VerdictLevel::explained;
    double ratio =
        1; ///< root mean square of its residuals over that of the noise: 1 where the scene explains it
    double misfit =
        0; ///< what the scene leaves unexplained beside noise, of the picture's light: 0.05 is 5 %
    double noise = 0;      ///< of the picture, in the same unit
    double brightness = 1; ///< factor by which the picture is brighter than the render
    double outliers = 0;   ///< share of its pixels that are far off alone, 0 to 1
    /// Standard deviations by which neighbours are off together: noise alone makes it about 1; above kMisfitSigmas it is
    /// misfit.
    double certainty = 0;
};

struct Verdict {
    VerdictLevel level = VerdictLevel::explained; ///< the worst of the pictures'
    double ratio = 1;  ///< root mean square of all residuals over that of the noise
    double misfit = 0; ///< root mean square of the pictures'
    std::vector<ViewVerdict> views{};
    /// Standard errors of FitState::values, one a component: larger than those where neighbours share what is left.
    std::vector<Vector> errors{};
    double inflation = 1; ///< factor by which that has made the largest one larger
};

/// A sentence for people, in the words of Python's verdicts as far as numbers tell them.
[[nodiscard]] WEFT_API std::string describe(const Verdict& verdict);

} // namespace weft::fit
