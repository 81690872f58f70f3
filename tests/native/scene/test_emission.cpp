// SPDX-License-Identifier: Apache-2.0
#include "scene/emission.hpp"
#include "support/catch.hpp"

using namespace weft::scene;

namespace {

SurfaceRef dark() {
    return closure("diffuse");
}

SurfaceRef light(double strength, NamedValues more = {}) {
    more.emplace_back("color", Numbers{1.0, 0.5, 0.25});
    more.emplace_back("strength", strength);
    return closure("emission", more);
}

} // namespace

TEST_CASE("light that is the same everywhere is added and mixed") {
    const auto [surface, red] = GENERATE(table<SurfaceRef, double>({
        {light(4), 4},
        {mix(dark(), light(4), 0.25), 1},
        {mix(light(4), dark(), 0.25), 3},
        {mix(light(4), light(8), 0.75), 7},
        {add(light(4), light(8)), 12},
        {add(light(4), dark()), 4},
        {mix(add(light(4), light(4)), dark(), 0.5), 4},
        {mix(dark(), light(4), constant("Share", 0.5)), 2},
    }));

    const std::optional<Emission> found = emitted_radiance(*surface);

    REQUIRE(found.has_value());
    CHECK(found->radiance == std::array{red, red / 2, red / 4});
    CHECK(light_of(*surface) == found);
}

TEST_CASE("what gives off no light has none of its own") {
    for (const SurfaceRef& surface :
         {dark(), light(0), mix(light(4), dark(), 1.0), mix(dark(), light(4), 0.0)}) {
        CHECK(emitted_radiance(*surface) == std::nullopt);
    }
    CHECK(light_of(*dark()) == std::nullopt);
    CHECK(light_of(*light(0)) == std::nullopt);
}

TEST_CASE("light that differs from place to place is looked up") {
    const SurfaceRef one_sided = mix(light(4), light(4, {{"both_sides", 0.0}}), 0.5);
    const SurfaceRef below_alpha =
        closure("principled", {{"emission_strength", 2.0}, {"alpha", 0.5}});
    const SurfaceRef by_position = closure("emission", {{"color", Attribute::position}});

    for (const SurfaceRef& surface : {one_sided, below_alpha, by_position}) {
        CHECK(emitted_radiance(*surface) == std::nullopt);
        CHECK(light_of(*surface) ==
              Emission{.radiance = {1, 1, 1}, .both_sides = true, .varies = true});
    }
}
