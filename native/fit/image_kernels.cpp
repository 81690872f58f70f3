// SPDX-License-Identifier: Apache-2.0
#include "fit/image_kernels.hpp"

#include "fit/texel_image.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace weft::fit {

using tensor::TensorRef;

namespace {

constexpr std::int64_t kGroup = 256; ///< threads
/// Of a pass of a quantile: numbers of a group, groups.
constexpr std::int64_t kGroupShare = 8192;
constexpr std::int64_t kMostGroups = 512;
constexpr std::int64_t kBins = 2048;
constexpr std::int64_t kStateWords = 8;
constexpr std::int64_t kPasses = 3;

/// How many outputs a thread of a blur makes, from some radius on.
struct Run {
    std::int64_t least_radius;
    std::int64_t outputs;
    std::string_view function;
};
constexpr std::array<Run, 3> kRuns{
    {{4, 8, "blurAxis<8>"}, {2, 4, "blurAxis<4>"}, {1, 2, "blurAxis<2>"}}};

/// Lines of an image along one of its axes.
struct Lines {
    std::int64_t size;  ///< elements of a line
    std::int64_t along; ///< floats between two of them
    std::int64_t count; ///< lines
    std::int64_t inner; ///< lines side by side
    std::int64_t over;  ///< floats from one group of those to the next
};

std::int64_t divide_up(std::int64_t count, std::int64_t size) {
    return (count + size - 1) / size;
}

std::int64_t signed_of(std::size_t value) {
    return static_cast<std::int64_t>(value);
}

Lines lines_of(const ImageShape& shape, bool is_down) {
    const std::int64_t height = signed_of(shape.height);
    const std::int64_t width = signed_of(shape.width);
    const std::int64_t channels = signed_of(shape.channels);
    const std::int64_t row = width * channels;
    return is_down ? Lines{height, row, row, row, 0}
                   : Lines{width, channels, height * channels, channels, row};
}

} // namespace

TensorRef ImageKernels::blur_axis(const TensorRef& image, const ImageShape& shape, bool is_down,
                                  std::int64_t radius) {
    const Lines lines = lines_of(shape, is_down);
    const Run& run = *std::ranges::find_if(
        kRuns, [radius](const Run& own) { return radius >= own.least_radius; });
    TensorRef out = m_kernels.create({image->element_count()});
    m_kernels.threads(FitModule::images, run.function,
                      {lines.count, divide_up(lines.size, run.outputs), 1}, image, out, lines.size,
                      lines.along, lines.count, lines.inner, lines.over, radius);
    return out;
}

TensorRef ImageKernels::box_blur(const TensorRef& image, const ImageShape& shape,
                                 std::int64_t radius) {
    return blur_axis(blur_axis(image, shape, true, radius), shape, false, radius);
}

TensorRef ImageKernels::blurred(const TensorRef& image, const ImageShape& shape,
                                std::int64_t radius) {
    return radius <= 0 ? image : box_blur(box_blur(image, shape, radius), shape, radius);
}

void ImageKernels::add_variation(const TensorRef& image, const TensorRef& result,
                                 const ImageShape& shape, const VariationDesc& desc) {
    if (!desc.weight && !m_one) {
        m_one = m_kernels.upload(std::array<float, 1>{1.0F});
    }
    m_kernels.lanes(FitModule::images, "addVariation", image->element_count(), image, result,
                    shape.height, shape.width, shape.channels, desc.soft,
                    desc.weight ? desc.weight : m_one, desc.scale);
}

TensorRef ImageKernels::quantile(const TensorRef& values, double share, const ValueRange& range) {
    if (!m_histogram) {
        m_histogram = m_kernels.zeros({kBins}, reflect::ScalarKind::uint32);
        m_state = m_kernels.zeros({kStateWords}, reflect::ScalarKind::uint32);
    }
    const std::int64_t count = divide_up(values->element_count() - range.first, range.stride);
    const std::int64_t groups =
        std::clamp(divide_up(count, kGroupShare), std::int64_t{1}, kMostGroups);
    const std::array<std::int64_t, 3> all{groups * kGroup, 1, 1};
    constexpr FitModule kModule = FitModule::quantile;
    for (std::int64_t pass = 0; pass < kPasses; ++pass) {
        m_kernels.threads(kModule, "countBins", all, values, count, range.first, range.stride,
                          groups, pass, m_state, m_histogram);
        m_kernels.threads(kModule, "selectBin", {kGroup, 1, 1}, m_state, m_histogram, share, pass);
    }
    m_kernels.threads(kModule, "findAfter", all, values, count, range.first, range.stride, groups,
                      m_state);
    TensorRef out = m_kernels.create({1});
    m_kernels.lanes(kModule, "storeQuantile", 1, m_state, out);
    return out;
}

TensorRef ImageKernels::known(const TensorRef& shown) {
    TensorRef out = m_kernels.create({shown->element_count()});
    const TensorRef usual = quantile(shown, 0.5);
    m_kernels.lanes(FitModule::texels, "markAbove", shown->element_count(), shown, usual,
                    kKnownShare, out);
    return out;
}

TensorRef ImageKernels::known_texels(const TensorRef& shown, const ImageShape& shape) {
    const std::int64_t texels = signed_of(shape.height * shape.width);
    const TensorRef sums = m_kernels.create({texels});
    m_kernels.lanes(FitModule::texels, "sumChannels", texels, shown, shape.channels, sums);
    return known(sums);
}

void ImageKernels::fill_holes(const TensorRef& image, const TensorRef& known,
                              const ImageShape& shape) {
    fill(image, known, shape, m_kernels.create({1}));
}

void ImageKernels::fill(const TensorRef& image, const TensorRef& known, const ImageShape& shape,
                        const TensorRef& found) {
    if (std::min(shape.height, shape.width) <= 1) {
        m_kernels.lanes(FitModule::images, "fillCoarsest", signed_of(shape.channels), image, known,
                        shape.height * shape.width, shape.channels, found);
        return;
    }
    const ImageShape half{
        .height = shape.height / 2, .width = shape.width / 2, .channels = shape.channels};
    const std::int64_t texels = signed_of(half.height * half.width);
    const TensorRef coarse = m_kernels.create({signed_of(half.size())});
    const TensorRef coarse_known = m_kernels.create({texels});
    m_kernels.lanes(FitModule::images, "pull", texels, image, known, shape.width, shape.channels,
                    coarse, coarse_known);
    fill(coarse, coarse_known, half, found);
    m_kernels.lanes(FitModule::images, "push", known->element_count(), image, known, shape.height,
                    shape.width, shape.channels, coarse, found);
}

} // namespace weft::fit
