// SPDX-License-Identifier: Apache-2.0
#include "fit/normal_equations.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/row_passes.hpp"

#include <cmath>

namespace weft::fit {

namespace {

/// (m + sign * m') / 2.
Matrix part_of(const Matrix& matrix, double sign) {
    Matrix out(matrix.rows, matrix.columns);
    for (std::size_t i = 0; i < matrix.rows; ++i) {
        for (std::size_t j = 0; j < matrix.columns; ++j) {
            out(i, j) = (matrix(i, j) + sign * matrix(j, i)) / 2;
        }
    }
    return out;
}

} // namespace

NormalEquations normal_equations(const SamplePair& pair, std::size_t cluster_size,
                                 core::ThreadPool* pool) {
    require_shapes(pair, pair.parameter_count(), cluster_size, "normal_equations");
    RowSums sums = sum_rows({.pair = pair, .cluster_size = cluster_size, .pool = pool});
    const ResidualPair residuals{pair.a.residual, pair.b.residual};
    NormalEquations out;
    out.matrix = part_of(sums.products, 1);
    out.skew = part_of(sums.products, -1);
    out.gradient = std::move(sums.gradient);
    out.spread = std::move(sums.spread);
    out.diagonal_noise = std::move(sums.variance);
    out.gradient_noise = part_of(sums.gradient_noise, 1);
    out.loss = estimate_loss(residuals, 1).loss * static_cast<double>(residuals.a.size());
    bool is_finite = std::isfinite(out.loss);
    for (std::size_t i = 0; i < out.gradient.size(); ++i) {
        out.gradient[i] /= 2;
        out.spread[i] /= 2;
        out.diagonal_noise[i] = std::sqrt(out.diagonal_noise[i]);
        is_finite = is_finite && std::isfinite(out.spread[i]) && std::isfinite(out.gradient[i]);
    }
    if (!is_finite) {
        require_finite(pair, "normal_equations");
        throw core::ArgumentError("normal_equations: squares of residuals and derivatives must be "
                                  "in the range of float; scale the residuals");
    }
    return out;
}

NormalEquations exact_equations(Matrix matrix, Vector gradient, double loss) {
    const std::size_t count = gradient.size();
    if (matrix.rows != count || matrix.columns != count) {
        throw core::ArgumentError(core::text("exact_equations: the matrix must be ", count, " x ",
                                             count, " as the gradient has ", count,
                                             " entries, got ", matrix.rows, " x ", matrix.columns));
    }
    NormalEquations out;
    out.spread.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
        out.spread[i] = matrix(i, i);
    }
    out.matrix = std::move(matrix);
    out.gradient = std::move(gradient);
    out.loss = loss;
    out.skew = Matrix(count, count);
    out.gradient_noise = Matrix(count, count);
    out.diagonal_noise.resize(count);
    return out;
}

} // namespace weft::fit
