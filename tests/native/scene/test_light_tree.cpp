// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/light_cone.hpp"
#include "scene/light_tree.hpp"
#include "support/catch.hpp"

#include <cmath>
#include <cstring>
#include <numbers>
#include <random>

using namespace weft;
using namespace weft::scene;
using std::numbers::pi;

namespace {

using Direction = std::array<double, 3>;

double angle_between(const Direction& a, const Direction& b) {
    const double along = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    return std::acos(std::clamp(along, -1.0, 1.0));
}

class Draw {
public:
    double number() { return static_cast<double>(m_random() >> 8U) / 16777216.0; }
    Direction direction() {
        const double z = 2 * number() - 1;
        const double phi = 2 * pi * number();
        const double r = std::sqrt(1 - z * z);
        return {r * std::cos(phi), r * std::sin(phi), z};
    }

private:
    std::mt19937 m_random{7};
};

LightBounds light_at(std::array<float, 3> place, float power = 1) {
    LightBounds light;
    light.lowest = light.highest = place;
    light.theta_e = static_cast<float>(pi / 2);
    light.power = power;
    return light;
}

/// Lights of all kinds of cones and powers; with a power far above 1 they crowd towards the origin.
std::vector<LightBounds> make_lights(std::size_t count, double crowding = 1) {
    Draw draw;
    std::vector<LightBounds> lights;
    for (std::size_t i = 0; i < count; ++i) {
        const auto at = static_cast<float>(std::pow(draw.number(), crowding));
        LightBounds light = light_at({at, at * static_cast<float>(draw.number()), 0.1F * at});
        light.highest[0] += 0.01F * at;
        const Direction axis = draw.direction();
        for (std::size_t k = 0; k < 3; ++k) {
            light.axis[k] = static_cast<float>(axis[k]);
        }
        light.theta_o = static_cast<float>(i % 3 == 0 ? 0.0 : pi * draw.number());
        light.power = static_cast<float>(0.1 + draw.number());
        lights.push_back(light);
    }
    return lights;
}

/// The leaf that a trail leads to; checks that every node on the way holds the light's box and power.
std::uint32_t follow(const LightTree& tree, std::uint32_t trail, const LightBounds& light) {
    std::uint32_t node = 0;
    for (int bit = 31; bit >= 0; --bit) {
        if (trail >> static_cast<unsigned>(bit) == 1) {
            for (int next = bit - 1; next >= 0; --next) {
                const LightNode& at = tree.nodes[node];
                for (std::size_t k = 0; k < 3; ++k) {
                    REQUIRE(at.lowest[k] <= light.lowest[k]);
                    REQUIRE(at.highest[k] >= light.highest[k]);
                }
                REQUIRE(at.power >= light.power);
                REQUIRE((at.child & kLightLeafBit) == 0);
                node = at.child + ((trail >> static_cast<unsigned>(next)) & 1U);
            }
            break;
        }
    }
    return tree.nodes[node].child;
}

} // namespace

TEST_CASE("trails lead to every light, within the depth that they have bits for") {
    for (const double crowding : {1.0, 60.0}) {
        const std::vector<LightBounds> lights = make_lights(3000, crowding);

        const LightTree tree = build_light_tree(lights);

        REQUIRE(tree.nodes.size() == 2 * lights.size() - 1);
        for (std::uint32_t i = 0; i < lights.size(); ++i) {
            REQUIRE(follow(tree, tree.trails[i], lights[i]) == (kLightLeafBit | i));
        }
    }
}

TEST_CASE("lights in one place, in a row, alone and without power are built") {
    const LightTree heap = build_light_tree(std::vector(100, light_at({1, 2, 3})));
    CHECK(heap.nodes.size() == 199);

    std::vector<LightBounds> row;
    for (int i = 0; i < 64; ++i) {
        row.push_back(light_at({static_cast<float>(i), 0, 0}));
    }
    const LightTree line = build_light_tree(row);
    CHECK(line.nodes.size() == 127);
    for (const std::uint32_t trail : line.trails) {
        CHECK(trail < (1U << 12U)); // about halved, not peeled off one by one
    }

    const LightTree one =
        build_light_tree(std::vector{light_at({0, 0, 0}, 0), light_at({1, 1, 1})});
    REQUIRE(one.nodes.size() == 1);
    CHECK(one.nodes[0].child == (kLightLeafBit | 1U));
    CHECK(one.trails == std::vector<std::uint32_t>{0, 1});

    CHECK(build_light_tree({}).nodes.empty());
    CHECK(build_light_tree(std::vector{light_at({0, 0, 0}, 0)}).nodes.empty());
}

TEST_CASE("equal lights give equal trees") {
    const auto lights = make_lights(500);
    const LightTree a = build_light_tree(lights);
    const LightTree b = build_light_tree(lights);

    CHECK(a.trails == b.trails);
    CHECK(std::memcmp(a.nodes.data(), b.nodes.data(), a.nodes.size() * sizeof(LightNode)) == 0);
}

TEST_CASE("near lights of one direction are kept together") {
    std::vector<LightBounds> lights;
    for (int i = 0; i < 40; ++i) {
        lights.push_back(light_at({0.01F * static_cast<float>(i % 20), 0, i < 20 ? 0.F : 9.F}));
    }

    const LightTree tree = build_light_tree(lights);

    CHECK(tree.nodes[1].power == Approx(20));
    CHECK(tree.nodes[1].highest[2] - tree.nodes[1].lowest[2] == 0);
}

TEST_CASE("a joined cone holds the directions of both") {
    Draw draw;
    for (int round = 0; round < 2000; ++round) {
        const LightCone a{draw.direction(), pi * draw.number() * draw.number(), 1};
        const LightCone b{draw.direction(), pi * draw.number() * draw.number(), 0.5};

        const LightCone both = join(a, b);

        CHECK(both.theta_e == 1);
        const Direction d = draw.direction();
        if (angle_between(d, a.axis) <= a.theta_o || angle_between(d, b.axis) <= b.theta_o) {
            CHECK(angle_between(d, both.axis) <= both.theta_o + 1e-6);
        }
    }
    CHECK(join({{0, 0, 1}, 0, 0}, {{0, 0, -1}, 0, 0}).theta_o == Approx(pi));
    CHECK(join({{0, 0, 1}, 0.3, 0}, {{0, 0, 1}, 0.1, 0}).theta_o == Approx(0.3));
}

TEST_CASE("the measure of a cone is that of the sphere at most") {
    CHECK(solid_angle_measure({{0, 0, 1}, pi, pi / 2}) == Approx(4 * pi));
    CHECK(solid_angle_measure({{0, 0, 1}, 0, pi / 2}) == Approx(pi)); // a flat light
    CHECK(solid_angle_measure({{0, 0, 1}, 0, 0}) == Approx(0).margin(1e-12));
}

TEST_CASE("lights that cannot be are refused by number") {
    std::vector<LightBounds> lights = make_lights(3);
    const auto message = [&] {
        try {
            (void)build_light_tree(lights);
        } catch (const core::ArgumentError& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    lights[2].power = -1;
    CHECK_THAT(message(), ContainsSubstring("build_light_tree: light 2 must"));
    lights[2] = lights[1];
    lights[1].lowest[0] = std::nanf("");
    CHECK_THAT(message(), ContainsSubstring("light 1 must"));
    lights[1] = lights[0];
    lights[0].axis = {2, 0, 0};
    CHECK_THAT(message(), ContainsSubstring("light 0 must"));
}
