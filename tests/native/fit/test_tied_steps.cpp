// SPDX-License-Identifier: Apache-2.0
// Maps of one material among the texels of a scene: what their steps move, pictures that show them, and saved arrays.
#include "core/error.hpp"
#include "drawn_texels.hpp"
#include "fit/tied_maps.hpp"
#include "support/catch.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace weft::fit {
namespace {

constexpr std::size_t kSide = 24;
constexpr std::size_t kTexels = kSide * kSide;
constexpr std::size_t kAfter = 5; ///< floats of another texture, which come last

MapGroup two_maps() {
    const ImageShape shape{.height = kSide, .width = kSide};
    return MapGroup({{.name = "m.roughness", .first = 0, .shape = shape},
                     {.name = "m.metallic", .first = kTexels, .shape = shape}});
}

struct TiedFixture {
    TiedMaps tied{two_maps(), constant_image(kSide, {0.5, 0.5})};
};

TEST_CASE_METHOD(TiedFixture, "steps move the texels of the maps, and no others") {
    std::vector<float> texels(2 * kTexels + kAfter, 0.5F);
    const std::vector<float> gradient(texels.size(), 0.1F);
    tied.add_blocks(constant_image(kSide, {1, 0, 0, 1}));

    tied.step(gradient, texels, tied_schedule(0, 20));

    const auto maps = std::span(texels).first(2 * kTexels);
    CHECK(std::ranges::all_of(maps, [](float texel) { return texel < 0.45F; }));
    CHECK(std::ranges::count(std::span(texels).last(kAfter), 0.5F) == kAfter);
}

TEST_CASE_METHOD(TiedFixture, "steps of fewer texels are refused in a sentence") {
    std::vector<float> few(1000, 0.5F);
    const std::vector<float> gradient(2 * kTexels, 0.1F);

    CHECK_THROWS_WITH(tied.step(gradient, few, tied_schedule(0, 20)),
                      ContainsSubstring("ends at 1152 of 1000 floats"));
    CHECK(std::ranges::count(few, 0.5F) == 1000);
}

TEST_CASE_METHOD(TiedFixture, "pictures that show a texel are counted") {
    std::vector<float> shown(2 * kTexels);
    std::fill_n(shown.begin(), kTexels / 2, 1.0F);

    tied.forget_views();
    tied.add_view(shown);
    tied.add_view(std::vector<float>(2 * kTexels, 1.0F));

    const std::vector<double> views = tied.save().doubles("views", kTexels);
    const auto middle = views.begin() + kTexels / 2;
    CHECK(std::count(views.begin(), middle, 2.0) == kTexels / 2);
    CHECK(std::count(middle, views.end(), 1.0) == kTexels / 2);
}

TEST_CASE_METHOD(TiedFixture, "arrays come back as they were, and others are refused by name") {
    std::vector<double> views(kTexels);
    std::iota(views.begin(), views.end(), 0.0);
    SavedArrays saved = tied.save();
    saved.arrays["views"] = SavedArray{{kSide, kSide}, views};

    tied.restore(saved);

    CHECK(tied.save().doubles("views", kTexels) == views);
    saved.add("mean", {0, 0, 0});
    CHECK_THROWS_WITH(tied.restore(saved), ContainsSubstring("'mean' must have 2 numbers, got 3"));
}

} // namespace
} // namespace weft::fit
