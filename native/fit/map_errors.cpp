// SPDX-License-Identifier: Apache-2.0
#include "fit/map_errors.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/observation.hpp"
#include "fit/quantiles.hpp"
#include "fit/run_parts.hpp"
#include "fit/small_matrix.hpp"
#include "fit/texel_blocks.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace weft::fit {

namespace {

using Eigen::Index;

constexpr double kWideSquared = 1.0 / 12; ///< of the range: variance where nothing is known
constexpr double kOwnTexels = 10;         ///< that the widest prior weighs as much as
/// Eigenvalues of blocks with unit diagonal below it are noise of draws.
constexpr double kMinEigenvalue = 0.1;
/// Of the median curvature: below it a number of a texel is not told.
constexpr double kTelling = 1e-3;
constexpr double kLeastValue = 1e-12;

std::size_t texels_of(const TexelView& image) {
    return image.shape.height * image.shape.width;
}

/// Diagonal entries above it are told.
double least_told(const TexelView& blocks, std::size_t count) {
    std::vector<double> some;
    for (std::size_t texel = 0; texel < texels_of(blocks); ++texel) {
        for (std::size_t i = 0; i < count; ++i) {
            const double entry = blocks.texel(texel)[i * (count + 1)];
            if (entry > 0) {
                some.push_back(entry);
            }
        }
    }
    return some.empty() ? std::numeric_limits<double>::infinity()
                        : kTelling * median(std::move(some));
}

/// What a block tells for certain.
template <int Most>
void keep_told(const double* block, std::size_t count, double least, double most, double* out) {
    const auto own = block_view(block, count);
    const auto size = static_cast<Index>(count);
    SmallVector<Most> scale(size);
    SmallVector<Most> inverse(size); // 0: not told
    for (Index i = 0; i < size; ++i) {
        const bool is_told = own(i, i) > least;
        scale[i] = is_told ? std::sqrt(own(i, i)) : 1.0;
        inverse[i] = is_told ? 1 / scale[i] : 0.0;
    }
    const SmallMatrix<Most> matrix = inverse.asDiagonal() * own * inverse.asDiagonal();
    const auto solver = eigen_of<Most>(matrix);
    SmallVector<Most> values = solver.eigenvalues();
    for (Index i = 0; i < size; ++i) {
        const auto rank = static_cast<double>(size - 1 - i);
        values[i] = values[i] < kMinEigenvalue || rank >= most ? 0.0 : values[i];
    }
    const SmallMatrix<Most> vectors = scale.asDiagonal() * solver.eigenvectors();
    Eigen::Map<DenseMatrix>(out, size, size).noalias() =
        vectors * values.asDiagonal() * vectors.transpose();
}

/// How much of each direction of `root` the pictures tell, the mean over informed texels.
DenseMatrix resolved_by(const TexelView& told, const std::vector<bool>& informed,
                        const DenseMatrix& root, core::ThreadPool* pool) {
    const auto count = static_cast<std::size_t>(root.rows());
    return with_small(count, [&]<int Most>() {
        const SmallMatrix<Most> turn = root;
        const SmallMatrix<Most> unit = SmallMatrix<Most>::Identity(root.rows(), root.rows());
        return sum_matrices(texels_of(told), root.rows(), root.rows(), pool,
                            [&](std::size_t texel, DenseMatrix& sum) {
                                if (informed[texel]) {
                                    const SmallMatrix<Most> gain =
                                        turn.transpose() *
                                        block_view(told.texel(texel).data(), count) * turn;
                                    const SmallMatrix<Most> total = unit + gain;
                                    sum += Eigen::LLT<SmallMatrix<Most>>(total).solve(gain);
                                }
                            });
    });
}

/// A learned covariance, as wide as the range along what few texels tell.
DenseMatrix widened(const MapEvidence& evidence, const TexelView& told, core::ThreadPool* pool) {
    const EigenSystem learned = solve_eigen_system(view(evidence.covariance));
    const DenseMatrix root =
        learned.vectors * learned.values.cwiseMax(kLeastValue).cwiseSqrt().asDiagonal();
    const auto texels = static_cast<double>(std::ranges::count(evidence.informed, true));
    const DenseMatrix resolved = resolved_by(told, evidence.informed, root, pool) / texels;
    const EigenSystem shares = solve_eigen_system((resolved + resolved.transpose()) / 2);
    const DenseMatrix basis = root * shares.vectors; // covariance = basis basis'
    const DenseMatrix back = basis.inverse();
    const DenseVector range = view(evidence.extent).cwiseAbs2() * kWideSquared;
    const DenseVector wide = (back * range.asDiagonal() * back.transpose()).diagonal();
    const DenseVector count = shares.values.cwiseMax(0.0) * (texels / evidence.sharing);
    const DenseVector spread = (count + kOwnTexels * wide)
                                   .cwiseQuotient((count.array() + kOwnTexels).matrix())
                                   .cwiseMax(1.0);
    return basis * spread.asDiagonal() * basis.transpose();
}

/// Covariances of each texel's numbers by its own pixels and the prior.
TexelImage own_covariances(const TexelView& told, const DenseMatrix& inverse,
                           core::ThreadPool* pool) {
    const auto count = static_cast<std::size_t>(inverse.rows());
    TexelImage out(told.shape);
    with_small(count, [&]<int Most>() {
        const SmallMatrix<Most> prior = inverse;
        const SmallMatrix<Most> unit = SmallMatrix<Most>::Identity(inverse.rows(), inverse.rows());
        run_parts(pool, texels_of(told), texel_parts(texels_of(told)),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                      for (std::size_t texel = first; texel < last; ++texel) {
                          const SmallMatrix<Most> precision =
                              block_view(told.texel(texel).data(), count) + prior;
                          Eigen::Map<DenseMatrix>(out.values.data() + texel * count * count,
                                                  inverse.rows(), inverse.rows()) =
                              Eigen::LLT<SmallMatrix<Most>>(precision).solve(unit);
                      }
                  });
    });
    return out;
}

/// Adds to `own` what the mean of the prior is not known by; the sum of the sizes of correlations of informed texels.
DenseMatrix add_unknown_mean(TexelImage& own, const DenseMatrix& inverse,
                             const DenseMatrix& unknown, const std::vector<bool>& sampled,
                             core::ThreadPool* pool) {
    const auto count = static_cast<std::size_t>(inverse.rows());
    return with_small(count, [&]<int Most>() {
        const SmallMatrix<Most> prior = inverse;
        const SmallMatrix<Most> mean = unknown;
        return sum_matrices(
            texels_of(own), inverse.rows(), inverse.rows(), pool,
            [&](std::size_t texel, DenseMatrix& sum) {
                Eigen::Map<DenseMatrix> entry(own.values.data() + texel * count * count,
                                              inverse.rows(), inverse.rows());
                const SmallMatrix<Most> pull = entry * prior;
                entry += pull * mean * pull.transpose();
                if (sampled[texel]) {
                    const SmallVector<Most> scale = entry.diagonal().cwiseSqrt().cwiseInverse();
                    sum += (scale.asDiagonal() * entry * scale.asDiagonal()).cwiseAbs();
                }
            });
    });
}

void check(const MapEvidence& evidence, std::size_t count) {
    const ImageShape& shape = evidence.blocks.shape;
    const std::size_t texels = texels_of(evidence.blocks);
    require_shape("find_uncertainty", "off_center", evidence.off_center,
                  {.height = shape.height, .width = shape.width, .channels = count});
    if (evidence.informed.size() != texels || evidence.views.size() != texels ||
        evidence.covariance.rows != count || evidence.covariance.columns != count ||
        evidence.extent.size() != count) {
        throw core::ArgumentError(core::text(
            "find_uncertainty: blocks of ", texels, " texels and ", count,
            " numbers need as many flags, views and extents, got ", evidence.informed.size(), ", ",
            evidence.views.size(), " and ", evidence.extent.size()));
    }
}

/// Standard errors, from variances: no wider than the range, and more where a texel is far from the middle.
TexelImage errors_of(const TexelView& total, const MapEvidence& evidence) {
    TexelImage out = diagonals(total);
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        const double range = evidence.extent[i % evidence.extent.size()];
        const double wide = kWideSquared * range * range;
        const double bounded = std::min(out.values[i], wide);
        const double off = evidence.off_center.values[i];
        out.values[i] = std::sqrt(bounded + bounded / wide * off * off);
    }
    return out;
}

} // namespace

TexelImage told_blocks(const TexelView& blocks, std::span<const double> most,
                       core::ThreadPool* pool) {
    const std::size_t count = block_size("told_blocks", blocks);
    const std::size_t texels = texels_of(blocks);
    if (most.size() != texels) {
        throw core::ArgumentError(core::text("told_blocks: there must be a number of each of ",
                                             texels, " texels, got ", most.size()));
    }
    const double least = least_told(blocks, count);
    TexelImage out(blocks.shape);
    with_small(count, [&]<int Most>() {
        run_parts(pool, texels, texel_parts(texels),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                      for (std::size_t texel = first; texel < last; ++texel) {
                          keep_told<Most>(blocks.texel(texel).data(), count, least, most[texel],
                                          out.values.data() + texel * count * count);
                      }
                  });
    });
    return out;
}

MapUncertainty find_uncertainty(const MapEvidence& evidence, core::ThreadPool* pool) {
    const std::size_t count = block_size("find_uncertainty", evidence.blocks);
    check(evidence, count);
    const auto texels = static_cast<double>(std::ranges::count(evidence.informed, true));
    std::vector<double> most(evidence.views.begin(), evidence.views.end());
    std::ranges::transform(most, most.begin(),
                           [](double views) { return views * static_cast<double>(kChannels); });
    const TexelImage told = told_blocks(evidence.blocks, most, pool);
    const DenseMatrix prior =
        texels > 0 ? widened(evidence, told, pool) : DenseMatrix(view(evidence.covariance));
    const DenseMatrix inverse = prior.inverse();
    TexelImage total = own_covariances(told, inverse, pool);
    // What all texels tell of the mean: each has it with the prior's covariance and its own.
    const DenseMatrix known =
        sum_matrices(texels_of(total), inverse.rows(), inverse.rows(), pool,
                     [&](std::size_t texel, DenseMatrix& sum) {
                         if (evidence.informed[texel]) {
                             sum += block_view(total.values.data() + texel * count * count, count);
                         }
                     });
    const DenseVector wide = view(evidence.extent).cwiseAbs2() * kWideSquared;
    DenseMatrix mean = (texels * inverse - inverse * known * inverse) / evidence.sharing;
    mean.diagonal() += wide.cwiseInverse();
    const std::vector<bool> all(most.size(), true);
    const DenseMatrix sizes = add_unknown_mean(total, inverse, mean.inverse(),
                                               texels > 0 ? evidence.informed : all, pool);
    const double sampled = texels > 0 ? texels : static_cast<double>(most.size());
    return {errors_of(total, evidence), to_matrix(sizes / sampled)};
}

} // namespace weft::fit
