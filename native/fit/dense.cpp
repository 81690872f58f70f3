// SPDX-License-Identifier: Apache-2.0
#include "fit/dense.hpp"

#include "core/error.hpp"

namespace weft::fit {

Eigen::Map<const DenseMatrix> view(const Matrix& matrix) {
    return {matrix.values.data(), static_cast<Eigen::Index>(matrix.rows),
            static_cast<Eigen::Index>(matrix.columns)};
}

Eigen::Map<const DenseVector> view(std::span<const double> vector) {
    return {vector.data(), static_cast<Eigen::Index>(vector.size())};
}

Matrix to_matrix(const DenseMatrix& matrix) {
    Matrix out(static_cast<std::size_t>(matrix.rows()), static_cast<std::size_t>(matrix.cols()));
    std::copy(matrix.data(), matrix.data() + matrix.size(), out.values.begin());
    return out;
}

Vector to_vector(const DenseVector& vector) {
    return {vector.data(), vector.data() + vector.size()};
}

EigenSystem solve_eigen_system(const DenseMatrix& matrix) {
    if (matrix.size() == 0) {
        return {};
    }
    const Eigen::SelfAdjointEigenSolver<DenseMatrix> solver(matrix);
    if (solver.info() != Eigen::Success) {
        throw core::InternalError("solve_eigen_system: the eigenvalues were not found");
    }
    return {solver.eigenvalues(), solver.eigenvectors()};
}

DenseMatrix on_scale(const Matrix& matrix, const DenseVector& scale) {
    const DenseVector inverse = scale.cwiseInverse();
    return inverse.asDiagonal() * view(matrix) * inverse.asDiagonal();
}

} // namespace weft::fit
