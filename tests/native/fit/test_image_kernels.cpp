// SPDX-License-Identifier: Apache-2.0
// Kernels of images beside plain loops on the host, and beside closed forms.
#include "fit/image_kernels.hpp"
#include "renderer_fixture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace weft::fit {
namespace {

using Floats = std::vector<float>;

struct KernelsFixture : render::testing::RendererFixture {
    ImageKernels images{context};

    tensor::TensorRef upload(const Floats& values) { return images.calls().upload(values); }
    Floats read(const tensor::TensorRef& values) { return images.calls().download(*values); }
};

Floats noise(std::size_t count, float low, float high) {
    std::mt19937 engine(7);
    Floats out(count);
    for (float& value : out) {
        const float share = static_cast<float>(engine() >> 8U) / static_cast<float>(1U << 24U);
        value = low + (high - low) * share;
    }
    return out;
}

/// Means over squares, one sum at a time.
Floats plain_blur(const Floats& image, const ImageShape& shape, int radius) {
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

/// Sum over neighbours of sqrt(step^2 + soft^2).
double variation(const Floats& image, const ImageShape& shape, double soft) {
    double sum = 0;
    const std::size_t row = shape.width * shape.channels;
    for (std::size_t i = 0; i < image.size(); ++i) {
        if (i + row < image.size()) {
            sum += std::hypot(static_cast<double>(image[i + row]) - image[i], soft);
        }
        if (i % row + shape.channels < row) {
            sum += std::hypot(static_cast<double>(image[i + shape.channels]) - image[i], soft);
        }
    }
    return sum;
}

void check_near(const Floats& found, const Floats& expected, float tolerance) {
    REQUIRE(found.size() == expected.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        INFO(i);
        REQUIRE(found[i] == Approx(expected[i]).margin(tolerance));
    }
}

TEST_CASE_METHOD(KernelsFixture, "blurs are means over squares, smaller at the edges") {
    const ImageShape shape{.height = 13, .width = 9, .channels = 3};
    const Floats image = noise(shape.size(), 0, 1);
    for (const int radius : {1, 2, 3, 4, 6, 20}) {
        INFO("radius " << radius);
        check_near(read(images.box_blur(upload(image), shape, radius)),
                   plain_blur(image, shape, radius), 1e-6F);
    }
    check_near(read(images.blurred(upload(image), shape, 2)),
               plain_blur(plain_blur(image, shape, 2), shape, 2), 1e-6F);
    check_near(read(images.blurred(upload(image), shape, 0)), image, 0);
}

TEST_CASE_METHOD(KernelsFixture, "the derivative of the total variation is its differences") {
    const ImageShape shape{.height = 4, .width = 5, .channels = 3};
    const Floats image = noise(shape.size(), 0, 1);
    const tensor::TensorRef found = upload(Floats(image.size(), 2.0F));
    images.add_variation(upload(image), found, shape, {.soft = 0.1, .scale = 0.5});
    const tensor::TensorRef weighted = upload(Floats(image.size()));
    images.add_variation(upload(image), weighted, shape,
                         {.soft = 0.1, .weight = upload({3.0F}), .scale = 0.5});

    constexpr float kStep = 1e-2F;
    for (std::size_t i = 0; i < image.size(); ++i) {
        Floats above = image;
        Floats below = image;
        above[i] += kStep;
        below[i] -= kStep;
        const double slope = (variation(above, shape, 0.1) - variation(below, shape, 0.1)) /
                             (static_cast<double>(above[i]) - below[i]);
        REQUIRE(read(found)[i] == Approx(2 + 0.5 * slope).margin(3e-3));
        REQUIRE(read(weighted)[i] == Approx(1.5 * slope).margin(9e-3));
    }
}

TEST_CASE_METHOD(KernelsFixture, "quantiles are those of the sorted positive values") {
    for (const std::size_t count : {1U, 2U, 7U, 1000U, 20000U}) {
        Floats values = noise(count, -1, 3);
        values.front() = 0.25F;
        Floats positive;
        std::ranges::copy_if(values, std::back_inserter(positive),
                             [](float value) { return value > 0; });
        std::ranges::sort(positive);
        for (const double share : {0.0, 0.25, 0.5, 1.0}) {
            const double at = share * static_cast<double>(positive.size() - 1);
            const auto below = static_cast<std::size_t>(at);
            const std::size_t above = std::min(below + 1, positive.size() - 1);
            const double expected = positive[below] + (at - static_cast<double>(below)) *
                                                          (positive[above] - positive[below]);
            INFO(count << " values, share " << share);
            REQUIRE(read(images.quantile(upload(values), share)).front() ==
                    Approx(expected).epsilon(2e-3 * (count > 1000 ? 1 : 1e-3)));
        }
    }
    CHECK(read(images.quantile(upload({-1, 0, -2}), 0.5)).front() == 0);
    CHECK(
        read(images.quantile(upload({9, 1, 9, 2, 9, 4}), 0.5, {.first = 1, .stride = 2})).front() ==
        2);
    CHECK(read(images.quantile(upload({2, 2, 2, 2}), 0.5)).front() == 2);
}

TEST_CASE_METHOD(KernelsFixture, "texels are known that show more than a share of the median") {
    const ImageShape shape{.height = 2, .width = 3, .channels = 3};
    // Sums of channels 3, 30, 0, .01, 3, 3: the median of what is above 0 is 3.
    const Floats shown{1, 1, 1, 10, 10, 10, 0, 0, 0, 0.01F, 0, 0, 3, 0, 0, 0, 3, 0};

    CHECK(read(images.known_texels(upload(shown), shape)) == Floats{1, 1, 0, 0, 1, 1});
    CHECK(read(images.known_texels(upload(Floats(18)), shape)) == Floats(6));
}

TEST_CASE_METHOD(KernelsFixture, "holes take the mean of what is known around them") {
    const ImageShape shape{.height = 8, .width = 8, .channels = 3};
    const Floats image = noise(shape.size(), 0, 1);
    Floats known(64, 1);
    for (const std::size_t hole : {9U, 20U, 63U}) {
        known[hole] = 0;
    }
    const tensor::TensorRef filled = upload(image);
    images.fill_holes(filled, upload(known), shape);
    const Floats found = read(filled);

    for (std::size_t texel = 0; texel < 64; ++texel) {
        const std::size_t corner = texel / 16 * 16 + texel % 8 / 2 * 2; // of its square of four
        for (std::size_t c = 0; c < 3; ++c) {
            double sum = 0;
            for (const std::size_t other : {corner, corner + 1, corner + 8, corner + 9}) {
                sum += other == texel ? 0.0 : image[3 * other + c];
            }
            const std::size_t at = 3 * texel + c;
            REQUIRE(found[at] == Approx(known[texel] > 0 ? image[at] : sum / 3).margin(1e-6));
        }
    }
}

TEST_CASE_METHOD(KernelsFixture, "one known texel fills a map, and none leaves it alone") {
    const ImageShape shape{.height = 5, .width = 12, .channels = 1};
    const Floats image = noise(shape.size(), 0, 1);
    Floats known(shape.size());
    const tensor::TensorRef untouched = upload(image);
    images.fill_holes(untouched, upload(known), shape);
    CHECK(read(untouched) == image);

    known[17] = 1;
    const tensor::TensorRef filled = upload(image);
    images.fill_holes(filled, upload(known), shape);
    CHECK(read(filled) == Floats(shape.size(), image[17]));
}

} // namespace
} // namespace weft::fit
