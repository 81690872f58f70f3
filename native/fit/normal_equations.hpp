// SPDX-License-Identifier: Apache-2.0
// H d = -g of a nonlinear least-squares problem whose residuals and derivatives have noise.
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"
#include "fit/residuals.hpp"

#include <cstddef>

namespace weft::core {
class ThreadPool;
}

namespace weft::fit {

/// H = (J_A' J_B + J_B' J_A) / 2 and g = (J_A' r_B + J_B' r_A) / 2 of two independent sample sets, both unbiased, and
/// how far they can be trusted.
struct NormalEquations {
    Matrix matrix;   ///< H, p x p, symmetric
    Vector gradient; ///< g
    double loss = 0; ///< r_A' r_B: unbiased, zero where the model explains the target
    Vector spread;   ///< (J_A' J_A + J_B' J_B) / 2 of each parameter: H_ii and the noise of J
    Matrix skew;     ///< (J_A' J_B - J_B' J_A) / 2: no mean, and entries as large as the noise of H
    Matrix gradient_noise; ///< covariance of g by the noise of the sample sets
    Vector diagonal_noise; ///< standard deviation of each H_ii by the noise of the sample sets
};

/// The normal equations of a pair, in one pass over its residuals. Sums over blocks of residuals are in float, sums of
/// blocks in double.
///
/// The sets differ by noise alone, so each cluster's (J_A' r_B - J_B' r_A) / 2 has no mean, and the sum of its outer
/// products is the covariance of g. The product of mu + e and mu + f has the variance 2 mu^2 s^2 + s^4, s^2 that of e
/// and f; a cluster tells mu^2 as about J_A J_B and s^2 as about (J_A - J_B)^2 / 2: that is the noise of H_ii.
///
/// @param cluster_size so many residuals in a row share their noise: the channels of a pixel.
/// @param pool runs the pass where there are many residuals; null: the caller's thread does. The sums do not depend on
///        the number of threads.
/// @throws ArgumentError if the arrays do not fit together, or a number is not finite.
[[nodiscard]] WEFT_API NormalEquations normal_equations(const SamplePair& pair,
                                                        std::size_t cluster_size = 1,
                                                        core::ThreadPool* pool = nullptr);

/// Normal equations without noise. @param matrix p x p, symmetric.
/// @throws ArgumentError if `matrix` and `gradient` do not fit together.
[[nodiscard]] WEFT_API NormalEquations exact_equations(Matrix matrix, Vector gradient, double loss);

} // namespace weft::fit
