// SPDX-License-Identifier: Apache-2.0
// Settings of a fit, and how far it is.
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace weft::fit {

/// The defaults are those of scripts, see FitSettings of weft/fit/settings.py.
struct FitSettings {
    /// Paths a pixel in each of the two independent sample sets of an iteration; half as many while coarse steps come
    /// first, if that is enough, and up to eight times as many where pixels are few.
    std::int64_t samples = 4;
    std::int64_t bounces = 8;        ///< surfaces that a path may leave
    std::uint64_t seed = 0;          ///< equal seeds give equal fits
    double tolerance = 0.003;        ///< wanted standard error of each number, of its range
    std::size_t max_iterations = 40; ///< the fit of numbers ends after so many
    /// The fit of textures takes so many; up to twice as many where numbers that move with them are not at rest by then.
    std::size_t texture_iterations = 60;
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
    /// loss has ceased to fall. Both: textures were averaged besides where the numbers stay.
    bool has_converged = false;
    std::vector<FittedValue> values{};
    std::vector<std::string> problems{}; ///< what did not count of the pictures, a sentence each
    /// What the last iteration moved: "scalars", "textures", or "polish", numbers once more at the end; fits of both go to and
    /// fro, and count: "textures 2". Empty before any.
    std::string phase{};
    /// Fraction of the work that is done, as far as it is foreseen, in [0, 1]: it never falls, and is 1 only at the end. A fit
    /// that converges early jumps there.
    double progress = 0;
    double seconds_left = std::numeric_limits<double>::infinity(); ///< infinite while not known
    double seconds = 0; ///< of all iterations so far, also of those before a checkpoint
};

/// @throws ArgumentError that says which setting is out of its range.
WEFT_API void require_valid(const FitSettings& settings);

} // namespace weft::fit
