// SPDX-License-Identifier: Apache-2.0
#include "fit/texel_sums.hpp"

#include "fit/quantiles.hpp"
#include "fit/run_parts.hpp"
#include "fit/small_matrix.hpp"

#include <algorithm>

namespace weft::fit {

namespace {

using Eigen::Index;

constexpr std::size_t kPoolNumbers = std::size_t{1} << 18; ///< of an image, worth threads
constexpr double kHighQuantile = 0.98;                     ///< of the sizes of texels' entries
constexpr double kMostOfQuantile = 10;                     ///< how often it an entry may be

std::size_t texels_of(const TexelView& image) {
    return image.shape.height * image.shape.width;
}

/// Factors of the blocks with the prior. They are positive definite: positive_blocks() and a covariance's inverse are.
template <int Most>
Eigen::LLT<SmallMatrix<Most>> factored(const TexelView& blocks, std::size_t texel,
                                       const SmallMatrix<Most>& prior) {
    const auto count = static_cast<std::size_t>(prior.rows());
    const SmallMatrix<Most> matrix = block_view(blocks.texel(texel).data(), count) + prior;
    return Eigen::LLT<SmallMatrix<Most>>(matrix);
}

} // namespace

std::unique_ptr<core::ThreadPool> pool_for(const TexelView& image) {
    return image.values.size() < kPoolNumbers ? nullptr : std::make_unique<core::ThreadPool>();
}

TexelImage taming_factors(const TexelView& sizes) {
    const std::size_t channels = sizes.shape.channels;
    TexelImage out(sizes.shape);
    for (std::size_t channel = 0; channel < channels; ++channel) {
        std::vector<double> some;
        for (std::size_t i = channel; i < sizes.values.size(); i += channels) {
            if (sizes.values[i] > 0) {
                some.push_back(sizes.values[i]);
            }
        }
        const double most = kMostOfQuantile * quantile(std::move(some), kHighQuantile);
        for (std::size_t i = channel; i < sizes.values.size(); i += channels) {
            out.values[i] = std::min(1.0, most / std::max(sizes.values[i], 1e-30));
        }
    }
    return out;
}

Vector mean_of(const TexelView& maps, const std::vector<bool>& chosen) {
    Vector mean(maps.shape.channels);
    const auto texels = static_cast<double>(std::ranges::count(chosen, true));
    for (std::size_t texel = 0; texel < chosen.size(); ++texel) {
        for (std::size_t i = 0; chosen[texel] && i < mean.size(); ++i) {
            mean[i] += maps.texel(texel)[i];
        }
    }
    for (double& each : mean) {
        each /= std::max(texels, 1.0);
    }
    return mean;
}

TexelMoments texel_moments(const TexelView& maps, const std::vector<bool>& chosen) {
    const std::size_t count = maps.shape.channels;
    TexelMoments out{mean_of(maps, chosen), Matrix(count, count)};
    const auto texels = static_cast<double>(std::ranges::count(chosen, true));
    Vector off(count);
    for (std::size_t texel = 0; texel < chosen.size(); ++texel) {
        if (!chosen[texel]) {
            continue;
        }
        for (std::size_t i = 0; i < count; ++i) {
            off[i] = maps.texel(texel)[i] - out.mean[i];
        }
        for (std::size_t i = 0; i < count; ++i) {
            for (std::size_t j = 0; j < count; ++j) {
                out.covariance(i, j) += off[i] * off[j];
            }
        }
    }
    for (double& each : out.covariance.values) {
        each /= std::max(texels, 1.0);
    }
    return out;
}

Matrix mean_inverse(const TexelView& blocks, const Matrix& prior, const std::vector<bool>& chosen,
                    core::ThreadPool* pool) {
    const auto size = static_cast<Index>(prior.rows);
    const auto texels = static_cast<double>(std::ranges::count(chosen, true));
    const DenseMatrix sum = with_small(prior.rows, [&]<int Most>() {
        const SmallMatrix<Most> own = view(prior);
        const SmallMatrix<Most> unit = SmallMatrix<Most>::Identity(size, size);
        return sum_matrices(texels_of(blocks), size, size, pool,
                            [&](std::size_t texel, DenseMatrix& total) {
                                if (chosen[texel]) {
                                    total += factored<Most>(blocks, texel, own).solve(unit);
                                }
                            });
    });
    return to_matrix(sum / std::max(texels, 1.0));
}

TexelImage inverse_diagonals(const TexelView& blocks, const Matrix& prior, core::ThreadPool* pool) {
    const auto size = static_cast<Index>(prior.rows);
    TexelImage out(
        {.height = blocks.shape.height, .width = blocks.shape.width, .channels = prior.rows});
    with_small(prior.rows, [&]<int Most>() {
        const SmallMatrix<Most> own = view(prior);
        const SmallMatrix<Most> unit = SmallMatrix<Most>::Identity(size, size);
        const std::size_t texels = texels_of(blocks);
        run_parts(pool, texels, texel_parts(texels),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                      for (std::size_t texel = first; texel < last; ++texel) {
                          const SmallMatrix<Most> inverse =
                              factored<Most>(blocks, texel, own).solve(unit);
                          Eigen::Map<DenseVector>(out.values.data() + texel * prior.rows, size) =
                              inverse.diagonal();
                      }
                  });
    });
    return out;
}

TexelImage solutions(const TexelView& blocks, const Matrix& prior, const TexelView& right,
                     core::ThreadPool* pool) {
    const auto size = static_cast<Index>(prior.rows);
    TexelImage out(right.shape);
    with_small(prior.rows, [&]<int Most>() {
        const SmallMatrix<Most> own = view(prior);
        const std::size_t texels = texels_of(blocks);
        run_parts(pool, texels, texel_parts(texels),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                      for (std::size_t texel = first; texel < last; ++texel) {
                          const Eigen::Map<const DenseVector> side(right.texel(texel).data(), size);
                          Eigen::Map<DenseVector>(out.values.data() + texel * prior.rows, size) =
                              factored<Most>(blocks, texel, own).solve(side);
                      }
                  });
    });
    return out;
}

Matrix products_of(const TexelView& blocks, const Matrix& prior,
                   const std::vector<TexelImage>& images, core::ThreadPool* pool) {
    const auto size = static_cast<Index>(prior.rows);
    const auto count = static_cast<Index>(images.size());
    const Index left = std::max<Index>(count - 1, 0);
    const DenseMatrix sum = with_small(prior.rows, [&]<int Most>() {
        const SmallMatrix<Most> own = view(prior);
        return sum_matrices(
            texels_of(blocks), left, count, pool, [&](std::size_t texel, DenseMatrix& total) {
                DenseMatrix numbers(size, count);
                for (Index k = 0; k < count; ++k) {
                    const TexelView image = images[static_cast<std::size_t>(k)];
                    numbers.col(k) = view(image.texel(texel));
                }
                const DenseMatrix solved =
                    factored<Most>(blocks, texel, own).solve(numbers.leftCols(left));
                total.noalias() += solved.transpose() * numbers;
            });
    });
    return to_matrix(sum);
}

} // namespace weft::fit
