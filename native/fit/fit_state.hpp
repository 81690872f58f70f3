// SPDX-License-Identifier: Apache-2.0
// Settings of a fit, and how far it is.
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace weft::fit {

/// The defaults are those of scripts, see FitSettings of weft/fit/settings.py.
struct FitSettings {
    /// Paths a pixel in each of the two independent sample sets of an iteration; half as many while coarse steps come
    /// first, if that is enough, and up to eight times as many where pixels are few.
    std::int64_t samples = 4;
    std::int64_t bounces = 8;            ///< surfaces that a path may leave
    std::uint64_t seed = 0;              ///< equal seeds give equal fits
    double tolerance = 0.003;            ///< wanted standard error of each number, of its range
    std::size_t max_iterations = 40;     ///< the fit of numbers ends after so many
    std::size_t texture_iterations = 60; ///< the fit of textures takes so many
    /// Most places from which numbers start: another one is tried for the materials in whose pixels more than noise is left
    /// where steps have ended.
    std::size_t starts = 8;
    double information =
        0.98; ///< fraction of the information that the selected pixels hold, in (0, 1]
};

/// What was found of a parameter or exposure.
struct FittedValue {
    std::string name; ///< of the parameter, or "<observation>.exposure"
    Vector value;     ///< one number a component
    Vector
        error; ///< standard errors by noise; infinite while nothing is known. See Verdict::errors
};

struct FitState {
    std::size_t iterations = 0;
    double loss = 0; ///< mean squared residual relative to the light around; see loss_meter.hpp
    double noise_floor = 0; ///< standard deviation of `loss` by noise of the renders
    bool is_done = false;   ///< no further step is needed, or allowed
    /// Numbers: every error is as small as asked for, or as the pictures allow. Textures: the iterations are used up, and the
    /// loss has ceased to fall.
    bool has_converged = false;
    std::vector<FittedValue> values{};
    std::vector<std::string> problems{}; ///< what did not count of the pictures, a sentence each
};

/// @throws ArgumentError that says which setting is out of its range.
WEFT_API void require_valid(const FitSettings& settings);

} // namespace weft::fit
