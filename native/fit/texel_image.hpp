// SPDX-License-Identifier: Apache-2.0
// Numbers of the texels of maps, on the host.
#pragma once

#include "core/api.hpp"
#include "fit/box_blur.hpp"

#include <cstddef>
#include <span>
#include <vector>

namespace weft::core {
class ThreadPool;
}

namespace weft::fit {

/// Numbers of texels: rows one after the other, the channels of a texel together.
struct TexelImage {
    TexelImage() = default;
    /// All zero.
    explicit TexelImage(const ImageShape& own) : shape(own), values(own.size(), 0.0) {}

    /// The channels of a texel. @param number row * width + column.
    [[nodiscard]] std::span<const double> texel(std::size_t number) const {
        return std::span(values).subspan(number * shape.channels, shape.channels);
    }

    ImageShape shape{.height = 0, .width = 0, .channels = 0}; ///< in texels
    std::vector<double> values;                               ///< shape.size() numbers
};

/// The same, borrowed.
struct TexelView {
    TexelView(const ImageShape& own, std::span<const double> numbers)
        : shape(own), values(numbers) {}
    TexelView(const TexelImage& image) : shape(image.shape), values(image.values) {}

    ImageShape shape;
    std::span<const double> values;

    /// The channels of a texel. @param number row * width + column.
    [[nodiscard]] std::span<const double> texel(std::size_t number) const {
        return values.subspan(number * shape.channels, shape.channels);
    }
};

/// @throws ArgumentError naming `function` and `what` unless the image has this shape and all its numbers.
WEFT_API void require_shape(const char* function, const char* what, const TexelView& image,
                            const ImageShape& shape);

/// An image averaged by a Gaussian; texels at the edges are repeated beyond them.
/// @param sigma texels; 0 or less leaves the image as it is.
[[nodiscard]] WEFT_API TexelImage blurred_by(const TexelView& image, double sigma,
                                             core::ThreadPool* pool = nullptr);

/// The derivative of the total variation of an image, in float (Rudin, Osher and Fatemi 1992).
/// @param soft differences of neighbours below it count by their square.
[[nodiscard]] WEFT_API TexelImage variation_derivative(const TexelView& image, double soft);

/// Of what pictures tell of the usual texel: texels of which they tell less are not known, and filled from around.
inline constexpr double kKnownShare = 0.02;

/// Which texels pictures show: more than kKnownShare of the median of those of which they tell anything.
/// @param told what they tell of each texel, 0 or more.
[[nodiscard]] WEFT_API std::vector<bool> find_known(std::span<const double> told);

} // namespace weft::fit
