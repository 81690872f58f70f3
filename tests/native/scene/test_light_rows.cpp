// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/light_rows.hpp"
#include "support/catch.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <numbers>

using namespace weft;
using namespace weft::scene;
using namespace weft::scene::layouts;
using std::numbers::pi;

namespace {

constexpr Rgb kColor{0.25, 1, 0.5};
constexpr double kGrey = 0.2126 * 0.25 + 0.7152 + 0.0722 * 0.5;

double word(const LightRow& row, std::uint32_t number) {
    return static_cast<double>(std::bit_cast<float>(row.words[number]));
}

LightRow row_of(Light light, double extent = 1) {
    const std::vector<Light> lights{std::move(light)};
    return analytic_light_rows(lights, extent).rows.front();
}

} // namespace

TEST_CASE("a point light gives off its watts") {
    const LightRow row =
        row_of({.kind = PointLight{.position = {1, 2, 3}, .power = 8, .color = kColor}});

    CHECK(row.words[LightWord::kKind] == LightKind::kPoint);
    CHECK(row.power == Approx(8 * kGrey));
    CHECK(word(row, LightWord::kColor + 1) == Approx(8 / (4 * pi)));
    CHECK(word(row, LightWord::kPosition + 2) == 3);
    REQUIRE(row.bounds);
    CHECK(row.bounds->lowest == row.bounds->highest);
}

TEST_CASE("the radiance of a sphere over all directions and its surface is its power") {
    const double radius = 0.3;
    const LightRow row = row_of({.kind = PointLight{.power = 5, .radius = radius}});

    // A sphere that shines alike everywhere gives off pi times its radiance from each square metre.
    const double watts = word(row, LightWord::kColor) * pi * 4 * pi * radius * radius;
    CHECK(watts == Approx(5));
    CHECK(row.power == Approx(5));
    CHECK(row.bounds->highest[0] == Approx(radius));
}

TEST_CASE("a spot has the part of the watts that is in its cone") {
    const double angle = 1.1;
    const LightRow row = row_of(
        {.kind = SpotLight{.direction = {0, -2, 0}, .angle = angle, .blend = 0.5, .power = 7}});

    CHECK(row.words[LightWord::kKind] == LightKind::kSpot);
    CHECK(row.power == Approx(7 * (1 - std::cos(angle / 2)) / 2));
    CHECK(word(row, PointWord::kAxis + 1) == -1);
    CHECK(word(row, PointWord::kCosine) == Approx(std::cos(angle / 2)));
    CHECK(word(row, PointWord::kEdge) == Approx(0.5 * (1 - std::cos(angle / 2))));
    CHECK(row.bounds->theta_o == Approx(angle / 2));
}

TEST_CASE("a sun gives its irradiance to the disc of the scene, whatever its angle") {
    for (const double angle : {0.0, 0.01, 1.0}) {
        const LightRow row = row_of(
            {.kind =
                 SunLight{.direction = {0, 0, -3}, .strength = 2, .color = kColor, .angle = angle}},
            4);

        CHECK(row.words[LightWord::kKind] == LightKind::kSun);
        CHECK(row.power == Approx(2 * kGrey * pi * 16));
        CHECK(word(row, LightWord::kPosition + 2) == 1);
        CHECK_FALSE(row.bounds);
        // Radiance times the projected solid angle of the cone.
        const double solid = angle > 0 ? pi * std::pow(std::sin(angle / 2), 2) : 1;
        CHECK(word(row, LightWord::kColor + 1) * solid == Approx(2));
    }
}

TEST_CASE("the radiance of an area light over its surface and half space is its power") {
    for (const AreaShape shape : {AreaShape::rectangle, AreaShape::ellipse}) {
        const AreaLight light{.transform = {2, 0, 0, 1, 0, 1, 0, 0, 0, 0, 1, 0},
                              .size = {0.5, 3},
                              .shape = shape,
                              .power = 6};
        const LightRow row = row_of({.kind = light});

        const double area = shape == AreaShape::ellipse ? pi * 0.5 * 1.5 : 3.0;
        CHECK(word(row, AreaWord::kArea) == Approx(area));
        CHECK(word(row, LightWord::kColor) * pi * area == Approx(6));
        CHECK(row.power == Approx(6));
        CHECK(row.bounds->axis == std::array<float, 3>{0, 0, -1});
        CHECK(row.bounds->highest[0] == Approx(1.5));
    }
}

TEST_CASE("all the light of a spread is that of none") {
    const double spread = 1.2;
    const LightRow row = row_of({.kind = AreaLight{.power = 6, .spread = spread}});

    // spreadAttenuation() of light.slang over the cosine-weighted half space, as a sum.
    double sum = 0;
    constexpr int kSteps = 200'000;
    for (int k = 0; k < kSteps; k++) {
        const double theta = (k + 0.5) / kSteps * pi / 2;
        const double share = std::max(word(row, AreaWord::kSpread) - std::tan(theta), 0.0) *
                             word(row, AreaWord::kSpreadFactor);
        sum += share * 2 * std::cos(theta) * std::sin(theta) * pi / 2 / kSteps;
    }
    CHECK(sum == Approx(1).epsilon(1e-4));
    CHECK(row.bounds->theta_e == Approx(spread / 2 + 0.01));
}

TEST_CASE("rules of a light are bits of rays and of its shadow") {
    const LightRow row = row_of({.kind = PointLight(),
                                 .hidden_from = RayKind::kGlossy | RayKind::kVolume,
                                 .casts_shadow = false});
    CHECK(row.words[LightWord::kRules] ==
          (RayKind::kGlossy | RayKind::kVolume | LightRule::kShadowless));
    CHECK(row_of({.kind = PointLight()}).words[LightWord::kRules] == 0);
}

TEST_CASE("a profile is laid out once, rows from the bottom, and dims its lights by its mean") {
    const auto profile = light_profile({1, 1, 1, 1, 1, 1, 3, 3, 3, 3, 3, 3}, 2, 2, 0.5, 0.25);
    const std::vector<Light> lights{{.kind = PointLight{.power = 2}},
                                    {.kind = PointLight{.power = 2}, .profile = profile},
                                    {.kind = SpotLight{.power = 4}, .profile = profile}};

    const AnalyticLightRows out = analytic_light_rows(lights, 1);

    CHECK(out.rows[0].words[LightWord::kProfile] == 0);
    CHECK(out.rows[1].words[LightWord::kProfile] == 1);
    CHECK(out.rows[2].words[LightWord::kProfile] == 1);
    REQUIRE(out.profiles.size() == 1 + ProfileWord::kTexels + 12);
    CHECK(std::bit_cast<std::uint32_t>(out.profiles[1 + ProfileWord::kWidth]) == 2);
    CHECK(out.profiles[1 + ProfileWord::kDistancePower] == 0.5F);
    CHECK(out.profiles[1 + ProfileWord::kSmooth] == 0.25F);
    CHECK(out.profiles[1 + ProfileWord::kTexels] == 3);
    CHECK(out.profiles.back() == 1);
    CHECK(out.rows[1].power == Approx(2 * 2)); // both rows see the same solid angle
}

TEST_CASE("emissive triangles have the power of their sides") {
    const std::vector<double> corners{0, 0, 0, 2, 0, 0, 0, 1, 5, 0, 0, 1, 2, 0, 1, 0, 1, 1};
    const std::vector<LightBounds> bounds = triangle_bounds(corners, true);
    const std::vector<std::uint32_t> numbers{4, 9};
    const std::vector<double> areas{1.5, 1};

    const std::vector<LightRow> rows = triangle_rows({.instance = 3,
                                                      .triangles = numbers,
                                                      .areas = areas,
                                                      .radiance = kColor,
                                                      .both_sides = true,
                                                      .varies = true,
                                                      .bounds = bounds});

    REQUIRE(rows.size() == 2);
    CHECK(rows[0].power == Approx(kGrey * pi * 2 * 1.5));
    CHECK(rows[1].words[TriangleWord::kTriangle] == 9);
    CHECK(rows[1].words[TriangleWord::kInstance] == 3);
    CHECK(word(rows[1], TriangleWord::kBothSides) == 1);
    CHECK(word(rows[1], TriangleWord::kVaries) == 1);
    CHECK(rows[0].bounds->highest == std::array<float, 3>{2, 1, 5});
    CHECK(rows[0].bounds->theta_o == Approx(pi));
}

TEST_CASE("normals of triangles point where they shine") {
    const std::vector<double> corners{0, 0, 1, 2, 0, 1, 0, 1, 1};
    CHECK(triangle_bounds(corners, false)[0].axis == std::array<float, 3>{0, 0, 1});
    CHECK(triangle_bounds(corners, false, true)[0].axis == std::array<float, 3>{0, 0, -1});
    CHECK(triangle_bounds(corners, false)[0].theta_o == 0);

    const std::vector<double> point(9, 1.0); // any normal may be its
    CHECK(triangle_bounds(point, false)[0].theta_o == Approx(pi));
}

TEST_CASE("numbers of lights that cannot be are named") {
    constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
    CHECK_THROWS_WITH(row_of({.kind = PointLight{.power = kNan}, .name = "key"}),
                      ContainsSubstring("PointLight 'key': power must be finite"));
    CHECK_THROWS_WITH(row_of({.kind = SpotLight{.position = {0, kNan, 0}}}),
                      ContainsSubstring("position must be finite"));
    CHECK_THROWS_WITH(row_of({.kind = SunLight{.direction = {0, 0, 0}}}),
                      ContainsSubstring("direction must be three numbers, not all zero"));
    CHECK_THROWS_WITH(row_of({.kind = AreaLight{.size = {0, 1}}}),
                      ContainsSubstring("its area is zero"));
    CHECK_THROWS_WITH(row_of({.kind = AreaLight{.spread = 0}}),
                      ContainsSubstring("spread must be"));
    CHECK_THROWS_WITH(light_profile({1, 1, -1}, 1, 1), ContainsSubstring("not negative"));
    CHECK_THROWS_WITH(light_profile({1, 1}, 1, 1), ContainsSubstring("2 numbers"));
    CHECK_THROWS_WITH(triangle_bounds(std::vector<double>(8), false), ContainsSubstring("got 8"));
}
