// SPDX-License-Identifier: Apache-2.0
// What is known of parameters before a picture is looked at.
#pragma once

#include "core/api.hpp"
#include "fit/normal_equations.hpp"

#include <span>

namespace weft::fit {

/// Independent normal distributions of parameters.
struct Prior {
    Vector expected;  ///< means, one a parameter
    Vector precision; ///< one over the variance of each; 0: nothing is known

    /// Nothing is known of any of `count` parameters.
    [[nodiscard]] WEFT_API static Prior none(std::size_t count);
    /// The prior that keeps some of the parameters close to a place. @param held which. @param x the place.
    /// @param deviation standard deviation from it, above 0. @throws ArgumentError if sizes differ.
    [[nodiscard]] WEFT_API Prior holding(const std::vector<bool>& held, std::span<const double> x,
                                         std::span<const double> deviation) const;

    /// Whether anything is known of any parameter.
    [[nodiscard]] WEFT_API bool knows_anything() const noexcept;

    /// What it adds to a sum of squared residuals at `x`.
    /// @param variance of a residual: what makes residuals and parameters comparable.
    [[nodiscard]] WEFT_API double loss(std::span<const double> x, double variance) const;

    /// Counts the prior as further residuals of `equations`, which are those at `x`.
    /// @throws ArgumentError for another number of parameters.
    WEFT_API void add_to(NormalEquations& equations, std::span<const double> x,
                         double variance) const;
};

} // namespace weft::fit
