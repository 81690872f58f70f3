// SPDX-License-Identifier: Apache-2.0
// What a fit sees of a render: residuals and derivatives of two independent sample sets.
//
// A residual and a derivative from the same samples are correlated, and their product is biased. Every iteration
// therefore has two independent sample sets A and B, and products take one factor of each.
#pragma once

#include "core/api.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace weft::fit {

/// Residuals r (render minus target) of one sample set and their derivatives J, both times the weight of the residual.
/// Views: whoever made them says how long they live.
struct LinearizedResiduals {
    std::span<const float> residual; ///< n
    std::span<const float> jacobian; ///< n x p, row-major
};

/// Sample sets A and B: the same residuals from independent samples.
struct SamplePair {
    LinearizedResiduals a;
    LinearizedResiduals b;

    std::size_t residual_count() const noexcept { return a.residual.size(); }
    /// p; 0 where there are no residuals.
    std::size_t parameter_count() const noexcept {
        return a.residual.empty() ? 0 : a.jacobian.size() / a.residual.size();
    }
};

/// Residuals alone.
struct ResidualPair {
    std::span<const float> a;
    std::span<const float> b;
};

/// A renderer, or any other function with noise, as a solver asks for it. All calls come from the thread that calls
/// the solver. Any may throw: the solver is then as it was before the call that failed.
class Model {
public:
    Model() = default;
    Model(const Model&) = delete;
    Model& operator=(const Model&) = delete;
    virtual ~Model() = default;

    /// Draws new samples at parameters `x`, which the calls below use until the next draw.
    virtual void draw(std::span<const double> x) = 0;
    /// Residuals and derivatives of both sample sets for parameters `x`; valid until the next call of draw() or
    /// linearize().
    virtual SamplePair linearize(std::span<const double> x) = 0;
    /// The residuals of linearize() only; valid until the next call of draw() or residuals().
    virtual ResidualPair residuals(std::span<const double> x) = 0;
};

/// @param function begins the message.
/// @throws ArgumentError unless `cluster_size` divides n, all four arrays fit together and n is not 0.
void require_shapes(const SamplePair& pair, std::size_t parameter_count, std::size_t cluster_size,
                    const char* function);

/// @throws ArgumentError if a number is NaN or infinite; says which.
void require_finite(const SamplePair& pair, const char* function);

/// The mean product of residuals of both sets, and what noise does to it.
struct LossEstimate {
    double loss = 0;      ///< r_A' r_B / n: unbiased, zero where the model explains the target
    double deviation = 0; ///< standard deviation of `loss` by noise
};

/// @param cluster_size so many residuals in a row share their noise: the channels of a pixel. Divides n.
[[nodiscard]] WEFT_API LossEstimate estimate_loss(const ResidualPair& residuals,
                                                  std::size_t cluster_size);

/// The variance of a residual whose noise is the mean of both sets': mean of ((r_A + r_B) / 2)^2.
[[nodiscard]] WEFT_API double residual_variance(const ResidualPair& residuals);

} // namespace weft::fit
