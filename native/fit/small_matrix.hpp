// SPDX-License-Identifier: Apache-2.0
// Matrices of a texel's numbers, on the stack where they are few. For the sources of this layer.
#pragma once

#include "core/error.hpp"
#include "fit/dense.hpp"
#include "fit/run_parts.hpp"

#include <cstddef>
#include <vector>

namespace weft::fit {

/// Up to this many numbers a texel, matrices are on the stack.
inline constexpr int kFewNumbers = 8;

template <int Most>
using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor, Most, Most>;
template <int Most>
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, Eigen::ColMajor, Most, 1>;

/// Calls work<Most>() with the matrices to use for `count` numbers.
template <typename Work>
decltype(auto) with_small(std::size_t count, const Work& work) {
    if (count <= static_cast<std::size_t>(kFewNumbers)) {
        return work.template operator()<kFewNumbers>();
    }
    return work.template operator()<Eigen::Dynamic>();
}

/// A block of an image as a matrix.
inline Eigen::Map<const DenseMatrix> block_view(const double* values, std::size_t count) {
    const auto size = static_cast<Eigen::Index>(count);
    return {values, size, size};
}

/// Eigenvalues from the smallest. @throws InternalError if they are not found: a number is not finite.
template <int Most>
Eigen::SelfAdjointEigenSolver<SmallMatrix<Most>> eigen_of(const SmallMatrix<Most>& matrix) {
    Eigen::SelfAdjointEigenSolver<SmallMatrix<Most>> solver(matrix);
    if (solver.info() != Eigen::Success) {
        throw core::InternalError("the eigenvalues of a texel's block were not found");
    }
    return solver;
}

/// Adds what add(texel, sum) adds for the texels, in parts whose sums do not depend on threads.
template <typename Add>
DenseMatrix sum_matrices(std::size_t texels, Eigen::Index rows, Eigen::Index columns,
                         core::ThreadPool* pool, const Add& add) {
    const std::size_t parts = texel_parts(texels);
    std::vector<DenseMatrix> sums(parts, DenseMatrix::Zero(rows, columns));
    run_parts(pool, texels, parts, [&](std::size_t number, std::size_t first, std::size_t last) {
        for (std::size_t texel = first; texel < last; ++texel) {
            add(texel, sums[number]);
        }
    });
    DenseMatrix total = DenseMatrix::Zero(rows, columns);
    for (const DenseMatrix& sum : sums) {
        total += sum;
    }
    return total;
}

} // namespace weft::fit
