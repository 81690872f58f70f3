// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/media.hpp"
#include "scene/texture_table.hpp"
#include "support/catch.hpp"

#include <numeric>

using namespace weft;
using namespace weft::scene;
using layouts::TextureWord;

TEST_CASE("levels are means of what they cover") {
    std::vector<float> pixels(15);
    std::iota(pixels.begin(), pixels.end(), 0.0F);
    const std::vector<MipLevel> levels = mip_levels(pixels, 5, 3, 1);

    REQUIRE(levels.size() == 2);
    // Columns 0, 1 and half of 2; half of 2, 3 and 4; all three rows.
    REQUIRE(levels[0].pixels.size() == 2);
    CHECK(levels[0].pixels[0] == Approx(5.8));
    CHECK(levels[0].pixels[1] == Approx(8.2));
    CHECK(levels[1].pixels == std::vector{7.0F});
}

TEST_CASE("every level has the mean of the image") {
    for (const std::uint32_t size : {1U, 2U, 3U, 7U, 16U, 45U}) {
        std::vector<float> pixels(std::size_t{3} * size * 9);
        for (std::size_t k = 0; k < pixels.size(); k++) {
            pixels[k] = static_cast<float>((k * 7919) % 101);
        }
        const double mean =
            std::accumulate(pixels.begin(), pixels.end(), 0.0) / static_cast<double>(pixels.size());
        for (const MipLevel& level : mip_levels(pixels, size, 9, 3)) {
            const double own = std::accumulate(level.pixels.begin(), level.pixels.end(), 0.0) /
                               static_cast<double>(level.pixels.size());
            CHECK(own == Approx(mean).epsilon(1e-5));
        }
        CHECK(packed_mip_levels(pixels, size, 9, 3).size() == packed_mip_size(size, 9, 3));
    }
}

TEST_CASE("texels lie from the bottom row up, levels behind all images") {
    const auto plain = texture({1, 2, 3, 4}, 1, 4, 1);
    const auto levelled = texture({5, 6, 7, 8}, 2, 2, 1);
    levelled->filter = TextureFilter::mipmap;
    levelled->wrap = TextureWrap::clip;
    const std::vector<std::shared_ptr<const Texture>> textures{levelled, plain};

    const TextureTable table = build_texture_table(textures);

    CHECK(table.texels == std::vector<float>{7, 8, 5, 6, 4, 3, 2, 1, 6.5F});
    REQUIRE(table.records.size() == 3);
    CHECK(table.records[0] == TextureRecord{0, 2, 2, 1, 2, 2, 2, 2});
    CHECK(table.records[1] == TextureRecord{4, 1, 4, 1, 0, 0, 1, 0});
    CHECK(table.records[2] == TextureRecord{8, 1, 1, 1, 2, 2, 1, 0});
}

TEST_CASE("a scene without textures has a table to bind") {
    CHECK(build_texture_table({}).records.size() == 1);
    CHECK(build_texture_table({}).texels.size() == 4);
}

TEST_CASE("textures that cannot be are refused") {
    CHECK_THROWS_WITH(mip_levels(std::vector<float>(5), 2, 2, 1),
                      ContainsSubstring("got 5 numbers"));
    const std::vector<TextureShape> huge(3,
                                         {.width = 1U << 15U, .height = 1U << 15U, .channels = 4});
    CHECK_THROWS_WITH(texture_records(huge), ContainsSubstring("fewer than 2^32"));
    const std::vector<std::shared_ptr<const Texture>> empty{std::make_shared<const Texture>()};
    CHECK_THROWS_WITH(build_texture_table(empty), ContainsSubstring("has no pixels"));
}

TEST_CASE("a place is inside of a tetrahedron if it is") {
    // Fronts point outwards.
    const std::vector<double> corners{0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1,
                                      0, 0, 0, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    CHECK(is_inside(corners, {0.2, 0.2, 0.2}));
    CHECK_FALSE(is_inside(corners, {0.5, 0.5, 0.5}));
    CHECK_FALSE(is_inside(corners, {0.2, 0.2, -0.2}));
    CHECK_FALSE(is_inside(corners, {0.2, 0.2, 0.2}, true));
    CHECK_THROWS_WITH(is_inside(std::vector<double>(4), {0, 0, 0}), ContainsSubstring("got 4"));
}
