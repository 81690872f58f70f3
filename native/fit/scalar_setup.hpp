// SPDX-License-Identifier: Apache-2.0
// What fits of numbers have in common, alone and beside textures. For the sources of this layer.
#pragma once

#include "fit/fit_state.hpp"
#include "fit/gauss_newton.hpp"
#include "fit/loss_meter.hpp"
#include "fit/observation.hpp"
#include "fit/parameters.hpp"
#include "fit/unknowns.hpp"
#include "fit/verdict.hpp"
#include "fit/view.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace weft::fit {

[[nodiscard]] std::vector<std::string> names_of(std::span<const Observation> observations);
/// Names of parameters, and of those that are tied to them.
[[nodiscard]] std::vector<std::string> all_names(std::span<const Parameter> parameters);
/// Of a solver that begins at the start.
[[nodiscard]] SolverSettings solver_settings(const Unknowns& unknowns, const FitSettings& settings);

/// Weights of the loss, three a pixel of each view's picture.
[[nodiscard]] std::vector<std::vector<float>> loss_weights(const std::vector<View>& views);
/// Views as they are drawn now. @param views outlive the result, with pixels and weights as they are.
[[nodiscard]] std::vector<DrawnView> drawn_views(const std::vector<View>& views);
/// What counts of views now. @param views outlive the result, with trust as it is.
[[nodiscard]] std::vector<CountedView> counted_views(const std::vector<View>& views);

/// How many pixels views draw now.
[[nodiscard]] std::int64_t drawn_pixels(const std::vector<View>& views);

/// Keeps residuals of the pixels that views draw now, for the loss. @param residuals weighted, of all views.
void record_loss(LossMeter& meter, const std::vector<View>& views, const ResidualPair& residuals);
/// The same of the first draw, which tells the noise of renders in its pixels.
void begin_loss(LossMeter& meter, const std::vector<View>& views, const ResidualPair& residuals);

/// Values by name. @param errors standard errors of x.
[[nodiscard]] std::vector<FittedValue> fitted_values(const Unknowns& unknowns, const Vector& x,
                                                     const Vector& errors);
/// Whether residuals of neighbours go together, by misfit or by noise of a picture.
[[nodiscard]] bool are_shared(const Verdict& verdict, std::span<const Observation> observations);
/// Gives a verdict the errors of values. @param factors that they grow by, one an unknown.
void add_errors(Verdict& verdict, const std::vector<FittedValue>& values, const Vector& factors);

} // namespace weft::fit
