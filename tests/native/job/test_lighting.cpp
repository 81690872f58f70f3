// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "job/lighting.hpp"
#include "scene/light_changes.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using namespace weft;
using weft::test::TemporaryFolder;
using Names = std::vector<std::string>;

namespace {

scene::Scene lit() {
    scene::Mesh triangle;
    triangle.positions = std::vector<float>{0, 0, 0, 1, 0, 0, 1, 1, 0};
    triangle.triangles = std::vector<std::uint32_t>{0, 1, 2};
    scene::Scene out;
    out.objects = {scene::object(
        {.mesh = scene::mesh(triangle),
         .materials = {scene::material("Glow", scene::closure("emission", {{"strength", 2.0}}))}})};
    out.lights = {{.kind = scene::PointLight{.power = 10}, .name = "key"},
                  {.kind = scene::PointLight{.power = 5}, .name = "fill"}};
    out.environment =
        std::make_shared<const scene::Environment>(scene::environment(scene::Rgb{1, 1, 1}));
    return out;
}

job::TargetEntry target(std::optional<Names> shining) {
    return {.place = "job.toml:2", .name = "a", .shining = std::move(shining)};
}

std::vector<scene::Camera> cameras(std::size_t count) {
    // Looks along +x from (1, 2, 3): its right is -y, its up z.
    const scene::Camera own{.transform = {0, 0, -1, 1, -1, 0, 0, 2, 0, 1, 0, 3}};
    return std::vector<scene::Camera>(count, own);
}

std::string message_of(const job::TargetEntry& entry) {
    try {
        static_cast<void>(job::light_targets(lit(), {entry}, cameras(1)));
    } catch (const core::ArgumentError& error) {
        return error.what();
    }
    return "no error";
}

} // namespace

TEST_CASE("targets that name lights show these, and targets that do not show all") {
    const std::vector<job::TargetEntry> targets{target(std::nullopt), target(Names{"key"}),
                                                target(Names{"Glow"}), target(Names{"key"})};
    const job::Lighting lighting = job::light_targets(lit(), targets, cameras(4));

    CHECK(lighting.shown == std::vector<std::size_t>{0, 1, 2, 1});
    REQUIRE(lighting.scenes.size() == 2);
    CHECK(scene::light_names(lighting.scenes[0]) == Names{"key", "environment"});
    CHECK(scene::light_names(lighting.scenes[1]) == Names{"environment", "Glow"});
    CHECK(lighting.scenes[0].objects[0].mesh == lighting.scenes[1].objects[0].mesh);
}

TEST_CASE("lights of a camera are placed in the world") {
    job::TargetEntry own = target(Names{});
    own.own_lights = {
        {.light = {.kind = scene::SpotLight{.position = {0.5, 0, -2}}, .name = "spot"},
         .is_at_camera = true},
        {.light = {.kind = scene::AreaLight{.transform = {1, 0, 0, 0, 0, 1, 0, 0.25, 0, 0, 1, 0}},
                   .name = "area"},
         .is_at_camera = true},
        {.light = {.kind = scene::PointLight{.position = {7, 8, 9}}, .name = "point"}}};
    own.world = job::WorldEntry{};
    const job::Lighting lighting = job::light_targets(lit(), {own}, cameras(1));

    const scene::Scene& scene = lighting.scenes.at(0);
    CHECK(scene::light_names(scene) == Names{"spot", "area", "point"});
    const auto& spot = std::get<scene::SpotLight>(scene.lights[0].kind);
    CHECK(spot.position == scene::Vector3{3, 1.5, 3});
    CHECK(spot.direction == scene::Vector3{1, 0, 0});
    CHECK(std::get<scene::AreaLight>(scene.lights[1].kind).transform ==
          scene::LightTransform{0, 0, -1, 1, -1, 0, 0, 2, 0, 1, 0, 3.25});
    CHECK(std::get<scene::PointLight>(scene.lights[2].kind).position == scene::Vector3{7, 8, 9});
}

TEST_CASE("a world comes from an image") {
    const TemporaryFolder folder;
    std::string bytes = "PF\n1 1\n-1.0\n";
    const std::array<float, 3> pixel{1, 2, 3};
    bytes.append(reinterpret_cast<const char*>(pixel.data()), sizeof(pixel));
    job::TargetEntry own = target(std::nullopt);
    own.world = job::WorldEntry{.image = folder.write("sky.pfm", bytes), .strength = {2, 2, 2}};
    const job::Lighting lighting = job::light_targets(lit(), {own}, cameras(1));

    const scene::Scene& scene = lighting.scenes.at(0);
    CHECK(scene.lights.size() == 2);
    CHECK(scene.environment->strength == scene::Rgb{2, 2, 2});
    CHECK(std::vector<float>(scene.environment->image.begin(), scene.environment->image.end()) ==
          std::vector<float>{1, 2, 3});
}

TEST_CASE("the material of an unknown sky shines where a target has no world") {
    job::TargetEntry at_night = target(std::nullopt);
    at_night.world = job::WorldEntry{};
    job::TargetEntry by_key = at_night;
    by_key.shining = Names{"key"};
    const job::Lighting lighting = job::light_targets(
        lit(), {target(std::nullopt), target(Names{"fill"}), at_night, by_key}, cameras(4), "Glow");

    CHECK(lighting.shown == std::vector<std::size_t>{0, 1, 2, 3});
    REQUIRE(lighting.scenes.size() == 3);
    CHECK(scene::light_names(lighting.scenes[0]) == Names{"fill", "environment", "Glow"});
    CHECK(scene::light_names(lighting.scenes[1]) == Names{"key", "fill"});
    CHECK(scene::light_names(lighting.scenes[2]) == Names{"key"});
    try {
        static_cast<void>(job::light_targets(lit(), {target(Names{"Glow"})}, cameras(1), "Glow"));
        FAIL("a sky is no light of a target");
    } catch (const core::ArgumentError& error) {
        CHECK_THAT(error.what(), ContainsSubstring("there are key, fill; the world is chosen by"));
    }
}

TEST_CASE("lights that the scene does not have are refused with their place") {
    CHECK_THAT(message_of(target(Names{"keys"})),
               ContainsSubstring("job.toml:2: target 'a': no light of the scene is called 'keys'; "
                                 "there are key, fill, Glow"));
    CHECK_THAT(message_of(target(Names{"environment"})),
               ContainsSubstring("the world is chosen by world"));
    job::TargetEntry absent = target(std::nullopt);
    absent.world = job::WorldEntry{.image = "absent.pfm"};
    CHECK_THAT(message_of(absent), ContainsSubstring("no file 'absent.pfm'"));
}
