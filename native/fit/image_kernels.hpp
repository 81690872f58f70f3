// SPDX-License-Identifier: Apache-2.0
// What fits do with textures as images, on the device: blurs, total variation, quantiles and hole filling, by
// shaders/weft/fit/images.slang, quantile.slang and texels.slang. Means over squares on the host: box_blur.hpp.
//
// An image is a flat, contiguous float32 tensor with an ImageShape beside it. Nothing here waits for the device.
#pragma once

#include "fit/box_blur.hpp"
#include "fit/fit_kernels.hpp"

#include <cstddef>
#include <cstdint>

namespace weft::fit {

/// What is added of the derivative of a total variation: weight * scale times it.
struct VariationDesc {
    double soft = 0.05;         ///< differences of neighbours below it count by their square
    tensor::TensorRef weight{}; ///< one float on the device; null: 1
    double scale = 1;
};

/// Which values a quantile is of: values[first], values[first + stride], ...
struct ValueRange {
    std::int64_t first = 0;
    std::int64_t stride = 1; ///< at least 1
};

/// One thread at a time. All functions throw CompileError and DeviceError.
class ImageKernels {
public:
    explicit ImageKernels(dispatch::Context context) : m_kernels(std::move(context)) {}

    /// For other functions of shaders/weft/fit, and for memory.
    [[nodiscard]] FitKernels& calls() noexcept { return m_kernels; }

    /// A new image: means over squares of side 2 `radius` + 1, smaller at the edges. @param radius texels, at least 1.
    [[nodiscard]] tensor::TensorRef box_blur(const tensor::TensorRef& image,
                                             const ImageShape& shape, std::int64_t radius);
    /// box_blur() twice, as near to a Gaussian as needed; for a radius of 0 the image itself.
    [[nodiscard]] tensor::TensorRef blurred(const tensor::TensorRef& image, const ImageShape& shape,
                                            std::int64_t radius);
    /// Adds a multiple of the derivative of the total variation of an image (Rudin, Osher and Fatemi 1992).
    /// @param result of the size of the image.
    void add_variation(const tensor::TensorRef& image, const tensor::TensorRef& result,
                       const ImageShape& shape, const VariationDesc& desc);
    /// One float: a quantile of those values that are above 0, between two of them as linear interpolation of ranks has it; 0
    /// if there is none. @param values none of them NaN. @param share in [0, 1]: 0.5 is the median.
    [[nodiscard]] tensor::TensorRef quantile(const tensor::TensorRef& values, double share,
                                             const ValueRange& range = {});
    /// 1 for the elements that pictures show, else 0. @param shown what pictures tell of each, 0 or greater.
    [[nodiscard]] tensor::TensorRef known(const tensor::TensorRef& shown);
    /// known() of the sums over channels: height x width.
    [[nodiscard]] tensor::TensorRef known_texels(const tensor::TensorRef& shown,
                                                 const ImageShape& shape);
    /// Texels that are not known take the mean of known ones around them, in place: pull and push over a pyramid (Gortler et
    /// al. 1996, section 3.5). Nothing changes where no texel is known. @param known of known_texels().
    void fill_holes(const tensor::TensorRef& image, const tensor::TensorRef& known,
                    const ImageShape& shape);

private:
    [[nodiscard]] tensor::TensorRef blur_axis(const tensor::TensorRef& image,
                                              const ImageShape& shape, bool is_down,
                                              std::int64_t radius);
    void fill(const tensor::TensorRef& image, const tensor::TensorRef& known,
              const ImageShape& shape, const tensor::TensorRef& found);

    FitKernels m_kernels;
    tensor::TensorRef m_one;       ///< 1; null: not needed so far
    tensor::TensorRef m_histogram; ///< of quantiles; kernels leave it cleared
    tensor::TensorRef m_state;     ///< of quantiles
};

} // namespace weft::fit
