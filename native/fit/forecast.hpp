// SPDX-License-Identifier: Apache-2.0
// How many iterations a fit of numbers still needs. For the sources of this layer.
#pragma once

#include "fit/gauss_newton.hpp"

#include <cstddef>
#include <optional>

namespace weft::fit {

/// Iterations that a solver is expected to need, at least 0.
/// @param solver that has made none or some. @param limit iterations at most, those that were made included.
/// @param averages averaged iterations that are enough; not set: the tolerance alone counts.
[[nodiscard]] double remaining_iterations(const GaussNewton& solver, std::size_t limit,
                                          std::optional<std::size_t> averages = std::nullopt);

} // namespace weft::fit
