// SPDX-License-Identifier: Apache-2.0
// Small dense matrices of the interface: as many rows and columns as there are parameters.
#pragma once

#include <cstddef>
#include <vector>

namespace weft::fit {

/// One number a parameter, in the parameters' order.
using Vector = std::vector<double>;

/// A dense matrix, row-major.
struct Matrix {
    Matrix() = default;
    /// All zero.
    Matrix(std::size_t row_count, std::size_t column_count)
        : rows(row_count), columns(column_count), values(row_count * column_count, 0.0) {}

    double& operator()(std::size_t row, std::size_t column) noexcept {
        return values[row * columns + column];
    }
    double operator()(std::size_t row, std::size_t column) const noexcept {
        return values[row * columns + column];
    }

    std::size_t rows = 0;
    std::size_t columns = 0;
    std::vector<double> values; ///< rows * columns numbers
};

} // namespace weft::fit
