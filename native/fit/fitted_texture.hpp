// SPDX-License-Identifier: Apache-2.0
// Textures that a fit has found.
#pragma once

#include "core/api.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace weft::fit {

/// A texture that a fit has found. Arrays have the top row first.
struct FittedTexture {
    std::string name{}; ///< of the parameter
    std::size_t width = 0;
    std::size_t height = 0;
    std::size_t channels = 0; ///< 1, 3 or 4
    std::vector<float>
        pixels{}; ///< height x width x channels, linear, within the bounds; holes are filled
    /// height x width: 1 where the pictures show it, 0 where it was filled from what lies around.
    std::vector<float> known{};
    /// Standard errors of `pixels`, as many: as far as noise, what is left of the residuals and the smoothness tell; infinite
    /// where `known` is 0.
    std::vector<float> errors{};
    std::string undetermined{}; ///< why the pictures do not tell it, a sentence; "": they do
};

/// How much of the differences between known texels is certain, in [0, 1]: the variance of the texels over that and the mean
/// square of their errors. Near 0, one value for the whole map explains the pictures about as well.
[[nodiscard]] WEFT_API double told_share(const FittedTexture& texture);

} // namespace weft::fit
