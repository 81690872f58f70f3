// SPDX-License-Identifier: Apache-2.0
// Which pixels verdicts and weights of photos look at.
#include "fit/validation_plan.hpp"
#include "support/catch.hpp"

#include <numeric>
#include <set>

using namespace weft::fit;

namespace {

ViewPixels whole(std::size_t width, std::size_t height) {
    ViewPixels out{.pixels = std::vector<std::uint32_t>(width * height), .width = width};
    std::iota(out.pixels.begin(), out.pixels.end(), 0U);
    return out;
}

} // namespace

TEST_CASE("small pictures are looked at whole, each pixel in one draw") {
    const std::vector<ViewPixels> views{whole(100, 80), whole(20, 10)};
    const ValidationPlan plan = plan_validation(views, 4, 1 << 20);
    CHECK(plan.samples == 63); // 2^20 / (2 * 8200)
    CHECK(plan.pixels[0].size() == 8000);
    std::vector<std::uint32_t> drawn;
    for (std::size_t round = 0; round < plan.rounds(); ++round) {
        const std::vector<std::uint32_t> part = plan.part(0, round);
        CHECK(part.size() <= plan.at_once);
        drawn.insert(drawn.end(), part.begin(), part.end());
    }
    CHECK(drawn == views[0].pixels);
    CHECK(plan.part(1, plan.rounds() - 1) == std::vector<std::uint32_t>{0});
}

TEST_CASE("large pictures are looked at in tiles all over them") {
    const std::vector<ViewPixels> views{whole(1024, 512)};
    const ValidationPlan plan = plan_validation(views, 4, 1 << 20);
    const std::vector<std::uint32_t>& chosen = plan.pixels[0];
    CHECK(chosen.size() > 50000);
    CHECK(chosen.size() < 80000);
    std::set<std::uint32_t> quarters;
    for (const std::uint32_t pixel : chosen) {
        quarters.insert(pixel / 1024 / 128 * 4 + pixel % 1024 / 256);
    }
    CHECK(quarters.size() == 16);
    CHECK(plan.samples == (1 << 20) / (2 * std::ssize(chosen)));
}

TEST_CASE("samples are at least those of the fit, and a view without pixels is drawn in none") {
    const std::vector<ViewPixels> views{whole(300, 300), {.pixels = {}, .width = 5}};
    const ValidationPlan plan = plan_validation(views, 16, 1 << 18);
    CHECK(plan.samples == 16);
    CHECK(plan.part(1, 0).empty());
    CHECK(plan_validation(views, 200, 1 << 18).samples == kMostValidationSamples);
}
