// SPDX-License-Identifier: Apache-2.0
#include "fit/dense.hpp"
#include "fit/guided.hpp"
#include "fit/small_matrix.hpp"
#include "fit/texel_blocks.hpp"
#include "fit/texel_sums.hpp"
#include "fit/tied_maps.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <utility>

namespace weft::fit {

namespace {

using Eigen::Index;

constexpr double kLeastDeviation = 0.003; ///< of the range
constexpr double kLargestStep = 0.2;      ///< of the range
constexpr double kToldSum = 0.005;        ///< eigenvalue of all blocks together, with unit diagonal
constexpr double kRidge = 0.03; ///< on those eigenvalues: one iteration tells the small ones badly
constexpr std::size_t kBends = 3; ///< directions in which texels differ most, along which all move
constexpr double kFarthest = 3;   ///< deviations along them that count
constexpr double kEdge = 0.05;    ///< differences of neighbours below it count by their square

// Of the schedule.
constexpr double kWidestBlur = 4;  ///< texels, that first steps are averaged over
constexpr double kLeastBlur = 0.5; ///< texels
constexpr double kBlurredPart = 0.6;
constexpr double kFirstRate = 0.6;
constexpr double kRateRatio = 0.25;     ///< of the last rate to the first
constexpr double kAlike = 2.0 / 3;      ///< of the rate: share of the step of all texels alike
constexpr double kGuidedFrom = 0.25;    ///< share of the iterations
constexpr std::size_t kGuidedEvery = 3; ///< iterations

double clip(double value, double low, double high) {
    return std::min(std::max(value, low), high);
}

/// 1, and where texels are along the directions in which they differ most: of deviation 1.
class Directions {
public:
    Directions(const Matrix& covariance, const Vector& mean, std::size_t bends)
        : m_mean(view(mean)) {
        const EigenSystem system = solve_eigen_system(view(covariance));
        const Index count = std::min(static_cast<Index>(bends), system.values.size());
        m_basis = system.vectors.rightCols(count) *
                  system.values.tail(count).cwiseSqrt().cwiseInverse().asDiagonal();
    }

    Index count() const { return m_basis.cols() + 1; }

    /// @param out count() numbers.
    void weigh(std::span<const double> texel, double* out) const {
        out[0] = 1;
        for (Index k = 0; k < m_basis.cols(); ++k) {
            double sum = 0;
            for (Index i = 0; i < m_basis.rows(); ++i) {
                sum += (texel[static_cast<std::size_t>(i)] - m_mean[i]) * m_basis(i, k);
            }
            out[k + 1] = clip(sum, -kFarthest, kFarthest);
        }
    }

private:
    DenseVector m_mean;
    DenseMatrix m_basis;
};

/// Matrix and derivative of the step of all texels by few numbers: sums over texels, the derivative the last column.
DenseMatrix common_equations(const TexelView& maps, const TexelView& blocks,
                             const TexelView& gradient, const Directions& directions,
                             core::ThreadPool* pool) {
    const auto numbers = static_cast<Index>(maps.shape.channels);
    const Index count = directions.count();
    const Index size = count * numbers;
    DenseMatrix sums =
        sum_matrices(maps.shape.height * maps.shape.width, size, size + 1, pool,
                     [&](std::size_t texel, DenseMatrix& sum) {
                         std::array<double, kBends + 1> weights{};
                         directions.weigh(maps.texel(texel), weights.data());
                         const double* block = blocks.texel(texel).data();
                         const double* slope = gradient.texel(texel).data();
                         for (Index a = 0; a < count; ++a) {
                             const double own = weights[static_cast<std::size_t>(a)];
                             for (Index i = 0; i < numbers; ++i) {
                                 double* row = sum.data() + (a * numbers + i) * (size + 1);
                                 row[size] += own * slope[i];
                                 for (Index b = 0; b <= a; ++b) {
                                     const double both = own * weights[static_cast<std::size_t>(b)];
                                     for (Index j = 0; j < numbers; ++j) {
                                         row[b * numbers + j] += both * block[i * numbers + j];
                                     }
                                 }
                             }
                         }
                     });
    return sums;
}

/// What solves the equations, without directions that the pictures do not tell: in an iteration with a firefly,
/// eigenvalues may be negative.
DenseVector told_solution(const DenseMatrix& sums) {
    const Index size = sums.rows();
    const DenseMatrix matrix = sums.leftCols(size);
    const double largest = std::max(matrix.diagonal().maxCoeff(), 0.0);
    DenseVector scale(size);
    for (Index i = 0; i < size; ++i) {
        scale[i] = matrix(i, i) > kToldSum * largest ? 1 / std::sqrt(matrix(i, i)) : 0.0;
    }
    const EigenSystem system = solve_eigen_system(scale.asDiagonal() * matrix * scale.asDiagonal());
    DenseVector along = system.vectors.transpose() * sums.col(size).cwiseProduct(scale);
    for (Index i = 0; i < size; ++i) {
        along[i] = system.values[i] > kToldSum ? along[i] / (system.values[i] + kRidge) : 0.0;
    }
    return (system.vectors * along).cwiseProduct(scale);
}

} // namespace

TiedSchedule tied_schedule(std::size_t iteration, std::size_t iterations) {
    const std::size_t first = std::min<std::size_t>(8, iterations / 6);
    if (iteration < first) {
        return {.shift = iteration < 3 ? 1.0 : 0.6, .is_first = true};
    }
    const double done = static_cast<double>(iteration - first) /
                        static_cast<double>(std::max<std::size_t>(iterations - first, 1));
    const double blur = kWidestBlur * std::max(1 - done / kBlurredPart, 0.0);
    const double rate = kFirstRate * std::pow(kRateRatio, done);
    return {.blur = blur > kLeastBlur ? blur : 0.0,
            .rate = rate,
            .noise = rate / (2 - rate),
            .shift = kAlike * rate,
            .is_first = false,
            .is_guided = done > kGuidedFrom && iteration % kGuidedEvery == 0};
}

TexelImage TiedMaps::move(const TexelView& maps, const TexelView& gradient,
                          const TexelView& variation, const TiedSchedule& schedule) {
    require_shape("TiedMaps::move", "maps", maps, m_group.shape());
    require_shape("TiedMaps::move", "the gradient", gradient, m_group.shape());
    require_shape("TiedMaps::move", "the variation", variation, m_group.shape());
    const auto pool = pool_for(m_blocks);
    TexelImage tamed(gradient.shape);
    std::ranges::transform(gradient.values, tamed.values.begin(),
                           [](double value) { return std::abs(value); });
    const TexelImage factors = taming_factors(tamed);
    for (std::size_t i = 0; i < tamed.values.size(); ++i) {
        tamed.values[i] = gradient.values[i] * factors.values[i];
    }
    if (schedule.is_first) {
        TexelImage moved(maps.shape);
        std::ranges::copy(maps.values, moved.values.begin());
        shift(maps, tamed, schedule.shift, 0, moved, pool.get());
        return moved;
    }
    TexelImage moved = stepped(maps, tamed, variation, schedule, pool.get());
    shift(maps, tamed, schedule.shift, kBends, moved, pool.get());
    if (schedule.is_guided) {
        follow(moved, pool.get());
    }
    learn(moved, schedule.blur, pool.get());
    return moved;
}

void TiedMaps::step(std::span<const float> gradient, std::span<float> texels,
                    const TiedSchedule& schedule) {
    const TexelImage maps = m_group.gather(texels);
    const TexelImage derivatives = m_group.gather_sums(gradient);
    m_group.scatter(move(maps, derivatives, variation_derivative(maps, kEdge), schedule), texels);
}

TexelImage TiedMaps::stepped(const TexelView& maps, const TexelView& gradient,
                             const TexelView& variation, const TiedSchedule& schedule,
                             core::ThreadPool* pool) {
    const std::size_t count = m_mean.size();
    Vector smoothness;
    for (const MapRegion& region : m_group.regions()) {
        smoothness.push_back(region.smoothness);
    }
    Vector prior = m_group.each(smoothness);
    const Vector typical = mean_of(diagonals(m_blocks), informed());
    Matrix own = pull();
    const Matrix towards = own;
    for (std::size_t i = 0; i < count; ++i) {
        prior[i] *= std::max(typical[i], 0.0);
        own(i, i) += 4 * prior[i];
    }
    TexelImage derivative = blurred_by(gradient, schedule.blur, pool);
    for (std::size_t texel = 0; texel < derivative.values.size(); texel += count) {
        for (std::size_t i = 0; i < count; ++i) {
            double& sum = derivative.values[texel + i];
            sum += prior[i] * kEdge * variation.values[texel + i];
            for (std::size_t j = 0; j < count; ++j) {
                sum += towards(i, j) * (maps.values[texel + j] - m_mean[j]);
            }
        }
    }
    TexelImage moved = solutions(lifted(schedule.blur, pool), own, derivative, pool);
    for (std::size_t at = 0; at < moved.values.size(); ++at) {
        const std::size_t i = at % count;
        const double largest = kLargestStep * m_range[i];
        const double by = schedule.rate * clip(-moved.values[at], -largest, largest);
        moved.values[at] = clip(maps.values[at] + by, m_low[i], m_high[i]);
    }
    return moved;
}

void TiedMaps::shift(const TexelView& maps, const TexelView& gradient, double share,
                     std::size_t bends, TexelImage& moved, core::ThreadPool* pool) {
    const Directions directions(m_covariance, m_mean, bends);
    const DenseVector found =
        told_solution(common_equations(maps, m_blocks, gradient, directions, pool));
    const std::size_t numbers = m_mean.size();
    Vector steps(static_cast<std::size_t>(found.size()));
    double farthest = 1e-30;
    for (std::size_t k = 0; k < steps.size(); ++k) {
        steps[k] = -share * found[static_cast<Index>(k)];
        const double largest = kLargestStep * m_range[k % numbers] * (share > 0.5 ? 1.0 : 0.25);
        farthest = std::max(farthest, std::abs(steps[k]) / largest);
    }
    for (double& each : steps) {
        each *= std::min(1.0, 1 / farthest);
    }
    for (std::size_t texel = 0; texel < maps.shape.height * maps.shape.width; ++texel) {
        std::array<double, kBends + 1> weights{};
        directions.weigh(maps.texel(texel), weights.data());
        for (std::size_t i = 0; i < numbers; ++i) {
            double& own = moved.values[texel * numbers + i];
            for (std::size_t k = 0; k * numbers < steps.size(); ++k) {
                own += weights[k] * steps[k * numbers + i];
            }
            own = clip(own, m_low[i], m_high[i]);
        }
    }
    for (std::size_t i = 0; i < numbers; ++i) {
        m_mean[i] = clip(m_mean[i] + steps[i], m_low[i], m_high[i]);
    }
}

void TiedMaps::follow(TexelImage& maps, core::ThreadPool* pool) {
    const std::size_t count = m_mean.size();
    std::vector<std::size_t> own;
    for (std::size_t number = 0; number < m_group.regions().size(); ++number) {
        const MapRegion& region = m_group.regions()[number];
        for (std::size_t i = 0; is_shape(region.name) && i < region.shape.channels; ++i) {
            own.push_back(m_group.first_channel(number) + i);
        }
    }
    if (own.empty() || own.size() == count) {
        return;
    }
    TexelImage variances = inverse_diagonals(lifted(0, pool), pull(), pool);
    TexelImage units(maps.shape);
    for (std::size_t at = 0; at < units.values.size(); ++at) {
        const std::size_t i = at % count;
        variances.values[at] *= 2 * m_variance / (m_range[i] * m_range[i]);
        units.values[at] = (maps.values[at] - m_low[i]) / m_range[i];
    }
    const TexelImage led = follow_guides(units, informed(), variances, own, pool);
    for (std::size_t at = 0; at < units.values.size(); ++at) {
        const std::size_t i = at % count;
        maps.values[at] = clip(m_low[i] + led.values[at] * m_range[i], m_low[i], m_high[i]);
    }
}

void TiedMaps::learn(const TexelView& maps, double blur, core::ThreadPool* pool) {
    const std::vector<bool> chosen = informed();
    if (std::ranges::find(chosen, true) == chosen.end()) {
        return;
    }
    const Matrix unknown = mean_inverse(lifted(blur, pool), pull(), chosen, pool);
    const TexelMoments found = texel_moments(maps, chosen);
    m_mean = found.mean;
    m_covariance = found.covariance;
    for (std::size_t i = 0; i < m_covariance.values.size(); ++i) {
        m_covariance.values[i] += 2 * m_variance * unknown.values[i];
    }
    for (std::size_t i = 0; i < m_mean.size(); ++i) {
        m_covariance(i, i) += std::pow(kLeastDeviation * m_range[i], 2);
    }
}

} // namespace weft::fit
