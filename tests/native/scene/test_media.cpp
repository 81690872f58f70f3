// SPDX-License-Identifier: Apache-2.0
#include "scene/media.hpp"
#include "scene/scene_traits.hpp"
#include "support/catch.hpp"

using namespace weft::scene;

namespace {

/// A cube of size 2 around the origin.
MeshRef cube() {
    Mesh described{.name = "cube"};
    std::vector<float> positions;
    for (int k = 0; k < 8; ++k) {
        positions.insert(positions.end(), {(k & 1) != 0 ? 1.0F : -1.0F, (k & 2) != 0 ? 1.0F : -1.0F,
                                           (k & 4) != 0 ? 1.0F : -1.0F});
    }
    described.positions = std::move(positions);
    described.triangles =
        std::vector<std::uint32_t>{0, 2, 3, 0, 3, 1, 4, 5, 7, 4, 7, 6, 0, 1, 5, 0, 5, 4,
                                   2, 6, 7, 2, 7, 3, 0, 4, 6, 0, 6, 2, 1, 3, 7, 1, 7, 5};
    return mesh(std::move(described));
}

MaterialRef fog(const char* name, double emission = 0) {
    NamedValues inputs{{"scattering", Numbers{1, 1, 1}}};
    if (emission > 0) {
        inputs.emplace_back("emission", Numbers{emission, emission, emission});
    }
    return material(name, closure("transparent"), closure("medium", std::move(inputs)));
}

/// Two cubes of fog, the second twice as large, and a plain one far away.
Scene foggy() {
    Scene scene;
    const MeshRef shape = cube();
    scene.objects = {object({.mesh = shape, .materials = {fog("Thin")}}),
                     object({.mesh = shape,
                             .materials = {fog("Thick")},
                             .transform = {-2, 0, 0, 0, 0, 2, 0, 0, 0, 0, 2, 0}}),
                     object({.mesh = shape,
                             .materials = {material("Plain", closure("diffuse"))},
                             .transform = {1, 0, 0, 9, 0, 1, 0, 0, 0, 0, 1, 0}})};
    return scene;
}

Camera camera_at(double x, double scale = 0) {
    Camera camera{.width = 4, .height = 4};
    camera.transform = {1, 0, 0, x, 0, 1, 0, 0, 0, 0, 1, 0};
    if (scale > 0) {
        camera.kind = CameraKind::orthographic;
        camera.scale = scale;
    }
    return camera;
}

using Stack = std::array<std::uint32_t, layouts::MediaLimit::kDepth>;

} // namespace

TEST_CASE("media are counted by object and material, those that let nothing in are none") {
    const std::vector<ObjectMedium> media = media_of(foggy());

    REQUIRE(media.size() == 2);
    CHECK(media[0].object == 0);
    CHECK(media[1].object == 1);
    CHECK(media[1].material == 1);
    CHECK(media_of({}).empty());
}

TEST_CASE("a camera is in the media around it, of mirrored objects too") {
    CHECK(camera_media(foggy(), camera_at(0)).stack == Stack{1, 2});
    CHECK(camera_media(foggy(), camera_at(1.5)).stack == Stack{2});
    CHECK(camera_media(foggy(), camera_at(3)).stack == Stack{});
    CHECK(camera_media(foggy(), camera_at(9)).stack == Stack{});
}

TEST_CASE("a medium that begins within an orthographic film is told") {
    CHECK_FALSE(camera_media(foggy(), camera_at(0, 0.5)).differs_at_corners);
    CHECK(camera_media(foggy(), camera_at(0, 3)).differs_at_corners);
    CHECK_FALSE(camera_media(foggy(), camera_at(0)).differs_at_corners);
}

TEST_CASE("a medium with emission may light a scene") {
    Scene scene = foggy();
    CHECK_FALSE(has_emissive_media(scene));

    scene.objects.front().materials = {fog("Glow", 2)};

    CHECK(has_emissive_media(scene));
}

TEST_CASE("traits say what a scene has, and join over its lights") {
    Scene scene = foggy();
    const GeometryTable geometry = build_geometry_table(scene);
    const MaterialTable materials = build_material_table(materials_of(scene));
    const SceneTraits traits = scene_traits(scene, geometry, materials, {.kinds = 2});
    CHECK(traits.has_media);
    CHECK(traits.has_transparency);
    CHECK_FALSE(traits.has_limits);
    CHECK_FALSE(traits.has_light_rules);
    CHECK(traits.light_kinds == 2);

    scene.lights = {{.kind = PointLight{}, .name = "key", .casts_shadow = false}};
    scene.environment = std::make_shared<const Environment>(environment(Rgb{1, 1, 1}));
    scene.light_paths.clamp_indirect = 3;
    const SceneTraits other =
        scene_traits(scene, geometry, materials, {.kinds = 2, .has_light_tree = true});
    CHECK(other.light_kinds == (2 | 1U << layouts::LightKind::kEnvironment));
    CHECK(other.has_limits);
    CHECK(other.has_light_rules);

    const std::vector<SceneTraits> each{traits, other};
    const SceneTraits joined = joined_traits(each);
    CHECK(joined.has_limits);
    CHECK(joined.has_light_tree);
    CHECK(joined.has_media);
    CHECK(joined.light_kinds == other.light_kinds);
}
