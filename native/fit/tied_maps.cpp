// SPDX-License-Identifier: Apache-2.0
#include "fit/tied_maps.hpp"

#include "fit/dense.hpp"
#include "fit/quantiles.hpp"
#include "fit/texel_blocks.hpp"
#include "fit/texel_sums.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

namespace weft::fit {

namespace {

constexpr std::size_t kMostBlocks = 8; ///< iterations that curvature is averaged over
/// Of blocks with unit diagonal: what noise leaves of two alike maps.
constexpr double kLeastEigenvalue = 0.02;
constexpr double kStartDeviation = 0.1; ///< of a texel, of the range, before anything is learned
constexpr double kLeastVariance = 1e-4; ///< of residuals
constexpr double kInformedShare =
    0.1;                            ///< of the median curvature: texels that the prior learns from
constexpr double kLossShare = 0.25; ///< that the last iteration's loss has in their mean
constexpr std::size_t kKeptBlurs = 2; ///< blurs of an iteration
constexpr double kBlockBlur = 1;      ///< texels, at least

} // namespace

TiedMaps::TiedMaps(MapGroup group, const TexelView& maps)
    : m_group(std::move(group)), m_low(m_group.low()), m_high(m_group.high()),
      m_range(m_low.size()), m_covariance(m_low.size(), m_low.size()) {
    const ImageShape& shape = m_group.shape();
    require_shape("TiedMaps", "maps", maps, shape);
    const std::vector<bool> all(shape.height * shape.width, true);
    const TexelMoments found = texel_moments(maps, all);
    m_mean = found.mean;
    m_covariance = found.covariance;
    for (std::size_t i = 0; i < m_range.size(); ++i) {
        m_range[i] = m_high[i] - m_low[i];
        m_covariance(i, i) += std::pow(kStartDeviation * m_range[i], 2);
    }
    m_blocks = TexelImage({.height = shape.height,
                           .width = shape.width,
                           .channels = shape.channels * shape.channels});
    m_views.assign(all.size(), 1.0);
}

void TiedMaps::forget_views() {
    std::ranges::fill(m_views, 0.0);
}

void TiedMaps::add_view(std::span<const float> answers) {
    const TexelImage sums = m_group.gather_sums(answers);
    std::vector<double> told(m_views.size());
    for (std::size_t i = 0; i < sums.values.size(); ++i) {
        told[i / sums.shape.channels] += sums.values[i];
    }
    const std::vector<bool> known = find_known(told);
    for (std::size_t texel = 0; texel < known.size(); ++texel) {
        m_views[texel] += known[texel] ? 1.0 : 0.0;
    }
}

void TiedMaps::expect(double loss, double left) {
    m_loss = m_loss.has_value() ? *m_loss + (loss - *m_loss) * kLossShare : loss;
    m_variance = std::max(*m_loss, kLeastVariance) + left;
}

void TiedMaps::add_blocks(const TexelView& blocks) {
    require_shape("TiedMaps::add_blocks", "blocks", blocks, m_blocks.shape);
    const std::size_t count = m_mean.size();
    TexelImage sizes({.height = blocks.shape.height, .width = blocks.shape.width, .channels = 1});
    for (std::size_t texel = 0; texel < sizes.values.size(); ++texel) {
        for (std::size_t i = 0; i < count; ++i) {
            sizes.values[texel] =
                std::max(sizes.values[texel], std::abs(blocks.texel(texel)[i * (count + 1)]));
        }
    }
    const TexelImage factors = taming_factors(sizes);
    m_count = std::min(m_count + 1, kMostBlocks);
    const auto iterations = static_cast<double>(m_count);
    for (std::size_t texel = 0; texel < factors.values.size(); ++texel) {
        const std::span<const double> own = blocks.texel(texel);
        double* mean = m_blocks.values.data() + texel * own.size();
        for (std::size_t i = 0; i < own.size(); ++i) {
            mean[i] += (own[i] * factors.values[texel] - mean[i]) / iterations;
        }
    }
    m_lifted.clear();
}

std::vector<bool> TiedMaps::informed() const {
    const TexelImage diagonal = diagonals(m_blocks);
    std::vector<double> told(m_views.size());
    for (std::size_t i = 0; i < diagonal.values.size(); ++i) {
        told[i / diagonal.shape.channels] += diagonal.values[i];
    }
    std::vector<double> some;
    std::ranges::copy_if(told, std::back_inserter(some), [](double value) { return value > 0; });
    const double least = some.empty() ? std::numeric_limits<double>::infinity()
                                      : kInformedShare * median(std::move(some));
    std::vector<bool> out(told.size());
    std::transform(told.begin(), told.end(), out.begin(),
                   [least](double value) { return value > least; });
    return out;
}

Matrix TiedMaps::pull() const {
    return to_matrix(2 * m_variance * DenseMatrix(view(m_covariance).inverse()));
}

const TexelImage& TiedMaps::lifted(double blur, core::ThreadPool* pool) {
    const double sigma = std::max(blur, kBlockBlur);
    const auto kept = std::ranges::find(m_lifted, sigma, &std::pair<double, TexelImage>::first);
    if (kept != m_lifted.end()) {
        return kept->second;
    }
    if (m_lifted.size() == kKeptBlurs) { // each of the first iterations has a blur of its own
        m_lifted.clear();
    }
    m_lifted.emplace_back(
        sigma, positive_blocks(blurred_by(m_blocks, sigma, pool), kLeastEigenvalue, pool));
    return m_lifted.back().second;
}

TexelImage TiedMaps::precision(double blur) {
    const auto pool = pool_for(m_blocks);
    TexelImage out = lifted(blur, pool.get());
    const Matrix prior = pull();
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        out.values[i] += prior.values[i % prior.values.size()];
    }
    return out;
}

Matrix TiedMaps::products(std::span<const std::span<const float>> rows, double blur) {
    const auto pool = pool_for(m_blocks);
    std::vector<TexelImage> maps;
    for (const std::span<const float> row : rows) {
        maps.push_back(blurred_by(m_group.gather_sums(row), blur, pool.get()));
    }
    return products_of(lifted(blur, pool.get()), pull(), maps, pool.get());
}

MapUncertainty TiedMaps::uncertainty(const TexelView& maps, double variance, double sharing) const {
    require_shape("TiedMaps::uncertainty", "maps", maps, m_group.shape());
    const auto pool = pool_for(m_blocks);
    TexelImage told = blurred_by(m_blocks, kBlockBlur, pool.get());
    const double divisor = 2 * sharing * std::max(variance, kLeastVariance);
    for (double& value : told.values) {
        value /= divisor;
    }
    TexelImage off(maps.shape);
    for (std::size_t i = 0; i < off.values.size(); ++i) {
        const std::size_t channel = i % m_low.size();
        off.values[i] = maps.values[i] - (m_low[channel] + m_high[channel]) / 2;
    }
    return find_uncertainty({.blocks = told,
                             .covariance = m_covariance,
                             .informed = informed(),
                             .off_center = off,
                             .extent = m_range,
                             .sharing = sharing,
                             .views = m_views},
                            pool.get());
}

SavedArrays TiedMaps::save() const {
    const std::size_t count = m_mean.size();
    const ImageShape& shape = m_blocks.shape;
    SavedArrays out;
    out.add("mean", m_mean);
    out.arrays["covariance"] = {{count, count}, m_covariance.values};
    out.arrays["blocks"] = {{shape.height, shape.width, count, count}, m_blocks.values};
    out.arrays["views"] = {{shape.height, shape.width}, m_views};
    const double loss = m_loss.value_or(std::numeric_limits<double>::quiet_NaN());
    out.add("numbers", {m_variance, static_cast<double>(m_count), loss});
    return out;
}

void TiedMaps::restore(const SavedArrays& saved) {
    const std::size_t count = m_mean.size();
    Vector mean = saved.doubles("mean", count);
    Vector covariance = saved.doubles("covariance", count * count);
    Vector blocks = saved.doubles("blocks", m_blocks.values.size());
    Vector views = saved.doubles("views", m_views.size());
    const Vector numbers = saved.doubles("numbers", 3);
    m_mean = std::move(mean);
    m_covariance.values = std::move(covariance);
    m_blocks.values = std::move(blocks);
    m_views = std::move(views);
    m_variance = numbers[0];
    m_count = static_cast<std::size_t>(numbers[1]);
    m_loss = std::isnan(numbers[2]) ? std::nullopt : std::optional(numbers[2]);
    m_lifted.clear();
}

} // namespace weft::fit
