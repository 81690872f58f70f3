// SPDX-License-Identifier: Apache-2.0
#include "fit/row_passes.hpp"

#include "fit/row_kernels.hpp"
#include "fit/run_parts.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

constexpr std::size_t kBlockFloats = 8192; ///< of one sample set: two blocks fit the second cache
constexpr std::size_t kMaxChunks = 16;
constexpr std::size_t kChunkFloats = std::size_t{1} << 19; ///< of a Jacobian, worth a thread
// No residuals count as explained by the fit for more than this: leverages of noise have no bound.
constexpr double kMaxLeverage = 0.5;

std::size_t part_count(std::size_t floats) {
    return std::clamp<std::size_t>(floats / kChunkFloats, 1, kMaxChunks);
}

/// Sums of one thread, on padded columns.
class Chunk {
public:
    explicit Chunk(const RowPass& pass)
        : m_pass(pass), m_columns(pass.pair.parameter_count()), m_width(padded(m_columns)),
          m_gradient(m_width), m_spread(m_width), m_variance(m_width) {
        const std::size_t clusters = std::max<std::size_t>(
            kBlockFloats / std::max<std::size_t>(m_width, 1) / pass.cluster_size, 1);
        m_block_rows = clusters * pass.cluster_size;
        m_a.resize(m_block_rows * m_width);
        m_b.resize(m_block_rows * m_width);
        m_apart.resize(clusters * m_width);
        m_products.resize(pass.with_products ? m_width * m_width : 0);
        m_noise.resize(pass.with_noise ? m_width * m_width : 0);
        if (pass.leverage != nullptr) {
            prepare_leverage(clusters);
        }
    }

    /// Adds the rows [first, last), whole clusters.
    void add(std::size_t first, std::size_t last) {
        for (std::size_t row = first; row < last; row += m_block_rows) {
            add_block(row, std::min(m_block_rows, last - row));
        }
    }

    void add_to(RowSums& sums) const {
        for (std::size_t i = 0; i < m_columns; ++i) {
            sums.gradient[i] += m_gradient[i];
            sums.spread[i] += m_spread[i];
            sums.variance[i] += m_variance[i];
        }
        add_square(m_products, m_width, sums.products);
        add_square(m_noise, m_width, sums.gradient_noise);
        add_square(m_scores, m_rank_width, sums.scores);
    }

private:
    static void add_square(const std::vector<double>& values, std::size_t width, Matrix& out) {
        if (values.empty()) {
            return;
        }
        for (std::size_t i = 0; i < out.rows; ++i) {
            for (std::size_t j = 0; j < out.columns; ++j) {
                out(i, j) += values[i * width + j];
            }
        }
    }

    void prepare_leverage(std::size_t clusters) {
        const Matrix& basis = *m_pass.leverage;
        m_rank_width = padded(basis.columns);
        m_basis.resize(m_width * m_rank_width);
        for (std::size_t i = 0; i < basis.rows; ++i) {
            for (std::size_t j = 0; j < basis.columns; ++j) {
                m_basis[i * m_rank_width + j] = static_cast<float>(basis(i, j));
            }
        }
        m_basis_a.resize(m_block_rows * m_rank_width);
        m_basis_b.resize(m_block_rows * m_rank_width);
        m_cluster_scores.resize(clusters * m_rank_width);
        m_scores.resize(m_rank_width * m_rank_width);
        const std::size_t size = m_pass.cluster_size;
        m_cross.resize(size * size);
        m_others.resize(size * size);
        m_residual.resize(size);
    }

    void pack(std::span<const float> jacobian, std::size_t first, std::size_t rows,
              std::vector<float>& out) const {
        for (std::size_t row = 0; row < rows; ++row) {
            const float* from = jacobian.data() + (first + row) * m_columns;
            std::copy(from, from + m_columns, out.data() + row * m_width);
        }
    }

    void add_block(std::size_t first, std::size_t rows) {
        const SamplePair& pair = m_pass.pair;
        pack(pair.a.jacobian, first, rows, m_a);
        pack(pair.b.jacobian, first, rows, m_b);
        const RowBlock block{m_a.data(),
                             m_b.data(),
                             pair.a.residual.data() + first,
                             pair.b.residual.data() + first,
                             rows,
                             m_width,
                             m_pass.cluster_size};
        std::vector<float> sums(3 * m_width);
        const ClusterSums clusters{m_apart.data(), sums.data(), sums.data() + m_width,
                                   sums.data() + 2 * m_width};
        m_kernels.add_cluster_sums(block, clusters);
        for (std::size_t i = 0; i < m_columns; ++i) {
            m_gradient[i] += static_cast<double>(clusters.gradient[i]);
            m_spread[i] += static_cast<double>(clusters.spread[i]);
            m_variance[i] += static_cast<double>(clusters.variance[i]);
        }
        if (m_pass.with_products) {
            m_kernels.add_products(m_a.data(), m_b.data(), rows, m_width, m_products.data());
        }
        if (m_pass.with_noise) {
            m_kernels.add_products(m_apart.data(), m_apart.data(), rows / m_pass.cluster_size,
                                   m_width, m_noise.data());
        }
        if (m_pass.leverage != nullptr) {
            add_scores(block);
        }
    }

    void add_scores(const RowBlock& block) {
        m_kernels.transform(m_a.data(), block.rows, m_width, m_basis.data(), m_rank_width,
                            m_basis_a.data());
        m_kernels.transform(m_b.data(), block.rows, m_width, m_basis.data(), m_rank_width,
                            m_basis_b.data());
        const std::size_t size = m_pass.cluster_size;
        const std::size_t clusters = block.rows / size;
        std::fill(m_cluster_scores.begin(), m_cluster_scores.end(), 0.0F);
        for (std::size_t cluster = 0; cluster < clusters; ++cluster) {
            const float* a = m_basis_a.data() + cluster * size * m_rank_width;
            const float* b = m_basis_b.data() + cluster * size * m_rank_width;
            find_unexplained(block, cluster * size, a, b);
            for (std::size_t i = 0; i < size; ++i) {
                m_kernels.add_scaled_sum(a + i * m_rank_width, b + i * m_rank_width,
                                         static_cast<float>(m_residual[i] / 2), m_rank_width,
                                         m_cluster_scores.data() + cluster * m_rank_width);
            }
        }
        m_kernels.add_products(m_cluster_scores.data(), m_cluster_scores.data(), clusters,
                               m_rank_width, m_scores.data());
    }

    /// The residuals of a cluster as a fit of all the others would leave them: (1 - L)^-1 r, into m_residual.
    void find_unexplained(const RowBlock& block, std::size_t first, const float* a,
                          const float* b) {
        const std::size_t size = block.cluster_size;
        m_kernels.dot_products(a, b, size, m_rank_width, m_cross.data());
        double norm = 0;
        for (std::size_t i = 0; i < size; ++i) {
            for (std::size_t j = 0; j < size; ++j) {
                const double entry = (static_cast<double>(m_cross[i * size + j]) +
                                      static_cast<double>(m_cross[j * size + i])) /
                                     2;
                m_others[i * size + j] = entry;
                norm += entry * entry;
            }
            m_residual[i] = (static_cast<double>(block.residual_a[first + i]) +
                             static_cast<double>(block.residual_b[first + i])) /
                            2;
        }
        const double factor = std::min(1.0, kMaxLeverage / std::max(std::sqrt(norm), kMaxLeverage));
        for (std::size_t i = 0; i < size * size; ++i) {
            m_others[i] = (i % (size + 1) == 0 ? 1.0 : 0.0) - factor * m_others[i];
        }
        solve_unexplained(size);
    }

    /// Elimination without pivots: no eigenvalue of L is above .5.
    void solve_unexplained(std::size_t size) {
        for (std::size_t column = 0; column < size; ++column) {
            for (std::size_t row = column + 1; row < size; ++row) {
                const double factor =
                    m_others[row * size + column] / m_others[column * size + column];
                for (std::size_t j = column; j < size; ++j) {
                    m_others[row * size + j] -= factor * m_others[column * size + j];
                }
                m_residual[row] -= factor * m_residual[column];
            }
        }
        for (std::size_t row = size; row-- > 0;) {
            for (std::size_t j = row + 1; j < size; ++j) {
                m_residual[row] -= m_others[row * size + j] * m_residual[j];
            }
            m_residual[row] /= m_others[row * size + row];
        }
    }

    const RowPass& m_pass;
    const RowKernels& m_kernels = row_kernels();
    std::size_t m_columns;
    std::size_t m_width;
    std::size_t m_rank_width = 0;
    std::size_t m_block_rows = 0;
    std::vector<double> m_gradient;
    std::vector<double> m_spread;
    std::vector<double> m_variance;
    std::vector<double> m_products;
    std::vector<double> m_noise;
    std::vector<double> m_scores;
    // Of one block.
    std::vector<float> m_a;
    std::vector<float> m_b;
    std::vector<float> m_apart;
    std::vector<float> m_basis;
    std::vector<float> m_basis_a;
    std::vector<float> m_basis_b;
    std::vector<float> m_cluster_scores;
    // Of one cluster.
    std::vector<float> m_cross;
    std::vector<double> m_others;
    std::vector<double> m_residual;
};

} // namespace

RowSums sum_rows(const RowPass& pass) {
    const std::size_t columns = pass.pair.parameter_count();
    const std::size_t rank = pass.leverage == nullptr ? 0 : pass.leverage->columns;
    const std::size_t clusters = pass.pair.residual_count() / pass.cluster_size;
    RowSums sums{Matrix(columns, columns), Vector(columns),          Vector(columns),
                 Vector(columns),          Matrix(columns, columns), Matrix(rank, rank)};
    if (columns == 0) {
        return sums;
    }
    std::vector<Chunk> chunks;
    const std::size_t parts = part_count(pass.pair.residual_count() * padded(columns));
    chunks.reserve(parts);
    for (std::size_t i = 0; i < parts; ++i) {
        chunks.emplace_back(pass);
    }
    run_parts(pass.pool, clusters, parts,
              [&](std::size_t number, std::size_t first, std::size_t last) {
                  chunks[number].add(first * pass.cluster_size, last * pass.cluster_size);
              });
    for (const Chunk& chunk : chunks) {
        chunk.add_to(sums);
    }
    return sums;
}

void add_step(std::span<const float> jacobian, std::span<const double> step,
              std::span<float> residual, core::ThreadPool* pool) {
    std::vector<float> moved(step.size());
    std::transform(step.begin(), step.end(), moved.begin(),
                   [](double value) { return static_cast<float>(value); });
    const std::size_t columns = step.size();
    run_parts(pool, residual.size(), part_count(jacobian.size()),
              [&](std::size_t, std::size_t first, std::size_t last) {
                  row_kernels().add_step(jacobian.data() + first * columns, moved.data(),
                                         last - first, columns, residual.data() + first);
              });
}

void add_to_mean(std::span<const float> values, double fraction, std::span<float> mean,
                 core::ThreadPool* pool) {
    run_parts(pool, mean.size(), part_count(mean.size()),
              [&](std::size_t, std::size_t first, std::size_t last) {
                  row_kernels().add_to_mean(values.data() + first, last - first,
                                            static_cast<float>(fraction), mean.data() + first);
              });
}

} // namespace weft::fit
