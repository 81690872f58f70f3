// SPDX-License-Identifier: Apache-2.0
#include "fit/inflation.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/dense.hpp"
#include "fit/observation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>

namespace weft::fit {

namespace {

constexpr std::array<std::uint32_t, 5> kSides{4, 8, 16, 32, 64}; ///< of squares, pixels
constexpr std::size_t kClustersANumber = 2;                      ///< at least, and
constexpr std::size_t kFewestClusters = 6;
constexpr double kFloor =
    1e-4; ///< of the largest eigenvalue: directions that pictures hardly tell keep their errors

/// The gradient of half the squared residuals, a row a pixel.
DenseMatrix scores_of(const SamplePair& pair, Eigen::Index parameters) {
    const auto rows = static_cast<Eigen::Index>(pair.a.residual.size());
    DenseMatrix out = DenseMatrix::Zero(rows / static_cast<Eigen::Index>(kChannels), parameters);
    for (Eigen::Index row = 0; row < rows; ++row) {
        const auto at = static_cast<std::size_t>(row);
        const double residual =
            (static_cast<double>(pair.a.residual[at]) + static_cast<double>(pair.b.residual[at])) /
            2;
        for (Eigen::Index k = 0; k < parameters; ++k) {
            const auto entry = static_cast<std::size_t>(row * parameters + k);
            const double derivative = (static_cast<double>(pair.a.jacobian[entry]) +
                                       static_cast<double>(pair.b.jacobian[entry])) /
                                      2;
            out(row / static_cast<Eigen::Index>(kChannels), k) += residual * derivative;
        }
    }
    return out;
}

/// The inverse of H without the directions that the pictures hardly tell.
DenseMatrix inverse_of(const Matrix& matrix) {
    DenseVector scale = view(matrix).diagonal();
    for (double& entry : scale) {
        entry = entry > 0 ? std::sqrt(entry) : std::numeric_limits<double>::infinity();
    }
    const EigenSystem system = solve_eigen_system(on_scale(matrix, scale));
    const double least = kFloor * std::max(system.values.maxCoeff(), 1e-300);
    DenseVector inverses = system.values;
    for (double& entry : inverses) {
        entry = entry > least ? 1 / entry : 0;
    }
    const DenseMatrix scaled = system.vectors * inverses.asDiagonal() * system.vectors.transpose();
    return scale.cwiseInverse().asDiagonal() * scaled * scale.cwiseInverse().asDiagonal();
}

/// The diagonal of H^-1 V H^-1.
DenseVector variances(const DenseMatrix& scores, const DenseMatrix& inverse) {
    return (scores * inverse).colwise().squaredNorm().transpose();
}

/// The number of the square that each drawn pixel lies in, from 0 on.
std::vector<std::size_t> clusters_of(std::span<const ViewPixels> views, std::uint32_t side) {
    std::map<std::uint64_t, std::size_t> numbers;
    std::vector<std::uint64_t> keys;
    for (std::size_t number = 0; number < views.size(); ++number) {
        const auto width = static_cast<std::uint32_t>(views[number].width);
        for (const std::uint32_t pixel : views[number].pixels) {
            const std::uint64_t square =
                std::uint64_t{pixel / width / side} * (width / side + 1) + pixel % width / side;
            keys.push_back((std::uint64_t{number} << 40U) + square);
            numbers.emplace(keys.back(), 0);
        }
    }
    std::size_t next = 0;
    for (auto& [key, own] : numbers) {
        own = next++;
    }
    std::vector<std::size_t> out;
    out.reserve(keys.size());
    std::ranges::transform(keys, std::back_inserter(out),
                           [&numbers](std::uint64_t key) { return numbers.at(key); });
    return out;
}

} // namespace

Vector inflation(const SamplePair& pair, std::span<const ViewPixels> views, const Matrix& matrix) {
    require_shapes(pair, matrix.rows, kChannels, "inflation");
    std::size_t pixels = 0;
    for (const ViewPixels& view : views) {
        pixels += view.pixels.size();
    }
    if (kChannels * pixels != pair.residual_count()) {
        throw core::ArgumentError(core::text("inflation: ", pixels, " pixels have ",
                                             kChannels * pixels, " residuals, got ",
                                             pair.residual_count()));
    }
    const auto parameters = static_cast<Eigen::Index>(matrix.rows);
    const DenseMatrix scores = scores_of(pair, parameters);
    const DenseMatrix inverse = inverse_of(matrix);
    const DenseVector alone = variances(scores, inverse);
    Vector most(matrix.rows, 1.0);
    const std::size_t fewest = std::max(kFewestClusters, kClustersANumber * matrix.rows);
    for (const std::uint32_t side : kSides) {
        const std::vector<std::size_t> clusters = clusters_of(views, side);
        const std::size_t count = clusters.empty() ? 0 : *std::ranges::max_element(clusters) + 1;
        if (count < fewest) {
            break;
        }
        DenseMatrix sums = DenseMatrix::Zero(static_cast<Eigen::Index>(count), parameters);
        for (std::size_t pixel = 0; pixel < clusters.size(); ++pixel) {
            sums.row(static_cast<Eigen::Index>(clusters[pixel])) +=
                scores.row(static_cast<Eigen::Index>(pixel));
        }
        const double correction = static_cast<double>(count) / static_cast<double>(count - 1);
        const DenseVector shared = variances(sums, inverse) * correction;
        for (Eigen::Index k = 0; k < parameters; ++k) {
            if (alone[k] > 0) {
                double& own = most[static_cast<std::size_t>(k)];
                own = std::max(own, std::sqrt(shared[k] / alone[k]));
            }
        }
    }
    return most;
}

} // namespace weft::fit
