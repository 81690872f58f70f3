// SPDX-License-Identifier: Apache-2.0
#include "fit/texel_blocks.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "fit/run_parts.hpp"
#include "fit/small_matrix.hpp"

#include <algorithm>
#include <cmath>

namespace weft::fit {

namespace {

constexpr double kLeastDiagonal = 1e-12;

template <int Most>
void lift(std::span<const double> block, std::size_t count, double least, double* out) {
    const auto size = static_cast<Eigen::Index>(count);
    const auto own = block_view(block.data(), count);
    const SmallVector<Most> scale = own.diagonal().cwiseMax(kLeastDiagonal).cwiseSqrt();
    const SmallVector<Most> inverse = scale.cwiseInverse();
    SmallMatrix<Most> matrix = inverse.asDiagonal() * own * inverse.asDiagonal();
    matrix.diagonal().array() -= least;
    // Most blocks have no small eigenvalue: this says so in a tenth of the time.
    if (Eigen::LLT<SmallMatrix<Most>>(matrix).info() == Eigen::Success) {
        std::ranges::copy(block, out);
        return;
    }
    matrix.diagonal().array() += least;
    const auto solver = eigen_of<Most>(matrix);
    const SmallVector<Most> values = solver.eigenvalues().cwiseMax(least);
    const SmallMatrix<Most> vectors = scale.asDiagonal() * solver.eigenvectors();
    Eigen::Map<DenseMatrix>(out, size, size).noalias() =
        vectors * values.asDiagonal() * vectors.transpose();
}

} // namespace

std::size_t block_size(const char* function, const TexelView& blocks) {
    std::size_t count = 0;
    while (count * count < blocks.shape.channels) {
        ++count;
    }
    if (count * count != blocks.shape.channels || count == 0) {
        throw core::ArgumentError(
            core::text(function, ": blocks must have D x D channels, got ", blocks.shape.channels));
    }
    require_shape(function, "blocks", blocks, blocks.shape);
    return count;
}

TexelImage positive_blocks(const TexelView& blocks, double least, core::ThreadPool* pool) {
    const std::size_t count = block_size("positive_blocks", blocks);
    TexelImage out(blocks.shape);
    const std::size_t texels = blocks.shape.height * blocks.shape.width;
    with_small(count, [&]<int Most>() {
        run_parts(pool, texels, texel_parts(texels),
                  [&](std::size_t, std::size_t first, std::size_t last) {
                      for (std::size_t texel = first; texel < last; ++texel) {
                          lift<Most>(blocks.texel(texel), count, least,
                                     out.values.data() + texel * count * count);
                      }
                  });
    });
    return out;
}

TexelImage diagonals(const TexelView& blocks) {
    const std::size_t count = block_size("diagonals", blocks);
    TexelImage out({.height = blocks.shape.height, .width = blocks.shape.width, .channels = count});
    for (std::size_t i = 0; i < out.values.size(); ++i) {
        const std::size_t channel = i % count;
        out.values[i] = blocks.values[i / count * count * count + channel * (count + 1)];
    }
    return out;
}

} // namespace weft::fit
