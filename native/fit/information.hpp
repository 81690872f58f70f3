// SPDX-License-Identifier: Apache-2.0
// What the residuals say of the parameters: covariance, standard errors, and directions that nothing determines.
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"
#include "fit/normal_equations.hpp"
#include "fit/residuals.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace weft::core {
class ThreadPool;
}

namespace weft::fit {

/// Eigenvalues of H with a unit diagonal below this are those of sums in float.
inline constexpr double kRounding = 1e-6;
/// Of the noise of H: smaller eigenvalues are not told from zero.
inline constexpr double kVagueDeviations = 2.0;

struct Information {
    Matrix matrix; ///< H, p x p
    Matrix
        covariance; ///< of the parameters; directions that are lost have a large, finite variance
    Matrix
        lost; ///< p x k: directions along which residuals do not change, unit vectors where H has a unit diagonal
    Vector
        drawn_fraction; ///< how much of each variance more samples would take away, in [0, 1]; the rest is in the
                        ///< target. Empty: not known
    std::vector<bool> is_silent; ///< of each parameter: the residuals do not depend on it at all
};

/// One standard error a parameter, infinite where the residuals do not determine it.
/// @param lost p x k; see Information::lost.
[[nodiscard]] WEFT_API Vector standard_errors(const Matrix& covariance, const Matrix& lost);

/// The noise of the eigenvalues of H, at least that of rounding.
///
/// The skew part of J_A' J_B has no mean, and entries as large as the noise of the symmetric part. An eigenvalue that
/// stands alone has the noise of one entry, and to second order what all others take from it; those that are not told
/// from zero spread together, by the noise of as many entries as they are (Wigner 1955). Of one parameter there is no
/// skew part; its own noise stands for it.
///
/// @param skew on the scale of H with a unit diagonal.
/// @param diagonal_noise of H, on that scale.
/// @param values eigenvalues of H. @param vectors its eigenvectors, one a column.
[[nodiscard]] WEFT_API Vector eigenvalue_noise(const Matrix& skew,
                                               std::span<const double> diagonal_noise,
                                               std::span<const double> values,
                                               const Matrix& vectors);

struct InformationSettings {
    std::span<const double> known{}; ///< what a prior has added to each H_ii; empty: nothing
    std::size_t cluster_size =
        1; ///< so many residuals in a row share their noise: the channels of a pixel
    std::span<const double>
        extent{}; ///< ranges of the parameters: along directions whose eigenvalue is not told from
                  ///< its noise, errors are as large as the first range met; empty: they are lost
    bool noise_of_pair =
        false; ///< take the noise of the gradient from the pair, not from the equations: the residuals
               ///< are those of another place, the derivatives the same
};

/// What a pair says of the parameters: the sandwich estimator H^-1 (sum of J_g' r_g r_g' J_g) H^-1 of White (1980), for
/// clusters g of residuals that share their noise (Liang, Zeger 1986). The noise of the target counts too.
///
/// A fit has explained a part of the noise where few residuals tell a parameter: r_g is the residual that a fit of all
/// other clusters would leave, (1 - J_g H^-1 J_g')^-1 r_g, the jackknife of MacKinnon and White (1985) for clusters
/// (Bell, McCaffrey 2002). Leverages J_g H^-1 J_g' take one factor of each sample set, and count for at most .5.
///
/// @param equations of the pair, those of a prior included.
/// @throws ArgumentError if the arrays do not fit together, or a number is not finite.
[[nodiscard]] WEFT_API Information gather_information(const NormalEquations& equations,
                                                      const SamplePair& pair,
                                                      const InformationSettings& settings = {},
                                                      core::ThreadPool* pool = nullptr);

} // namespace weft::fit
