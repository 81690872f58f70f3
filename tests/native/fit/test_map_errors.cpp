// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "drawn_texels.hpp"
#include "fit/map_errors.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <cmath>

using namespace weft;

namespace {

constexpr std::size_t kSide = 24;

fit::Matrix matrix_of(const std::vector<double>& values) {
    fit::Matrix out(2, 2);
    out.values = values;
    return out;
}

/// Of two numbers of which the pictures tell the same in all texels.
fit::MapUncertainty uncertain(const std::vector<double>& block,
                              const std::vector<double>& covariance, double off_center = 0) {
    const fit::TexelImage blocks = fit::constant_image(kSide, block);
    const fit::Matrix learned = matrix_of(covariance);
    const fit::TexelImage off = fit::constant_image(kSide, {off_center, off_center});
    const std::vector<double> views(kSide * kSide, 2.0);
    return fit::find_uncertainty({.blocks = blocks,
                                  .covariance = learned,
                                  .informed = std::vector<bool>(kSide * kSide, true),
                                  .off_center = off,
                                  .extent = {1, 1},
                                  .sharing = 1,
                                  .views = views});
}

} // namespace

TEST_CASE("errors are those of linear regression where all is told") {
    const fit::MapUncertainty found = uncertain({4e4, 1e4, 1e4, 2e4}, {0.04, 0, 0, 0.04});

    const double determinant = 4e4 * 2e4 - 1e4 * 1e4;
    for (std::size_t texel = 0; texel < kSide * kSide; ++texel) {
        CHECK(found.errors.texel(texel)[0] == Approx(std::sqrt(2e4 / determinant)).epsilon(0.05));
        CHECK(found.errors.texel(texel)[1] == Approx(std::sqrt(4e4 / determinant)).epsilon(0.05));
    }
}

TEST_CASE("a learned prior does not confirm itself") {
    const fit::MapUncertainty found =
        uncertain({5e3, 5e3, 5e3, 5e3}, {0.02 + 1e-5, 0.02, 0.02, 0.02 + 1e-5});

    // Of the difference of both nothing is known but that it is within the range.
    CHECK(std::ranges::min(found.errors.values) > 0.15);
    CHECK(found.correlation(0, 1) > 0.9);
    CHECK(found.correlation(0, 0) == Approx(1));
}

TEST_CASE("what is not told may be at the other end of the range") {
    const fit::MapUncertainty found = uncertain({1e4, 0, 0, 0}, {1e-5, 0, 0, 1e-5}, 0.5);

    for (std::size_t texel = 0; texel < kSide * kSide; ++texel) {
        CHECK(found.errors.texel(texel)[0] < 0.02);
        CHECK(found.errors.texel(texel)[1] == Approx(std::sqrt(1.0 / 3)).epsilon(0.05));
    }
}

TEST_CASE("a picture tells three numbers of a texel") {
    // Eigenvalues 1.5 along (1, 1, 1, 1, 1) and 1 across it.
    fit::TexelImage block({.height = 1, .width = 1, .channels = 25});
    for (std::size_t i = 0; i < 25; ++i) {
        block.values[i] = (i % 6 == 0 ? 1.0 : 0.0) + 0.1;
    }
    const auto trace = [](const fit::TexelImage& image) {
        double sum = 0;
        for (std::size_t i = 0; i < 5; ++i) {
            sum += image.values[6 * i];
        }
        return sum;
    };

    // Entries are 1.1 times those with unit diagonal.
    CHECK(trace(fit::told_blocks(block, std::vector<double>{3})) == Approx(1.5 + 1 + 1));
    CHECK(trace(fit::told_blocks(block, std::vector<double>{6})) == Approx(5.5));
    CHECK(trace(fit::told_blocks(block, std::vector<double>{0})) == Approx(0).margin(1e-12));
}

TEST_CASE("weak and negative eigenvalues tell nothing") {
    const std::vector<double> most{6};
    fit::TexelImage block({.height = 1, .width = 1, .channels = 4});
    block.values = {1, 0.97, 0.97, 1};

    const fit::TexelImage told = fit::told_blocks(block, most);

    for (const double entry : told.values) {
        CHECK(entry == Approx(1.97 / 2));
    }
    block.values = {-1, 0, 0, -1};
    CHECK(fit::told_blocks(block, most).values == std::vector<double>(4));
}

TEST_CASE("what blocks tell is what numpy finds") {
    fit::TexelImage block({.height = 1, .width = 1, .channels = 9});
    block.values = {2, 0.3, 1.2, 0.3, 1, 0.4, 1.2, 0.4, 1};
    const std::vector<double> expected{1.886332322337, 0.279296002936, 1.287742721383,
                                       0.279296002936, 0.996228870834, 0.415981896378,
                                       1.287742721383, 0.415981896378, 0.932269354719};

    const fit::TexelImage told = fit::told_blocks(block, std::vector<double>{2});

    for (std::size_t i = 0; i < 9; ++i) {
        CHECK(told.values[i] == Approx(expected[i]).epsilon(1e-10));
    }
}

TEST_CASE("evidence that does not fit together is refused") {
    const fit::TexelImage blocks = fit::constant_image(2, {1, 0, 0, 1});
    const fit::Matrix learned = matrix_of({1, 0, 0, 1});
    const fit::TexelImage off = fit::constant_image(2, {0, 0});
    const std::vector<double> views(3, 1.0);

    CHECK_THROWS_AS(fit::told_blocks(blocks, views), core::ArgumentError);
    CHECK_THROWS_AS(fit::find_uncertainty({.blocks = blocks,
                                           .covariance = learned,
                                           .informed = std::vector<bool>(4, true),
                                           .off_center = off,
                                           .extent = {1, 1},
                                           .sharing = 1,
                                           .views = views}),
                    core::ArgumentError);
}
