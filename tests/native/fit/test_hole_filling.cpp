// SPDX-License-Identifier: Apache-2.0
// Texels that no picture shows, filled from those around: beside a plain pyramid, and what must hold of any.
#include "kernels_fixture.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace weft::fit {
namespace {

using namespace testing;

/// The mean of those of `texels` that are known; whether any is.
bool mean_of_known(const Floats& image, const Floats& known, const std::vector<std::size_t>& texels,
                   std::span<float> mean) {
    std::vector<double> sums(mean.size());
    double count = 0;
    for (const std::size_t texel : texels) {
        if (known[texel] > 0) {
            ++count;
            for (std::size_t c = 0; c < mean.size(); ++c) {
                sums[c] += static_cast<double>(image[texel * mean.size() + c]);
            }
        }
    }
    for (std::size_t c = 0; c < mean.size(); ++c) {
        mean[c] = count > 0 ? static_cast<float>(sums[c] / count) : 0.0F;
    }
    return count > 0;
}

/// Each hole takes the mean of all that is known.
Floats filled_alike(Floats image, const Floats& known, std::size_t channels) {
    std::vector<std::size_t> all(known.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    Floats mean(channels);
    static_cast<void>(mean_of_known(image, known, all, mean));
    for (std::size_t i = 0; i < image.size(); ++i) {
        image[i] = known[i / channels] > 0 ? image[i] : mean[i % channels];
    }
    return image;
}

/// Holes take the mean of the known texels of the smallest even square block that has some.
Floats plain_fill(Floats image, const Floats& known, const ImageShape& shape) {
    const std::size_t channels = shape.channels;
    if (std::min(shape.height, shape.width) <= 1) {
        return filled_alike(std::move(image), known, channels);
    }
    const ImageShape half{
        .height = shape.height / 2, .width = shape.width / 2, .channels = channels};
    Floats coarse(half.size());
    Floats coarse_known(half.height * half.width);
    for (std::size_t texel = 0; texel < coarse_known.size(); ++texel) {
        const std::size_t corner = texel / half.width * 2 * shape.width + texel % half.width * 2;
        const auto mean = std::span(coarse).subspan(texel * channels, channels);
        const bool has_some = mean_of_known(
            image, known, {corner, corner + 1, corner + shape.width, corner + shape.width + 1},
            mean);
        coarse_known[texel] = has_some ? 1.0F : 0.0F;
    }
    coarse = plain_fill(std::move(coarse), coarse_known, half);
    for (std::size_t i = 0; i < image.size(); ++i) {
        const std::size_t texel = i / channels;
        const std::size_t y = std::min(texel / shape.width / 2, half.height - 1);
        const std::size_t x = std::min(texel % shape.width / 2, half.width - 1);
        image[i] =
            known[texel] > 0 ? image[i] : coarse[(y * half.width + x) * channels + i % channels];
    }
    return image;
}

TEST_CASE_METHOD(KernelsFixture, "holes are filled as a plain pyramid fills them") {
    std::vector<ImageShape> shapes = kShapes;
    shapes.push_back({.height = 9, .width = 7, .channels = 2});
    shapes.push_back({.height = 33, .width = 6, .channels = 1});
    for (const ImageShape& shape : shapes) {
        for (const float share : {0.02F, 0.3F, 0.97F, 1.0F}) {
            INFO(shape.height << " x " << shape.width << ", known " << share);
            Floats image = noise(shape.size(), 0, 1);
            Floats known = noise(shape.height * shape.width, 0, 1, 9);
            std::ranges::transform(known, known.begin(),
                                   [share](float own) { return own < share ? 1.0F : 0.0F; });
            known.front() = 1;
            for (std::size_t i = 0; i < image.size(); ++i) {
                if (!(known[i / shape.channels] > 0)) {
                    image[i] = std::numeric_limits<float>::quiet_NaN();
                }
            }
            const tensor::TensorRef filled = upload(image);

            images.fill_holes(filled, upload(known), shape);

            check_near(read(filled), plain_fill(image, known, shape), 1e-6F);
        }
    }
}

TEST_CASE_METHOD(KernelsFixture,
                 "a hole is filled within the range around it, and nothing else is") {
    const ImageShape shape{.height = 9, .width = 7, .channels = 2};
    Floats image(shape.size());
    Floats known(63, 1.0F);
    for (std::size_t texel = 0; texel < known.size(); ++texel) {
        const std::size_t x = texel % 7;
        const std::size_t y = texel / 7;
        image[2 * texel] = static_cast<float>(x) / 6.0F;
        if ((y == 3 || y == 4) && (x == 2 || x == 3)) {
            known[texel] = 0;
            image[2 * texel] = image[2 * texel + 1] = 99;
        }
    }
    const tensor::TensorRef filled = upload(image);

    images.fill_holes(filled, upload(known), shape);

    const Floats found = read(filled);
    for (std::size_t i = 0; i < image.size(); ++i) {
        INFO(i);
        if (known[i / 2] > 0) {
            REQUIRE(found[i] == image[i]);
        } else if (i % 2 == 0) {
            REQUIRE((found[i] > 0.2F && found[i] < 0.7F));
        } else {
            REQUIRE(found[i] == 0);
        }
    }
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
