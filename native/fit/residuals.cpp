// SPDX-License-Identifier: Apache-2.0
#include "fit/residuals.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/row_kernels.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

void require_finite(std::span<const float> values, const char* what, const char* function) {
    // A sum shows whether any is not finite; which one is asked only then.
    if (std::isfinite(row_kernels().sum(values.data(), values.size()))) {
        return;
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (!std::isfinite(values[i])) {
            throw core::ArgumentError(core::text(function, ": ", what, " must be finite, got ",
                                                 values[i], " as number ", i,
                                                 "; look for it in the targets and the scene"));
        }
    }
}

} // namespace

void require_shapes(const SamplePair& pair, std::size_t parameter_count, std::size_t cluster_size,
                    const char* function) {
    const std::size_t count = pair.residual_count();
    if (count == 0 || pair.b.residual.size() != count ||
        pair.a.jacobian.size() != count * parameter_count ||
        pair.b.jacobian.size() != count * parameter_count) {
        throw core::ArgumentError(
            core::text(function, ": both sample sets must have the same n >= 1 residuals and n x ",
                       parameter_count, " derivatives, got ", count, " and ",
                       pair.b.residual.size(), " residuals, ", pair.a.jacobian.size(), " and ",
                       pair.b.jacobian.size(), " derivatives"));
    }
    if (cluster_size == 0 || count % cluster_size != 0) {
        throw core::ArgumentError(core::text(function, ": the cluster size must divide the ", count,
                                             " residuals, got ", cluster_size));
    }
}

void require_finite(const SamplePair& pair, const char* function) {
    require_finite(pair.a.residual, "residuals of sample set A", function);
    require_finite(pair.b.residual, "residuals of sample set B", function);
    require_finite(pair.a.jacobian, "derivatives of sample set A", function);
    require_finite(pair.b.jacobian, "derivatives of sample set B", function);
}

LossEstimate estimate_loss(const ResidualPair& residuals, std::size_t cluster_size) {
    const std::size_t clusters = residuals.a.size() / cluster_size;
    double sum = 0;
    double squares = 0;
    for (std::size_t cluster = 0; cluster < clusters; ++cluster) {
        double own = 0;
        for (std::size_t i = cluster * cluster_size; i < (cluster + 1) * cluster_size; ++i) {
            own += static_cast<double>(residuals.a[i]) * static_cast<double>(residuals.b[i]);
        }
        own /= static_cast<double>(cluster_size);
        sum += own;
        squares += own * own;
    }
    const double count = static_cast<double>(clusters);
    const double mean = sum / count;
    return {mean, std::sqrt(std::max(squares / count - mean * mean, 0.0) / count)};
}

double residual_variance(const ResidualPair& residuals) {
    double sum = 0;
    for (std::size_t i = 0; i < residuals.a.size(); ++i) {
        const double mean =
            (static_cast<double>(residuals.a[i]) + static_cast<double>(residuals.b[i])) / 2;
        sum += mean * mean;
    }
    return sum / static_cast<double>(residuals.a.size());
}

} // namespace weft::fit
