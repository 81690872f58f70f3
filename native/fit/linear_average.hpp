// SPDX-License-Identifier: Apache-2.0
// A linear model of residuals, averaged over iterations.
#pragma once

#include "fit/matrix.hpp"
#include "fit/residuals.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace weft::core {
class ThreadPool;
}

namespace weft::fit {

/// Residuals of two sample sets, owned.
struct OwnedResiduals {
    std::vector<float> a;
    std::vector<float> b;

    ResidualPair view() const noexcept { return {a, b}; }
};

/// The linear model r(x) = offset + J (x - origin), averaged over iterations.
class LinearAverage {
public:
    /// Averages nothing yet.
    explicit LinearAverage(Vector origin) : m_origin(std::move(origin)) {}
    /// What arrays() and the others have told. @throws ArgumentError if they do not fit together.
    LinearAverage(Vector origin, OwnedResiduals offsets, OwnedResiduals jacobians,
                  std::size_t count);

    std::size_t count() const noexcept { return m_count; }
    const Vector& origin() const noexcept { return m_origin; }
    const OwnedResiduals& offsets() const noexcept { return m_offset; }
    const OwnedResiduals& jacobians() const noexcept { return m_jacobian; }

    /// Adds a linearisation at `x`.
    void add(std::span<const double> x, const SamplePair& pair, core::ThreadPool* pool);
    /// The model's residuals at `x`.
    [[nodiscard]] OwnedResiduals residuals_at(std::span<const double> x,
                                              core::ThreadPool* pool) const;
    /// The model with residuals of residuals_at(); views of both.
    [[nodiscard]] SamplePair pair_with(const OwnedResiduals& residuals) const noexcept;

private:
    Vector m_origin;
    OwnedResiduals m_offset;
    OwnedResiduals m_jacobian; ///< n x p
    std::size_t m_count = 0;
};

/// Whether residuals differ from what a linear model expects by more than noise.
[[nodiscard]] bool differ(const ResidualPair& expected, const ResidualPair& found);

} // namespace weft::fit
