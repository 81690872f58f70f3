// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "drawn_texels.hpp"
#include "fit/map_group.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <numeric>

using namespace weft;

namespace {

constexpr std::size_t kSide = 24;

fit::MapRegion region(std::string name, std::size_t first, fit::ImageShape shape) {
    return {.name = std::move(name), .first = first, .shape = shape};
}

/// Roughness of the whole grid, and metallic of a coarser one.
fit::MapGroup two_sizes(std::size_t height, std::size_t width) {
    return fit::MapGroup({region("m.roughness", 0, {.height = kSide, .width = kSide}),
                          region("m.metallic", kSide * kSide, {.height = height, .width = width})});
}

double sum_of(const fit::TexelImage& image, std::size_t channel) {
    double sum = 0;
    for (std::size_t i = channel; i < image.values.size(); i += image.shape.channels) {
        sum += image.values[i];
    }
    return sum;
}

} // namespace

TEST_CASE("overlaps of parts of a length are shares of either") {
    const std::vector<fit::Overlap> own = fit::overlaps(3, 2, false);
    const std::vector<fit::Overlap> shares = fit::overlaps(3, 2, true);

    CHECK(own[0].weights == fit::Vector{1.0});
    REQUIRE(own[1].weights.size() == 2);
    CHECK(own[1].weights[0] == Approx(0.5));
    CHECK(own[2].first == 1);
    CHECK(shares[0].weights[0] == Approx(2.0 / 3));
    CHECK(shares[1].weights[1] == Approx(1.0 / 3));
    CHECK(fit::overlaps(5, 5, true)[3].first == 3);
    CHECK_THROWS_AS(fit::overlaps(2, 3, false), core::ArgumentError);
}

TEST_CASE("maps of other sizes share a grid") {
    for (const auto& [height, width] :
         {std::pair{kSide / 2, kSide / 3}, std::pair<std::size_t, std::size_t>{7, 10},
          std::pair<std::size_t, std::size_t>{1, 1}}) {
        const fit::MapGroup group = two_sizes(height, width);
        const std::size_t count = kSide * kSide + height * width;
        const std::vector<float> texels = fit::drawn_floats(4, count, 0.6, 0.2);

        const fit::TexelImage maps = group.gather(texels);
        const fit::TexelImage sums = group.gather_sums(texels);

        const auto own = std::span(texels).subspan(kSide * kSide);
        const auto [least, most] = std::ranges::minmax(own);
        CHECK(sum_of(sums, 1) == Approx(std::accumulate(own.begin(), own.end(), 0.0)));
        for (std::size_t texel = 0; texel < kSide * kSide; ++texel) {
            CHECK(maps.values[2 * texel] == static_cast<double>(texels[texel]));
            CHECK(maps.values[2 * texel + 1] > static_cast<double>(least) - 1e-6);
            CHECK(maps.values[2 * texel + 1] < static_cast<double>(most) + 1e-6);
        }
        // The first derivative of any change on the grid is that of what the map becomes by it.
        const fit::TexelImage change = fit::drawn_image(5, group.shape());
        const std::vector<float> slope = fit::drawn_floats(6, count, 2, -1);
        std::vector<float> moved(count);
        group.scatter(change, moved);
        const fit::TexelImage slopes = group.gather_sums(slope);
        CHECK(std::inner_product(slopes.values.begin(), slopes.values.end(), change.values.begin(),
                                 0.0) ==
              Approx(std::inner_product(slope.begin(), slope.end(), moved.begin(), 0.0))
                  .margin(1e-3));
    }
}

TEST_CASE("whole ratios of sizes lose nothing") {
    const fit::MapGroup group = two_sizes(kSide / 2, kSide / 3);
    const std::vector<float> texels = fit::drawn_floats(7, kSide * kSide * 7 / 6);
    std::vector<float> again(texels.size());

    group.scatter(group.gather(texels), again);

    for (std::size_t i = 0; i < texels.size(); ++i) {
        CHECK(again[i] == Approx(texels[i]).margin(1e-6));
    }
}

TEST_CASE("three maps are gathered as numpy does") {
    const fit::MapGroup group({region("m.base_color", 0, {.height = 4, .width = 6, .channels = 3}),
                               region("m.roughness", 72, {.height = 2, .width = 4}),
                               region("m.metallic", 80, {.height = 4, .width = 6})});
    const std::vector<float> texels = fit::drawn_floats(1, 104);
    const std::vector<double> gathered{0.175645798445, 0.686045110226, 0.084879636765,
                                       0.219276487827, 0.070770226419};

    const fit::TexelImage maps = group.gather(texels);
    const fit::TexelImage sums = group.gather_sums(texels);

    CHECK(group.shape().channels == 5);
    for (std::size_t i = 0; i < 5; ++i) {
        CHECK(maps.texel(9)[i] == Approx(gathered[i]).epsilon(1e-10));
    }
    CHECK(sums.texel(9)[3] == Approx(0.073092162609).epsilon(1e-10));
}

TEST_CASE("blocks tell channels apart by the partner of a color") {
    const std::size_t texels = kSide * kSide;
    const fit::MapGroup group(
        {region("m.base_color", 0, {.height = kSide, .width = kSide, .channels = 3}),
         region("m.roughness", 3 * texels, {.height = kSide, .width = kSide})});
    const std::vector<float> by_color = fit::drawn_floats(1, 4 * texels);
    const std::vector<float> by_roughness = fit::drawn_floats(2, 4 * texels);
    const std::vector<std::span<const float>> answers{by_color, by_roughness};

    const fit::TexelImage blocks = group.blocks(answers);

    const fit::TexelImage color = group.gather(by_color);
    const fit::TexelImage rough = group.gather(by_roughness);
    for (std::size_t texel = 0; texel < texels; ++texel) {
        const auto block = blocks.texel(texel);
        for (std::size_t i = 0; i < 3; ++i) {
            CHECK(block[i * 5] == color.texel(texel)[i]);
            CHECK(block[i * 4 + 3] == rough.texel(texel)[i]);
            CHECK(block[12 + i] == block[i * 4 + 3]);
        }
        CHECK(block[15] == rough.texel(texel)[3]);
        CHECK(block[1] == 0);
    }
    CHECK_THROWS_AS(group.blocks(std::span(answers).first(1)), core::ArgumentError);
}

TEST_CASE("blocks of two numbers are the means of both answers") {
    const fit::MapGroup group({region("m.roughness", 0, {.height = 1, .width = 2}),
                               region("m.metallic", 2, {.height = 1, .width = 2})});
    const std::vector<float> first{1, 2, 3, 4};
    const std::vector<float> second{5, 6, 7, 8};
    const std::vector<std::span<const float>> answers{first, second};

    const fit::TexelImage blocks = group.blocks(answers);

    CHECK(blocks.values == std::vector<double>{1, 4, 4, 7, 2, 5, 5, 8});
}

TEST_CASE("maps of other materials are in no group") {
    const fit::ImageShape shape{.height = 2, .width = 2};
    std::vector<fit::MapRegion> regions{
        region("a.roughness", 0, shape),        region("b.roughness", 4, shape),
        region("\"c.d\".metallic", 8, shape),   region("b.base_color", 12, shape),
        region("\"c.d\".roughness", 24, shape), region("a.metallic", 28, shape)};
    regions.back().is_light = true;

    const auto groups = fit::group_maps(regions);

    CHECK(groups == std::vector<std::vector<std::size_t>>{{1, 3}, {2, 4}});
}

TEST_CASE("texels that are missing are refused") {
    const fit::MapGroup group = two_sizes(2, 2);
    std::vector<float> few(kSide * kSide + 3);

    CHECK_THROWS_AS(group.gather(few), core::ArgumentError);
    CHECK_THROWS_AS(group.scatter(fit::TexelImage(group.shape()), few), core::ArgumentError);
    CHECK_THROWS_AS(fit::MapGroup({}), core::ArgumentError);
    CHECK_THROWS_AS(fit::MapGroup({region("m.ior", 0, {.height = 0, .width = 2})}),
                    core::ArgumentError);
}
