// SPDX-License-Identifier: Apache-2.0
#include "fit/quadratic.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/dense.hpp"
#include "fit/information.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

using Eigen::Index;

constexpr int kMaxRounds = 50;             ///< of the search for the active bounds
constexpr double kArmijoFraction = 1e-4;   ///< of the decrease that the gradient promises
constexpr double kShortestStep = 1e-6;     ///< of a Newton step
constexpr double kGradientFraction = 1e-9; ///< of the first gradient, that counts as none
constexpr double kMinDiagonal = 1e-10;     ///< of the largest diagonal entry

void require_sizes(const char* function, const Matrix& matrix, std::size_t count,
                   std::size_t other) {
    if (matrix.rows != count || matrix.columns != count || other != count) {
        throw core::ArgumentError(core::text(function, ": a gradient of ", count,
                                             " parameters needs a square matrix and vectors of ",
                                             "this size, got ", matrix.rows, " x ", matrix.columns,
                                             " and ", other));
    }
}

/// H, g and bounds of box_step().
class BoxProblem {
public:
    BoxProblem(const Matrix& matrix, std::span<const double> gradient, std::span<const double> low,
               std::span<const double> high)
        : m_matrix(view(matrix)), m_gradient(view(gradient)), m_low(view(low)), m_high(view(high)) {
    }

    DenseVector solve() const {
        DenseVector step = DenseVector::Zero(m_gradient.size());
        for (int round = 0; round < kMaxRounds; ++round) {
            const DenseVector derivative = m_gradient + m_matrix * step;
            const std::vector<Index> free = free_parameters(step, derivative);
            if (is_optimal(free, derivative)) {
                break;
            }
            const DenseVector newton = newton_step(free, derivative);
            double length = 1;
            DenseVector candidate;
            while (true) {
                candidate = (step + length * newton).cwiseMax(m_low).cwiseMin(m_high);
                const double promised = kArmijoFraction * derivative.dot(candidate - step);
                if (loss(candidate) <= loss(step) + promised) {
                    break;
                }
                length /= 2;
                if (length < kShortestStep) {
                    return step;
                }
            }
            step = candidate;
        }
        return step;
    }

private:
    double loss(const DenseVector& step) const {
        return m_gradient.dot(step) + step.dot(m_matrix * step) / 2;
    }

    /// Those that the way down does not lead out of the bounds.
    std::vector<Index> free_parameters(const DenseVector& step,
                                       const DenseVector& derivative) const {
        std::vector<Index> free;
        for (Index i = 0; i < step.size(); ++i) {
            const bool is_held = (step[i] <= m_low[i] && derivative[i] > 0) ||
                                 (step[i] >= m_high[i] && derivative[i] < 0);
            if (!is_held) {
                free.push_back(i);
            }
        }
        return free;
    }

    bool is_optimal(const std::vector<Index>& free, const DenseVector& derivative) const {
        double largest = 0;
        for (const Index i : free) {
            largest = std::max(largest, std::abs(derivative[i]));
        }
        return free.empty() || largest <= kGradientFraction * m_gradient.cwiseAbs().maxCoeff();
    }

    DenseVector newton_step(const std::vector<Index>& free, const DenseVector& derivative) const {
        const DenseMatrix own = m_matrix(free, free);
        const DenseVector right = -derivative(free);
        DenseVector step = DenseVector::Zero(derivative.size());
        const DenseVector solved = own.partialPivLu().solve(right);
        step(free) = solved;
        return step;
    }

    Eigen::Map<const DenseMatrix> m_matrix;
    Eigen::Map<const DenseVector> m_gradient;
    Eigen::Map<const DenseVector> m_low;
    Eigen::Map<const DenseVector> m_high;
};

/// The smallest d with (H + diag(damping)) d = -g on a scale; what is not above `cutoff` there is left out.
Vector solve_on_scale(const Matrix& matrix, std::span<const double> gradient,
                      const DenseVector& damping, const DenseVector& scale, double cutoff) {
    DenseMatrix scaled = on_scale(matrix, scale);
    scaled.diagonal() += damping.cwiseQuotient(scale.cwiseAbs2());
    if (!scaled.allFinite() || !view(gradient).allFinite()) {
        throw core::ArgumentError("damped_step: the matrix, the gradient and the damping must be "
                                  "finite; look for what is not in the derivatives");
    }
    const EigenSystem system = solve_eigen_system(scaled);
    DenseVector along = system.vectors.transpose() * view(gradient).cwiseQuotient(scale);
    for (Index j = 0; j < along.size(); ++j) {
        along[j] = system.values[j] > cutoff ? -along[j] / system.values[j] : 0.0;
    }
    return to_vector((system.vectors * along).cwiseQuotient(scale));
}

/// The largest singular value.
double spectral_norm(const DenseMatrix& matrix) {
    const EigenSystem system = solve_eigen_system(matrix.transpose() * matrix);
    return std::sqrt(std::max(system.values.maxCoeff(), 0.0));
}

} // namespace

Vector Quadratic::step(std::span<const double> low, std::span<const double> high) const {
    require_sizes("Quadratic::step", matrix, gradient.size(), low.size());
    require_sizes("Quadratic::step", matrix, gradient.size(), high.size());
    const DenseVector factors = view(scale);
    const Vector scaled_low = to_vector(view(low).cwiseProduct(factors));
    const Vector scaled_high = to_vector(view(high).cwiseProduct(factors));
    const Vector scaled = box_step(matrix, gradient, scaled_low, scaled_high);
    return to_vector(view(scaled).cwiseQuotient(factors));
}

Quadratic safe_quadratic(const NormalEquations& equations, double caution) {
    const Index count = view(equations.gradient).size();
    if (count == 0) {
        return {};
    }
    DenseVector scale(count);
    for (Index i = 0; i < count; ++i) {
        const double spread = equations.spread[static_cast<std::size_t>(i)];
        scale[i] = spread > 0 ? std::sqrt(spread) : 1.0;
    }
    EigenSystem system = solve_eigen_system(on_scale(equations.matrix, scale));
    const DenseMatrix skew = on_scale(equations.skew, scale);
    const DenseVector own = view(equations.diagonal_noise).cwiseQuotient(scale.cwiseAbs2());
    const Vector noise = eigenvalue_noise(to_matrix(skew), to_vector(own), to_vector(system.values),
                                          to_matrix(system.vectors));
    // The noise of all directions: a step that is too long costs more than one too short.
    const double common = caution >= kCaution ? spectral_norm(skew) : 0.0;
    const DenseVector floor = view(noise).cwiseMax(common);
    const Eigen::Array<bool, Eigen::Dynamic, 1> is_vague =
        system.values.array() < kVagueDeviations * view(noise).array();
    system.values = system.values.cwiseMax(floor);
    DenseVector along = system.vectors.transpose() * view(equations.gradient).cwiseQuotient(scale);
    const DenseMatrix turned = on_scale(equations.gradient_noise, scale) * system.vectors;
    Vector ratios(static_cast<std::size_t>(count));
    for (Index j = 0; j < count; ++j) {
        const double variance = system.vectors.col(j).dot(turned.col(j));
        const double ratio = along[j] * along[j] / std::max(variance, 1e-30);
        ratios[static_cast<std::size_t>(j)] = ratio;
        const double least = is_vague[j] ? std::max(caution, kCaution) : caution;
        along[j] = ratio > 0 ? along[j] * ratio / (ratio + least) : 0.0;
    }
    const DenseMatrix matrix =
        system.vectors * system.values.asDiagonal() * system.vectors.transpose();
    return {to_matrix(matrix), to_vector(system.vectors * along), std::move(ratios),
            to_vector(scale)};
}

Vector box_step(const Matrix& matrix, std::span<const double> gradient, std::span<const double> low,
                std::span<const double> high) {
    require_sizes("box_step", matrix, gradient.size(), low.size());
    require_sizes("box_step", matrix, gradient.size(), high.size());
    if (gradient.empty()) {
        return {};
    }
    return to_vector(BoxProblem(matrix, gradient, low, high).solve());
}

Vector damped_step(const Matrix& matrix, std::span<const double> gradient,
                   std::span<const double> damping, double cutoff) {
    require_sizes("damped_step", matrix, gradient.size(), damping.size());
    if (gradient.empty()) {
        return {};
    }
    DenseVector scale = view(matrix).diagonal() + view(damping);
    scale = scale.unaryExpr([](double entry) { return entry > 0 ? std::sqrt(entry) : 1.0; });
    return solve_on_scale(matrix, gradient, view(damping), scale, cutoff);
}

Vector damped_step(const NormalEquations& equations, double damping) {
    const DenseVector diagonal = view(equations.matrix).diagonal();
    const double largest = diagonal.size() == 0 ? 0.0 : diagonal.maxCoeff();
    if (largest <= 0) {
        return Vector(equations.gradient.size());
    }
    const DenseVector raised = diagonal.cwiseMax(kMinDiagonal * largest);
    const DenseVector scale = ((1 + damping) * raised).cwiseSqrt();
    return solve_on_scale(equations.matrix, equations.gradient, damping * raised, scale,
                          (kRounding + damping) / (1 + damping));
}

} // namespace weft::fit
