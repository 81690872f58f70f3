// SPDX-License-Identifier: Apache-2.0
// Steps on the quadratic model of a loss that is known up to noise.
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"
#include "fit/normal_equations.hpp"

#include <span>

namespace weft::fit {

/// Variances of noise: derivatives below are shortened.
inline constexpr double kCaution = 3.0;

/// The model g'd + d'Hd/2 of a change of the loss, cautious where noise decides: the eigenvalues of H are nowhere below
/// their noise, and derivatives that noise explains are shortened. Steps are too short where little is known, instead
/// of too long. Where the loss is smallest does not depend on either.
struct Quadratic {
    Matrix matrix;   ///< H on the scale, positive definite
    Vector gradient; ///< g on the scale
    Vector ratios; ///< squared derivative over the variance of its noise, for each eigenvector of H
    Vector scale;  ///< a step of 1 on the scale is 1 / scale

    /// The step that lowers the loss most. @param low smallest step of each parameter, at most 0.
    /// @param high largest step of each parameter, at least 0.
    [[nodiscard]] WEFT_API Vector step(std::span<const double> low,
                                       std::span<const double> high) const;
};

/// The model of normal equations, cautious as said above.
/// @param caution derivatives c with the noise n become c q / (q + caution), q = c^2 / n^2, with at least kCaution along
///        eigenvectors whose eigenvalue is not told from zero; at kCaution and above no eigenvalue is taken for less
///        than the norm of all noise either.
[[nodiscard]] WEFT_API Quadratic safe_quadratic(const NormalEquations& equations,
                                                double caution = kCaution);

/// The d within [low, high] that makes g'd + d'Hd/2 smallest, by projected Newton steps (Bertsekas 1982) with the line
/// search of Armijo (1966). @param matrix H, positive definite. @param low at most 0. @param high at least 0.
/// @throws ArgumentError if sizes differ.
[[nodiscard]] WEFT_API Vector box_step(const Matrix& matrix, std::span<const double> gradient,
                                       std::span<const double> low, std::span<const double> high);

/// The step of Levenberg and Marquardt: the smallest d with (H + diag(damping)) d = -g, on a scale where the diagonal
/// is 1. Eigenvectors whose eigenvalue there is not above `cutoff` are not followed: noise, or a parameter that nothing
/// depends on. @param damping of each parameter, 0 or greater, in units of H.
/// @throws ArgumentError if sizes differ.
[[nodiscard]] WEFT_API Vector damped_step(const Matrix& matrix, std::span<const double> gradient,
                                          std::span<const double> damping, double cutoff);

/// The same with a damping in units of each H_ii: directions that noise has given a negative curvature are left out.
[[nodiscard]] WEFT_API Vector damped_step(const NormalEquations& equations, double damping);

} // namespace weft::fit
