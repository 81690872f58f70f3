// SPDX-License-Identifier: Apache-2.0
// What a fit was after each of its iterations, for checkpoints. Not installed.
#pragma once

#include "fit/fit_state.hpp"
#include "fit/saved_arrays.hpp"

#include <span>
#include <vector>

namespace weft::engine {

/// numbers, phases, values and errors, a row an iteration. Problems are left out.
[[nodiscard]] fit::SavedArrays save_history(std::span<const fit::FitState> history);

/// @param like a state of the same fit, for the names of values.
/// @throws ArgumentError if arrays are missing or do not fit.
[[nodiscard]] std::vector<fit::FitState> restored_history(const fit::SavedArrays& saved,
                                                          const fit::FitState& like);

} // namespace weft::engine
