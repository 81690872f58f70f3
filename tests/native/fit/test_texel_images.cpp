// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/thread_pool.hpp"
#include "drawn_texels.hpp"
#include "fit/quantiles.hpp"
#include "fit/texel_blocks.hpp"
#include "fit/texel_image.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>

using namespace weft;

TEST_CASE("quantiles are linear between neighbours") {
    CHECK(fit::quantile({3, 1, 2, 5, 4}, 0.5) == 3);
    CHECK(fit::quantile({3, 1, 2, 4}, 0.9) == Approx(3.7));
    CHECK(fit::quantile({7}, 0.98) == 7);
    CHECK(fit::quantile({}, 0.98) == 0);
    CHECK(fit::median({4, 1, 3, 2}) == 2.5);
}

TEST_CASE("a blur keeps constants") {
    const fit::TexelImage image = fit::constant_image(7, {3.0, -1.0});

    const fit::TexelImage found = fit::blurred_by(image, 2);

    for (std::size_t i = 0; i < found.values.size(); ++i) {
        CHECK(found.values[i] == Approx(image.values[i]));
    }
}

TEST_CASE("a blur of a texel is a Gaussian") {
    fit::TexelImage image({.height = 15, .width = 17, .channels = 1});
    image.values[7 * 17 + 8] = 1;

    const fit::TexelImage found = fit::blurred_by(image, 1.5);

    const double middle = found.values[7 * 17 + 8];
    CHECK(found.values[9 * 17 + 8] / middle == Approx(std::exp(-0.5 * 4 / 2.25)));
    CHECK(found.values[6 * 17 + 11] / middle == Approx(std::exp(-0.5 * (1 + 9) / 2.25)));
    CHECK(fit::blurred_by(image, 0).values == image.values);
}

TEST_CASE("a blur is that of numpy and of any number of threads") {
    const fit::TexelImage image = fit::drawn_image(2, {.height = 4, .width = 5, .channels = 1});
    const std::vector<double> expected{0.520093590304, 0.47607243779, 0.438315412769,
                                       0.456521766537, 0.525451197067};
    const fit::TexelImage large = fit::drawn_image(3, {.height = 90, .width = 70, .channels = 2});
    core::ThreadPool pool(3);

    const fit::TexelImage found = fit::blurred_by(image, 1.3);

    for (std::size_t x = 0; x < 5; ++x) {
        CHECK(found.values[5 + x] == Approx(expected[x]).epsilon(1e-10));
    }
    CHECK(fit::blurred_by(large, 2.5, &pool).values == fit::blurred_by(large, 2.5).values);
}

TEST_CASE("the derivative of the total variation is that of finite differences") {
    const double soft = 0.1;
    const fit::ImageShape shape{.height = 5, .width = 6, .channels = 2};
    const auto variation = [&](const fit::TexelImage& image) {
        double sum = 0;
        for (std::size_t i = 0; i < shape.size(); ++i) {
            const std::size_t x = i / shape.channels % shape.width;
            const std::size_t row = shape.width * shape.channels;
            if (x + 1 < shape.width) {
                sum += std::hypot(image.values[i + shape.channels] - image.values[i], soft);
            }
            if (i + row < shape.size()) {
                sum += std::hypot(image.values[i + row] - image.values[i], soft);
            }
        }
        return sum;
    };
    const fit::TexelImage image = fit::drawn_image(1, shape);

    const fit::TexelImage found = fit::variation_derivative(image, soft);

    for (std::size_t i = 0; i < shape.size(); ++i) {
        fit::TexelImage above = image;
        fit::TexelImage below = image;
        above.values[i] += 1e-5;
        below.values[i] -= 1e-5;
        // The derivative is in float.
        CHECK(found.values[i] == Approx((variation(above) - variation(below)) / 2e-5).margin(1e-5));
    }
}

TEST_CASE("texels that pictures hardly tell of are not known") {
    const std::vector<bool> known = fit::find_known(std::vector<double>{1, 0.01, 0.03, 2, 0, 1});

    CHECK(known == std::vector<bool>{true, false, true, true, false, true});
    CHECK(fit::find_known(std::vector<double>{0, 0}) == std::vector<bool>{false, false});
}

TEST_CASE("lifted blocks keep what was positive") {
    fit::TexelImage blocks({.height = 1, .width = 2, .channels = 4});
    blocks.values = {2, 0.3, 0.3, 1, 1, 1.2, 1.2, 1};

    const fit::TexelImage found = fit::positive_blocks(blocks, 0.02);

    CHECK(std::vector(found.values.begin(), found.values.begin() + 4) ==
          std::vector<double>{2, 0.3, 0.3, 1});
    // Eigenvalues of 2.2 and -.2 along (1, 1) and (1, -1): the second is lifted.
    CHECK(found.values[4] == Approx((2.2 + 0.02) / 2));
    CHECK(found.values[5] == Approx((2.2 - 0.02) / 2));
    CHECK(found.values[6] == Approx(found.values[5]));
}

TEST_CASE("lifted blocks of many numbers are positive definite") {
    for (const std::size_t count : {3U, 8U, 11U}) {
        fit::TexelImage blocks =
            fit::drawn_image(5, {.height = 3, .width = 3, .channels = count * count});
        for (std::size_t texel = 0; texel < 9; ++texel) {
            double* own = blocks.values.data() + texel * count * count;
            for (std::size_t i = 0; i < count; ++i) {
                for (std::size_t j = 0; j < i; ++j) {
                    own[i * count + j] = own[j * count + i];
                }
            }
        }

        const fit::TexelImage once = fit::positive_blocks(blocks, 0.02);
        const fit::TexelImage twice = fit::positive_blocks(once, 1e-6);

        CHECK(once.values != blocks.values);
        CHECK(twice.values == once.values);
    }
}

TEST_CASE("images of other shapes are refused") {
    const fit::TexelImage image({.height = 2, .width = 2, .channels = 3});

    CHECK_THROWS_AS(fit::positive_blocks(image, 0.02), core::ArgumentError);
    CHECK_THROWS_AS(fit::blurred_by({image.shape, std::vector<double>(3)}, 1), core::ArgumentError);
}
