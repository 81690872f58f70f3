// SPDX-License-Identifier: Apache-2.0
// Kernels of images beside plain loops on the host, and beside closed forms.
#include "fit/texel_image.hpp"
#include "kernels_fixture.hpp"
#include "tensor/transfer.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace weft::fit {
namespace {

using namespace testing;

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

TEST_CASE_METHOD(KernelsFixture, "blurs are means over squares, smaller at the edges") {
    for (const ImageShape& shape : kShapes) {
        const Floats image = noise(shape.size(), -2, 2);
        for (const int radius : {1, 2, 3, 4, 5, 6, 20}) {
            INFO(shape.height << " x " << shape.width << ", radius " << radius);
            Floats on_host = image;
            fit::box_blur(on_host, shape, static_cast<std::size_t>(radius));
            const Floats expected = plain_blur(image, shape, radius);
            check_near(read(images.box_blur(upload(image), shape, radius)), expected, 2e-6F);
            check_near(on_host, expected, 2e-6F);
        }
    }
}

TEST_CASE_METHOD(KernelsFixture, "a blur for steps is that of two boxes, and none for no radius") {
    const ImageShape shape{.height = 13, .width = 9, .channels = 3};
    const Floats image = noise(shape.size(), 0, 1);

    check_near(read(images.blurred(upload(image), shape, 2)), plain_blurred(image, shape, 2),
               1e-6F);
    CHECK(read(images.blurred(upload(image), shape, 0)) == image);
}

TEST_CASE_METHOD(KernelsFixture, "zeros stay zeros beside large numbers") {
    const ImageShape shape{.height = 40, .width = 30};
    Floats image(shape.size());
    image[20 * 30 + 10] = 1e12F;

    const Floats found = read(images.blurred(upload(image), shape, 2));

    const Floats expected = plain_blurred(image, shape, 2);
    for (std::size_t i = 0; i < image.size(); ++i) {
        REQUIRE((found[i] != 0) == (expected[i] != 0));
    }
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

TEST_CASE_METHOD(KernelsFixture, "derivatives of the variation are those of the host") {
    for (const ImageShape& shape : kShapes) {
        INFO(shape.height << " x " << shape.width << " x " << shape.channels);
        const Floats image = noise(shape.size(), 0, 1);
        Floats expected = noise(shape.size(), 0, 1, 8);
        const tensor::TensorRef result = upload(expected);
        images.add_variation(upload(image), result, shape,
                             {.soft = 0.05, .weight = upload({0.5F}), .scale = 0.25});

        const std::vector<double> values(image.begin(), image.end());
        const TexelImage own = variation_derivative({shape, values}, 0.05);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            expected[i] += static_cast<float>(0.125 * own.values[i]);
        }
        check_near(read(result), expected, 2e-6F);
    }
}

TEST_CASE_METHOD(KernelsFixture, "texels are known that show more than a share of the median") {
    const ImageShape shape{.height = 2, .width = 3, .channels = 3};
    // Sums of channels 3, 30, 0, .01, 3, 3: the median of what is above 0 is 3.
    const Floats shown{1, 1, 1, 10, 10, 10, 0, 0, 0, 0.01F, 0, 0, 3, 0, 0, 0, 3, 0};

    CHECK(read(images.known_texels(upload(shown), shape)) == Floats{1, 1, 0, 0, 1, 1});
    CHECK(read(images.known_texels(upload(Floats(18)), shape)) == Floats(6));
}

TEST_CASE_METHOD(KernelsFixture, "texels of rows that pictures hardly show are unknown") {
    const ImageShape shape{.height = 9, .width = 7, .channels = 3};
    Floats shown = noise(shape.size(), 0, 1);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        const std::size_t row = i / 21;
        shown[i] *= row == 7 ? 0.0F : row >= 2 && row < 5 ? 1e-3F : 1.0F;
    }
    std::vector<double> sums(63);
    for (std::size_t i = 0; i < shown.size(); ++i) {
        sums[i / 3] += static_cast<double>(shown[i]);
    }

    const Floats found = read(images.known_texels(upload(shown), shape));

    const std::vector<bool> expected = find_known(sums);
    CHECK(std::ranges::count(expected, true) == 35);
    CHECK(std::ranges::equal(found, expected,
                             [](float mark, bool flag) { return mark == (flag ? 1.0F : 0.0F); }));
    CHECK(read(images.known(upload(Floats(12)))) == Floats(12));
}

TEST_CASE_METHOD(KernelsFixture, "partial sums are added on the device") {
    const Floats values = noise(3000, 0, 1);
    const tensor::TensorRef parts = images.calls().create({1000, 3});
    tensor::upload(*parts, std::as_bytes(std::span(values)));

    const Floats found = read(images.calls().sum_of_parts(parts));

    REQUIRE(found.size() == 3);
    for (std::size_t column = 0; column < 3; ++column) {
        double sum = 0;
        for (std::size_t row = 0; row < 1000; ++row) {
            sum += static_cast<double>(values[3 * row + column]);
        }
        CHECK(found[column] == Approx(sum).epsilon(1e-5));
    }
}

} // namespace
} // namespace weft::fit
