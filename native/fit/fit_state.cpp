// SPDX-License-Identifier: Apache-2.0
#include "fit/fit_state.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <cmath>

namespace weft::fit {

void require_valid(const FitSettings& settings) {
    const auto require = [](bool holds, const char* what) {
        if (!holds) {
            throw core::ArgumentError(core::text("FitSettings: ", what));
        }
    };
    require(settings.samples >= 1, "samples must be 1 or more");
    require(settings.bounces >= 1, "bounces must be 1 or more");
    require(settings.tolerance > 0 && std::isfinite(settings.tolerance),
            "tolerance must be a finite number above 0");
    require(settings.max_iterations >= 1, "max_iterations must be 1 or more");
    require(settings.texture_iterations >= 1, "texture_iterations must be 1 or more");
    require(settings.starts >= 1, "starts must be 1 or more");
    require(settings.information > 0 && settings.information <= 1,
            "information must be above 0 and at most 1");
}

} // namespace weft::fit
