// SPDX-License-Identifier: Apache-2.0
#include "fit/information.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/dense.hpp"
#include "fit/row_passes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace weft::fit {

namespace {

using Eigen::Index;

constexpr double kSilentFraction =
    1e-9; ///< of the largest diagonal entry: the residuals do not depend on it
constexpr double kLostSquare = 0.01; ///< of a parameter's part in directions that are lost

/// The eigenvalues of H with a unit diagonal, and which of them count.
struct Spectrum {
    std::vector<bool> is_known; ///< of each parameter: residuals depend on it
    DenseVector scale;          ///< of each parameter; 1 where residuals do not depend on it
    EigenSystem system;
    DenseVector inverses; ///< of the eigenvalues; 0: vague
    std::vector<Index> lost;
    std::vector<Index> vague;
};

Vector noise_of_known(const NormalEquations& equations, const std::vector<bool>& is_known,
                      const DenseVector& scales) {
    Vector own(static_cast<std::size_t>(scales.size()));
    for (std::size_t i = 0; i < own.size(); ++i) {
        const double scale = scales[static_cast<Index>(i)];
        own[i] = is_known[i] ? equations.diagonal_noise[i] / (scale * scale) : 0.0;
    }
    return own;
}

void clear_unknown(const std::vector<bool>& is_known, DenseMatrix& matrix) {
    for (Index i = 0; i < matrix.rows(); ++i) {
        if (!is_known[static_cast<std::size_t>(i)]) {
            matrix.row(i).setZero();
            matrix.col(i).setZero();
        }
    }
}

/// The square of what parameters that are not known have of a direction.
double part_of_unknown(const std::vector<bool>& is_known, const EigenSystem& system,
                       Index direction) {
    double unknown = 0;
    for (Index i = 0; i < system.vectors.rows(); ++i) {
        const double part = system.vectors(i, direction);
        unknown += is_known[static_cast<std::size_t>(i)] ? 0.0 : part * part;
    }
    return unknown;
}

void classify(const NormalEquations& equations, bool has_extent, Spectrum& spectrum) {
    const Index count = spectrum.scale.size();
    const std::vector<bool>& is_known = spectrum.is_known;
    const Vector own = noise_of_known(equations, is_known, spectrum.scale);
    DenseMatrix skew = on_scale(equations.skew, spectrum.scale);
    clear_unknown(is_known, skew);
    const EigenSystem& system = spectrum.system;
    const Vector noise =
        eigenvalue_noise(to_matrix(skew), own, to_vector(system.values), to_matrix(system.vectors));
    spectrum.inverses.resize(count);
    for (Index j = 0; j < count; ++j) {
        const double unknown = part_of_unknown(is_known, system, j);
        const double own_noise = noise[static_cast<std::size_t>(j)];
        const double value = system.values[j];
        const bool is_small = value < std::max(kVagueDeviations * own_noise, kRounding);
        const bool is_lost = unknown > 0.5 || (is_small && (!has_extent || own_noise <= kRounding));
        const bool is_vague = is_small && !is_lost;
        spectrum.inverses[j] = is_vague ? 0.0 : 1 / std::max(value, kRounding);
        if (is_lost) {
            spectrum.lost.push_back(j);
        }
        if (is_vague) {
            spectrum.vague.push_back(j);
        }
    }
}

Spectrum find_spectrum(const NormalEquations& equations, bool has_extent) {
    const std::size_t count = equations.spread.size();
    double largest = 1e-30;
    for (const double spread : equations.spread) {
        largest = std::max(largest, spread);
    }
    Spectrum spectrum;
    spectrum.is_known.resize(count);
    spectrum.scale.resize(static_cast<Index>(count));
    std::vector<bool>& is_known = spectrum.is_known;
    for (std::size_t i = 0; i < count; ++i) {
        is_known[i] = equations.spread[i] > kSilentFraction * largest;
        spectrum.scale[static_cast<Index>(i)] = is_known[i] ? std::sqrt(equations.spread[i]) : 1.0;
    }
    DenseMatrix scaled = on_scale(equations.matrix, spectrum.scale);
    clear_unknown(is_known, scaled);
    spectrum.system = solve_eigen_system(scaled);
    classify(equations, has_extent, spectrum);
    return spectrum;
}

/// W with H^-1 = W W', without what is vague.
DenseMatrix inverse_root(const Spectrum& spectrum) {
    std::vector<Index> kept;
    for (Index j = 0; j < spectrum.inverses.size(); ++j) {
        if (spectrum.inverses[j] > 0) {
            kept.push_back(j);
        }
    }
    DenseMatrix root(spectrum.scale.size(), static_cast<Index>(kept.size()));
    for (std::size_t k = 0; k < kept.size(); ++k) {
        root.col(static_cast<Index>(k)) =
            (spectrum.system.vectors.col(kept[k]) * std::sqrt(spectrum.inverses[kept[k]]))
                .cwiseQuotient(spectrum.scale);
    }
    return root;
}

/// What directions add whose eigenvalue is not told from its noise: errors as large as the first range met.
DenseMatrix vague_covariance(const Spectrum& spectrum, std::span<const double> extent) {
    const Index count = spectrum.scale.size();
    DenseMatrix out = DenseMatrix::Zero(count, count);
    for (const Index j : spectrum.vague) {
        DenseVector along = spectrum.system.vectors.col(j).cwiseQuotient(spectrum.scale);
        along /= along.cwiseQuotient(view(extent)).cwiseAbs().maxCoeff();
        out += along * along.transpose();
    }
    return out;
}

void require_settings(const NormalEquations& equations, const SamplePair& pair,
                      const InformationSettings& settings) {
    const std::size_t count = equations.gradient.size();
    require_shapes(pair, count, settings.cluster_size, "gather_information");
    for (const auto& [values, name] :
         {std::pair(settings.known, "known"), std::pair(settings.extent, "extent")}) {
        if (!values.empty() && values.size() != count) {
            throw core::ArgumentError(core::text("gather_information: ", name, " must have ", count,
                                                 " entries or none, got ", values.size()));
        }
    }
}

} // namespace

Vector standard_errors(const Matrix& covariance, const Matrix& lost) {
    Vector errors(covariance.rows);
    for (std::size_t i = 0; i < errors.size(); ++i) {
        double square = 0;
        for (std::size_t k = 0; k < lost.columns; ++k) {
            square += lost(i, k) * lost(i, k);
        }
        errors[i] = square > kLostSquare ? std::numeric_limits<double>::infinity()
                                         : std::sqrt(std::max(covariance(i, i), 0.0));
    }
    return errors;
}

Vector eigenvalue_noise(const Matrix& skew, std::span<const double> diagonal_noise,
                        std::span<const double> values, const Matrix& vectors) {
    const Index count = view(values).size();
    const DenseMatrix along = view(vectors).transpose() * view(skew) * view(vectors);
    const DenseVector size = along.colwise().norm().transpose();
    DenseVector beside =
        DenseVector::Zero(count); // squares of the entries by eigenvalues not told from zero
    for (Index i = 0; i < count; ++i) {
        if (values[static_cast<std::size_t>(i)] < 2 * size[i]) {
            beside += along.row(i).cwiseAbs2().transpose();
        }
    }
    Vector out(values.size());
    const double entry = std::sqrt(2.0 / static_cast<double>(std::max<Index>(count, 1)));
    for (Index j = 0; j < count; ++j) {
        // Not std::hypot(): glibc's is of 2.35, and wheels end at 2.34.
        const double own_part = size[j] * entry;
        const double pairs = std::sqrt(own_part * own_part + beside[j]) + size[j] * size[j];
        double alone = 0;
        for (Index i = 0; i < count; ++i) {
            const double own = diagonal_noise[static_cast<std::size_t>(i)];
            const double part = vectors(static_cast<std::size_t>(i), static_cast<std::size_t>(j));
            alone += own * own * part * part * part * part;
        }
        out[static_cast<std::size_t>(j)] = std::max({pairs, std::sqrt(alone), kRounding});
    }
    return out;
}

namespace {

/// Directions of which the equations say nothing, one a column.
Matrix lost_directions(const Spectrum& spectrum) {
    DenseMatrix out(spectrum.system.vectors.rows(), static_cast<Index>(spectrum.lost.size()));
    for (std::size_t k = 0; k < spectrum.lost.size(); ++k) {
        out.col(static_cast<Index>(k)) = spectrum.system.vectors.col(spectrum.lost[k]);
    }
    return to_matrix(out);
}

/// Shares of variances that are noise of draws. @param drawn that noise; 0 of no variance at all.
Vector drawn_fractions(const DenseVector& drawn, const DenseMatrix& covariance) {
    Vector out(static_cast<std::size_t>(drawn.size()));
    for (Index i = 0; i < drawn.size(); ++i) {
        out[static_cast<std::size_t>(i)] =
            drawn[i] / std::max({covariance(i, i), drawn[i], 1e-300});
    }
    return out;
}

} // namespace

Information gather_information(const NormalEquations& equations, const SamplePair& pair,
                               const InformationSettings& settings, core::ThreadPool* pool) {
    require_settings(equations, pair, settings);
    const Spectrum spectrum = find_spectrum(equations, !settings.extent.empty());
    const DenseMatrix root = inverse_root(spectrum);
    const Matrix basis = to_matrix(root);
    const RowSums sums = sum_rows({.pair = pair,
                                   .cluster_size = settings.cluster_size,
                                   .with_products = false,
                                   .with_noise = settings.noise_of_pair,
                                   .leverage = &basis,
                                   .pool = pool});
    DenseMatrix covariance = root * view(sums.scores) * root.transpose();
    const DenseMatrix inverse = root * root.transpose();
    if (!settings.known.empty()) {
        const double variance = residual_variance({pair.a.residual, pair.b.residual});
        covariance += variance * (inverse * view(settings.known).asDiagonal() * inverse);
    }
    const Matrix& noise = settings.noise_of_pair ? sums.gradient_noise : equations.gradient_noise;
    DenseVector drawn = (inverse * view(noise)).cwiseProduct(inverse).rowwise().sum();
    if (!settings.extent.empty() && !spectrum.vague.empty()) {
        const DenseMatrix vague = vague_covariance(spectrum, settings.extent);
        covariance += vague;
        drawn += vague.diagonal();
    }
    if (!covariance.allFinite()) {
        require_finite(pair, "gather_information");
    }
    Information out;
    out.matrix = equations.matrix;
    out.covariance = to_matrix(covariance);
    out.lost = lost_directions(spectrum);
    out.drawn_fraction = drawn_fractions(drawn, covariance);
    out.is_silent = spectrum.is_known;
    out.is_silent.flip();
    return out;
}

} // namespace weft::fit
