// SPDX-License-Identifier: Apache-2.0
// Eigen on the matrices of the interface. For the sources of this layer.
#pragma once

#include "fit/matrix.hpp"

// GCC takes temporaries of Eigen's templates for uninitialised.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <Eigen/Dense>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif
#include <span>

namespace weft::fit {

using DenseMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using DenseVector = Eigen::VectorXd;

[[nodiscard]] Eigen::Map<const DenseMatrix> view(const Matrix& matrix);
[[nodiscard]] Eigen::Map<const DenseVector> view(std::span<const double> vector);
[[nodiscard]] Matrix to_matrix(const DenseMatrix& matrix);
[[nodiscard]] Vector to_vector(const DenseVector& vector);

/// Eigenvalues from the smallest, and eigenvectors, one a column.
struct EigenSystem {
    DenseVector values;
    DenseMatrix vectors;
};

/// @param matrix symmetric; its lower part counts. @throws InternalError if it is not finite.
[[nodiscard]] EigenSystem solve_eigen_system(const DenseMatrix& matrix);

/// Entries over the products of their row's and column's scale.
[[nodiscard]] DenseMatrix on_scale(const Matrix& matrix, const DenseVector& scale);

} // namespace weft::fit
