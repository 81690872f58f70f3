// SPDX-License-Identifier: Apache-2.0
// Whether a place explains the residuals, and where else to look.
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"
#include "fit/residuals.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weft::fit {

/// Standard deviations of its noise: a larger loss is more than noise.
inline constexpr double kCertainDeviations = 6.0;

/// Products of neighbours' residuals in different sample sets, one for each cluster but the last. Noise of a target is
/// its own in every pixel, as that of samples is in every set: these products have no mean.
/// @throws ArgumentError if sizes differ or clusters do not fit.
[[nodiscard]] WEFT_API Vector neighbor_products(const ResidualPair& residuals,
                                                std::size_t cluster_size);

/// Which parameters are of groups in whose residuals more than noise is left. Where one of many materials is in
/// another valley, its own pixels say so, and the parameters of the others stay. All are returned where no group alone
/// explains what is left.
/// @param products neighbor_products(). @param derivatives n x p, row-major, in units of the ranges.
/// @param groups number of each parameter's group, 0 or greater.
/// @throws ArgumentError if sizes differ.
[[nodiscard]] WEFT_API std::vector<bool> find_left(std::span<const double> products,
                                                   std::span<const float> derivatives,
                                                   std::span<const std::int64_t> groups,
                                                   std::size_t cluster_size);

/// The loss of each group: means of r_A r_B, weighted by the squared derivatives of the group; that of all residuals
/// where a group changes none. Arguments as above; groups from 0 without gaps.
[[nodiscard]] Vector group_losses(const ResidualPair& residuals, std::span<const float> derivatives,
                                  std::span<const std::int64_t> groups);

/// Another place to start from, far from those before: multiples of irrational numbers, modulo 1 (Kronecker's
/// sequence) spread evenly for any number of parameters, within the inner 80 % of the range. @param number from 1.
[[nodiscard]] WEFT_API Vector other_start(std::size_t number, std::span<const double> low,
                                          std::span<const double> high);

/// A sum and what noise makes of it.
class SignificanceSum {
public:
    void add(double value) noexcept {
        m_sum += value;
        m_squares += value * value;
    }
    /// Whether the sum is above 0 by more than so many deviations of noise.
    [[nodiscard]] bool is_above(double deviations) const noexcept;

private:
    double m_sum = 0;
    double m_squares = 0;
};

} // namespace weft::fit
