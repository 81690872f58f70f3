// SPDX-License-Identifier: Apache-2.0
// A small symmetric matrix for each texel: an image of D x D channels.
#pragma once

#include "core/api.hpp"
#include "fit/matrix.hpp"
#include "fit/texel_image.hpp"

#include <cstddef>
#include <vector>

namespace weft::fit {

/// D of an image of D x D channels. @throws ArgumentError naming `function` if there is none.
[[nodiscard]] WEFT_API std::size_t block_size(const char* function, const TexelView& blocks);

/// Symmetric blocks with eigenvalues of at least `least` where diagonals are 1.
[[nodiscard]] WEFT_API TexelImage positive_blocks(const TexelView& blocks, double least,
                                                  core::ThreadPool* pool = nullptr);

/// The diagonals, D channels.
[[nodiscard]] WEFT_API TexelImage diagonals(const TexelView& blocks);

} // namespace weft::fit
