// SPDX-License-Identifier: Apache-2.0
// One pass over the residuals of a pair, in blocks, on several threads where there are many. For the sources of this
// layer.
#pragma once

#include "fit/matrix.hpp"
#include "fit/residuals.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace weft::core {
class ThreadPool;
}

namespace weft::fit {

/// What a pass sums up.
struct RowPass {
    SamplePair pair;
    std::size_t cluster_size = 1;
    bool with_products = true;        ///< RowSums::products
    bool with_noise = true;           ///< RowSums::gradient_noise
    const Matrix* leverage = nullptr; ///< W, p x q, with H^-1 = W W': RowSums::scores
    core::ThreadPool* pool = nullptr;
};

/// Sums over all clusters of residuals.
struct RowSums {
    Matrix products; ///< J_A' J_B
    Vector gradient; ///< J_A' r_B + J_B' r_A
    Vector spread;   ///< the diagonals of J_A' J_A + J_B' J_B
    Vector variance; ///< of each diagonal entry of J_A' J_B by noise
    Matrix gradient_noise;
    Matrix
        scores; ///< sum of W' J_g' r_g r_g' J_g W, q x q, r_g what a fit of all other clusters would leave
};

/// The sums do not depend on the number of threads.
[[nodiscard]] RowSums sum_rows(const RowPass& pass);

/// residual += jacobian * step, one residual a row.
void add_step(std::span<const float> jacobian, std::span<const double> step,
              std::span<float> residual, core::ThreadPool* pool);

/// mean += (values - mean) * fraction.
void add_to_mean(std::span<const float> values, double fraction, std::span<float> mean,
                 core::ThreadPool* pool);

} // namespace weft::fit
