// SPDX-License-Identifier: Apache-2.0
// Standard errors of maps that are tied by a prior which was learned from them.
//
// A prior that is learned may confirm itself: where pictures tell nothing, texels follow it, and it learns from them that
// they do. So each direction of the prior counts by how many texels pictures tell it of (inverse Wishart), and the mean by
// what all of them tell of it; the rest is as wide as the range (hierarchical normal model; Gelman et al., Bayesian Data
// Analysis, chapter 5).
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"
#include "fit/texel_image.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace weft::fit {

/// What is not known of tied maps.
struct MapUncertainty {
    TexelImage errors;  ///< standard errors of the texels' numbers, D channels
    Matrix correlation; ///< mean size of the correlations of a texel's numbers, D x D
};

/// What blocks tell for certain: no negative and no weak eigenvalues.
/// @param blocks symmetric, D x D channels.
/// @param most how many numbers may be told of each texel at most: pixels of one picture tell three of a texel, for its
/// neighbours are seen from the same side.
[[nodiscard]] WEFT_API TexelImage told_blocks(const TexelView& blocks, std::span<const double> most,
                                              core::ThreadPool* pool = nullptr);

/// What standard errors of maps follow from.
struct MapEvidence {
    TexelView blocks;           ///< inverse covariance by the pictures alone, D x D channels
    const Matrix& covariance;   ///< of the learned prior, D x D
    std::vector<bool> informed; ///< which texels it was learned from
    /// Distance of the texels from the middle of the range, D channels: what is not told may be anywhere in it.
    TexelView off_center;
    Vector extent;                 ///< range of each number
    double sharing = 1;            ///< texels that tell as much as one that stood alone
    std::span<const double> views; ///< how many pictures show each texel
};

/// @throws ArgumentError if sizes do not fit.
[[nodiscard]] WEFT_API MapUncertainty find_uncertainty(const MapEvidence& evidence,
                                                       core::ThreadPool* pool = nullptr);

} // namespace weft::fit
