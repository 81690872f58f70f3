// SPDX-License-Identifier: Apache-2.0
// What all texels say together, and solutions for each of them. For the sources of this layer.
#pragma once

#include "core/thread_pool.hpp"
#include "fit/matrix.hpp"
#include "fit/texel_image.hpp"

#include <memory>
#include <span>
#include <vector>

namespace weft::fit {

/// Threads for work on each texel of an image; null where they would not pay.
[[nodiscard]] std::unique_ptr<core::ThreadPool> pool_for(const TexelView& image);

/// Factors, at most 1, that leave no entry larger than many others: those of fireflies are. Each channel by itself.
[[nodiscard]] TexelImage taming_factors(const TexelView& sizes);

struct TexelMoments {
    Vector mean;
    Matrix covariance;
};

/// Mean and covariance of the chosen texels' numbers.
[[nodiscard]] TexelMoments texel_moments(const TexelView& maps, const std::vector<bool>& chosen);

/// Means of the chosen texels' numbers; 0 of none.
[[nodiscard]] Vector mean_of(const TexelView& maps, const std::vector<bool>& chosen);

/// The mean of the inverses of (P + prior) of the chosen texels, P the blocks.
[[nodiscard]] Matrix mean_inverse(const TexelView& blocks, const Matrix& prior,
                                  const std::vector<bool>& chosen, core::ThreadPool* pool);

/// The diagonals of the inverses of (P + prior) of each texel.
[[nodiscard]] TexelImage inverse_diagonals(const TexelView& blocks, const Matrix& prior,
                                           core::ThreadPool* pool);

/// (P + prior)^-1 x of each texel.
[[nodiscard]] TexelImage solutions(const TexelView& blocks, const Matrix& prior,
                                   const TexelView& right, core::ThreadPool* pool);

/// Sums over texels of a' (P + prior)^-1 b for images a of all but the last, b of all: (images - 1) x images.
[[nodiscard]] Matrix products_of(const TexelView& blocks, const Matrix& prior,
                                 const std::vector<TexelImage>& images, core::ThreadPool* pool);

} // namespace weft::fit
