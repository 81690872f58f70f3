// SPDX-License-Identifier: Apache-2.0
#include "fit/pixel_selection.hpp"

#include "fit/dense.hpp"
#include "fit/scalar_model.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace weft::fit {

namespace {

constexpr double kPilotPixels =
    16384; ///< of all views, that the first look takes at least, where there are as many
constexpr double kRidge = 1e-3; ///< of the diagonal
constexpr double kLeastCurvature = 1e-12;
constexpr double kSingular = 1e-15;     ///< of the largest eigenvalue
constexpr std::size_t kLeastRadius = 4; ///< pixels

using FloatMatrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<const FloatMatrix> rows_of(const LinearizedResiduals& set, std::size_t columns) {
    return {set.jacobian.data(), static_cast<Eigen::Index>(set.residual.size()),
            static_cast<Eigen::Index>(columns)};
}

/// The inverse without the directions that nothing tells.
DenseMatrix pseudo_inverse(const DenseMatrix& matrix) {
    const EigenSystem system = solve_eigen_system(matrix);
    const double least = kSingular * system.values.cwiseAbs().maxCoeff();
    const DenseVector inverses = system.values.unaryExpr(
        [least](double value) { return std::abs(value) > least ? 1 / value : 0.0; });
    return system.vectors * inverses.asDiagonal() * system.vectors.transpose();
}

} // namespace

float information_threshold(std::vector<float> information, float share) {
    std::sort(information.begin(), information.end(), std::greater<>());
    std::vector<float> total(information.size());
    std::partial_sum(information.begin(), information.end(), total.begin());
    if (total.empty() || total.back() <= 0) {
        return 0;
    }
    const auto found = std::lower_bound(total.begin(), total.end(), share * total.back());
    const std::ptrdiff_t at =
        std::min(found - total.begin(), static_cast<std::ptrdiff_t>(total.size()) - 1);
    return information[static_cast<std::size_t>(at)];
}

std::size_t pilot_stride(std::size_t counted) noexcept {
    return std::max<std::size_t>(
        1, static_cast<std::size_t>(std::sqrt(static_cast<double>(counted) / kPilotPixels)));
}

std::vector<double> leverages(const SamplePair& pair, std::size_t unknowns) {
    require_shapes(pair, unknowns, 1, "leverages");
    const auto a = rows_of(pair.a, unknowns);
    const auto b = rows_of(pair.b, unknowns);
    const DenseMatrix cross = a.transpose().cast<double>() * b.cast<double>();
    DenseMatrix matrix = (cross + cross.transpose()) / 2;
    matrix.diagonal() += kRidge * matrix.diagonal().cwiseAbs().cwiseMax(kLeastCurvature);
    const DenseMatrix inverse = pseudo_inverse(matrix);
    std::vector<double> out(pair.a.residual.size());
    for (Eigen::Index row = 0; row < a.rows(); ++row) {
        out[static_cast<std::size_t>(row)] =
            std::abs((a.row(row).cast<double>() * inverse).dot(b.row(row).cast<double>()));
    }
    return out;
}

bool ScalarModel::select_pixels(std::span<const double> x, double fraction,
                                std::span<const std::vector<bool>> hidden) {
    std::size_t counted = 0;
    for (const View& view : m_views) {
        counted += view.counted_pixels().size();
    }
    const std::size_t stride = pilot_stride(counted);
    bool is_any_shown = false;
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        View& view = m_views[number];
        view.show_all(stride);
        if (!hidden.empty()) {
            std::vector<std::uint32_t> shown = view.pixels();
            std::erase_if(shown, [&](std::uint32_t pixel) { return hidden[number][pixel]; });
            view.set_pixels(std::move(shown));
        }
        is_any_shown = is_any_shown || !view.pixels().empty();
    }
    if (!is_any_shown) {
        return false;
    }
    for (View& view : m_views) {
        if (view.pixels().empty()) {
            view.set_pixels({0}); // a view is drawn, whether or not it counts
        }
    }
    draw_samples(x, 1);
    const std::vector<double> leverage = leverages(linearize(x), m_columns.size());
    return keep_most(smoothed(leverage, hidden, stride), fraction);
}

/// The information of each view's pixels; all of them are shown then.
std::vector<std::vector<float>> ScalarModel::smoothed(const std::vector<double>& leverage,
                                                      std::span<const std::vector<bool>> hidden,
                                                      std::size_t stride) {
    std::vector<std::vector<float>> out;
    std::size_t first = 0;
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        View& view = m_views[number];
        std::vector<double> own(view.pixels().size());
        for (double& information : own) {
            information = leverage[first] + leverage[first + 1] + leverage[first + 2];
            first += kChannels;
        }
        // One sample a pixel is noise: neighbours tell together.
        out.push_back(view.spread(own, std::max(kLeastRadius, 2 * stride)));
        view.show_all();
        for (std::size_t i = 0; !hidden.empty() && i < out.back().size(); ++i) {
            out.back()[i] = hidden[number][view.pixels()[i]] ? 0.0F : out.back()[i];
        }
    }
    return out;
}

/// Keeps the pixels of a fraction of the information; returns whether there is any.
bool ScalarModel::keep_most(const std::vector<std::vector<float>>& information, double fraction) {
    std::vector<float> together;
    for (const std::vector<float>& own : information) {
        together.insert(together.end(), own.begin(), own.end());
    }
    const float threshold =
        information_threshold(std::move(together), static_cast<float>(fraction));
    if (threshold <= 0) {
        return false;
    }
    for (std::size_t number = 0; number < m_views.size(); ++number) {
        View& view = m_views[number];
        std::vector<std::uint32_t> kept;
        for (std::size_t i = 0; i < view.pixels().size(); ++i) {
            if (information[number][i] >= threshold) {
                kept.push_back(view.pixels()[i]);
            }
        }
        view.set_pixels(kept.empty() ? std::vector{view.pixels().front()} : std::move(kept));
    }
    return true;
}

} // namespace weft::fit
