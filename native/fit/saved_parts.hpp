// SPDX-License-Identifier: Apache-2.0
// Parts of fits as arrays by name, for checkpoints. For the sources of this layer.
#pragma once

#include "fit/information.hpp"
#include "fit/loss_meter.hpp"
#include "fit/saved_arrays.hpp"
#include "fit/view.hpp"

#include <cstddef>
#include <vector>

namespace weft::fit {

[[nodiscard]] std::vector<ViewState> states_of(const std::vector<View>& views);
/// pixels, trust, noise and lost of each view, with its number.
[[nodiscard]] SavedArrays save(const std::vector<ViewState>& states);
[[nodiscard]] SavedArrays save(const std::vector<View>& views);
/// @param views of the same pictures. @throws ArgumentError if arrays are missing or do not fit.
[[nodiscard]] std::vector<ViewState> restored_views(const SavedArrays& saved,
                                                    const std::vector<View>& views);
/// @param states of as many views, or none: then nothing changes.
void restore(std::vector<View>& views, const std::vector<ViewState>& states);

/// is_open; noise, counted, products and variances of each view, with its number.
[[nodiscard]] SavedArrays save(const LossMeter& meter);
/// @throws ArgumentError if arrays are missing or do not fit; the meter is then as it was.
void restore(LossMeter& meter, const SavedArrays& saved);

/// matrix, covariance, lost, drawn_share and is_silent.
[[nodiscard]] SavedArrays save(const Information& information);
/// @param count of parameters. @throws ArgumentError if arrays are missing or do not fit.
[[nodiscard]] Information restored_information(const SavedArrays& saved, std::size_t count);

} // namespace weft::fit
