// SPDX-License-Identifier: Apache-2.0
// Kernels of shaders/weft/fit, numbers for them, and plain loops over images that stand beside them.
#pragma once

#include "fit/image_kernels.hpp"
#include "renderer_fixture.hpp"

#include <algorithm>
#include <random>
#include <vector>

namespace weft::fit::testing {

using Floats = std::vector<float>;

struct KernelsFixture : render::testing::RendererFixture {
    ImageKernels images{context};

    tensor::TensorRef upload(const Floats& values) { return images.calls().upload(values); }
    Floats read(const tensor::TensorRef& values) { return images.calls().download(*values); }
};

/// Images that are thin, odd, even, or of one texel.
inline const std::vector<ImageShape> kShapes{
    {.height = 1, .width = 1, .channels = 1},   {.height = 1, .width = 1, .channels = 3},
    {.height = 1, .width = 9, .channels = 3},   {.height = 7, .width = 1, .channels = 1},
    {.height = 2, .width = 2, .channels = 3},   {.height = 5, .width = 8, .channels = 1},
    {.height = 17, .width = 13, .channels = 3}, {.height = 64, .width = 33, .channels = 1},
};

inline Floats noise(std::size_t count, float low, float high, std::uint32_t seed = 7) {
    std::mt19937 engine(seed);
    Floats out(count);
    for (float& value : out) {
        const float share = static_cast<float>(engine() >> 8U) / static_cast<float>(1U << 24U);
        value = low + (high - low) * share;
    }
    return out;
}

/// Means over squares, one sum at a time.
inline Floats plain_blur(const Floats& image, const ImageShape& shape, int radius) {
    Floats out(image.size());
    const int height = static_cast<int>(shape.height);
    const int width = static_cast<int>(shape.width);
    const int channels = static_cast<int>(shape.channels);
    for (int i = 0; i < static_cast<int>(image.size()); ++i) {
        const int c = i % channels;
        const int x = i / channels % width;
        const int y = i / channels / width;
        double sum = 0;
        int count = 0;
        for (int v = std::max(y - radius, 0); v <= std::min(y + radius, height - 1); ++v) {
            for (int u = std::max(x - radius, 0); u <= std::min(x + radius, width - 1); ++u) {
                sum += image[static_cast<std::size_t>((v * width + u) * channels + c)];
                ++count;
            }
        }
        out[static_cast<std::size_t>(i)] = static_cast<float>(sum / count);
    }
    return out;
}

/// As ImageKernels::blurred().
inline Floats plain_blurred(const Floats& image, const ImageShape& shape, int radius) {
    return radius == 0 ? image : plain_blur(plain_blur(image, shape, radius), shape, radius);
}

inline void check_near(const Floats& found, const Floats& expected, float tolerance) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        INFO(i);
        REQUIRE(found[i] == Approx(expected[i]).margin(tolerance));
    }
}

} // namespace weft::fit::testing
