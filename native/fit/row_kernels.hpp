// SPDX-License-Identifier: Apache-2.0
// The loops over blocks of residuals, for the vectors of the processor at hand. For the sources of this layer.
//
// Rows of a block are padded with zeros to a multiple of kLanes, so that no loop has a rest.
#pragma once

#include <cstddef>

namespace weft::fit {

inline constexpr std::size_t kLanes = 8;

[[nodiscard]] constexpr std::size_t padded(std::size_t count) noexcept {
    return (count + kLanes - 1) / kLanes * kLanes;
}

/// One padded block of both sample sets.
struct RowBlock {
    const float* jacobian_a; ///< rows x width
    const float* jacobian_b;
    const float* residual_a; ///< rows
    const float* residual_b;
    std::size_t rows;         ///< a multiple of cluster_size
    std::size_t width;        ///< a multiple of kLanes
    std::size_t cluster_size; ///< at least 1
};

/// Sums over the clusters of one block, one a column.
struct ClusterSums {
    float* apart;    ///< clusters x width: (J_A' r_B - J_B' r_A) / 2 of each cluster; overwritten
    float* gradient; ///< J_A' r_B + J_B' r_A, added to
    float* spread;   ///< J_A^2 + J_B^2, added to
    float* variance; ///< of the product J_A J_B by noise, added to
};

struct RowKernels {
    /// out (width x width, double, row-major) += a' b; a and b: rows x width.
    void (*add_products)(const float* a, const float* b, std::size_t rows, std::size_t width,
                         double* out);
    /// out (rows x out_width) = rows (rows x width) * matrix (width x out_width).
    void (*transform)(const float* rows_in, std::size_t rows, std::size_t width,
                      const float* matrix, std::size_t out_width, float* out);
    void (*add_cluster_sums)(const RowBlock& block, const ClusterSums& sums);
    /// out (count x count) = a_i' b_j; a and b: count x width.
    void (*dot_products)(const float* a, const float* b, std::size_t count, std::size_t width,
                         float* out);
    /// out (width) += factor * (a + b).
    void (*add_scaled_sum)(const float* a, const float* b, float factor, std::size_t width,
                           float* out);
    /// residual += jacobian (rows x columns, not padded) * step.
    void (*add_step)(const float* jacobian, const float* step, std::size_t rows,
                     std::size_t columns, float* residual);
    float (*sum)(const float* values, std::size_t count);
    /// mean += fraction * (values - mean).
    void (*add_to_mean)(const float* values, std::size_t count, float fraction, float* mean);
};

/// Those of this processor.
[[nodiscard]] const RowKernels& row_kernels() noexcept;

} // namespace weft::fit
