// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/file.hpp"
#include "samples.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <algorithm>
#include <limits>

using namespace weft;
using namespace weft::scene_files::testing;
using scene_files::SceneFile;

namespace {

SceneFile loaded(const std::filesystem::path& path) {
    return scene_files::load(path, {.trust = true});
}

std::vector<std::byte> bytes_of(const std::filesystem::path& path) {
    return core::try_read_file(path, 1U << 30U).value();
}

template <typename T>
bool equal(const scene::MeshArray<T>& a, const scene::MeshArray<T>& b) {
    return std::ranges::equal(a.values, b.values);
}

const scene::Closure& leaf(const scene::SurfaceRef& surface) {
    return std::get<scene::Closure>(surface->node);
}

template <typename T>
T held(const scene::Value* value) {
    REQUIRE(value != nullptr);
    REQUIRE(std::holds_alternative<T>(*value));
    return std::get<T>(*value);
}

} // namespace

TEST_CASE("a loaded scene is the one that was saved, to the byte") {
    set_trust_folder("");
    const test::TemporaryFolder folder;
    scene_files::save(everything(), folder.path() / "a.weft");

    scene_files::save(loaded(folder.path() / "a.weft"), folder.path() / "b.weft");

    CHECK(bytes_of(folder.path() / "a.weft") == bytes_of(folder.path() / "b.weft"));
}

TEST_CASE("meshes, objects and cameras come back") {
    set_trust_folder("");
    const test::TemporaryFolder folder;
    const SceneFile before = everything();
    scene_files::save(before, folder.path() / "a.weft");

    const SceneFile after = loaded(folder.path() / "a.weft");

    const scene::Mesh& mesh = *after.scene.objects.at(0).mesh;
    CHECK(equal(mesh.positions, before.scene.objects[0].mesh->positions));
    CHECK(equal(mesh.triangles, before.scene.objects[0].mesh->triangles));
    CHECK(equal(*mesh.normals, *before.scene.objects[0].mesh->normals));
    CHECK(equal(*mesh.slots, *before.scene.objects[0].mesh->slots));
    CHECK(mesh.uvs.at(0).name == "UVMap");
    CHECK(mesh.colors.at(0).name == "Grün");
    CHECK(after.scene.objects[0].transform == before.scene.objects[0].transform);
    CHECK(after.scene.objects[0].hidden_from == before.scene.objects[0].hidden_from);
    CHECK(after.scene.objects[0].terminator_offset == 0.125F);
    CHECK(after.scene.objects[0].mesh == after.scene.objects[1].mesh); // shared, as before
    CHECK(after.scene.objects[0].materials[1] == after.scene.objects[1].materials[0]);
    CHECK(after.cameras.at(0).shift == std::array<double, 2>{0.25, -0.5});
    CHECK(after.cameras.at(0).kind == scene::CameraKind::orthographic);
    CHECK(after.cameras.at(0).far == std::numeric_limits<double>::infinity());
    CHECK(after.cameras.at(1).far == 100);
    CHECK(after.problems.at(0).where == "Material 'Mixed'");
}

TEST_CASE("materials come back, with what they share") {
    set_trust_folder("");
    const test::TemporaryFolder folder;
    scene_files::save(everything(), folder.path() / "a.weft");

    const SceneFile after = loaded(folder.path() / "a.weft");

    const scene::Material& material = *after.scene.objects.at(0).materials.at(0);
    CHECK_FALSE(material.transparent_shadows);
    const auto& sum = std::get<scene::Add>(material.surface->node);
    const auto& mixed = std::get<scene::Mix>(sum.first->node);
    const auto texture =
        held<std::shared_ptr<scene::Texture>>(leaf(mixed.first).find("base_color"));
    CHECK(texture->wrap == scene::TextureWrap::mirror);
    CHECK(texture->filter == scene::TextureFilter::closest);
    CHECK(std::get<scene::UvSet>(*texture->uv).index == 1);
    CHECK(texture->pixels[4] == 0.5F);
    CHECK(leaf(mixed.first).option("distribution") == "ggx");
    const auto bump = held<std::shared_ptr<const scene::Bump>>(leaf(mixed.first).find("normal"));
    CHECK(bump->step == 0.01);
    CHECK(bump->is_surface);
    const auto call = std::get<std::shared_ptr<scene::SlangCall>>(mixed.factor);
    CHECK(call->source == kWave);
    CHECK(std::get<std::shared_ptr<scene::SlangCall>>(bump->height) == call);
    const auto map = std::get<std::shared_ptr<const scene::NormalMap>>(*bump->normal);
    CHECK(map->uv_set == 2);
    CHECK(map->space == scene::NormalSpace::object);
    CHECK(std::get<std::shared_ptr<scene::Texture>>(map->color) == texture);
    const auto shine =
        held<std::shared_ptr<const scene::Constant>>(leaf(mixed.second).find("color"));
    CHECK(std::get<scene::Numbers>(shine->value) == scene::Numbers{0.1, 0.2, 0.3});
    CHECK(after.scene.objects[0].materials[1]->volume != nullptr);
}

TEST_CASE("lights, environments and limits come back") {
    set_trust_folder("");
    const test::TemporaryFolder folder;
    scene_files::save(everything(), folder.path() / "a.weft");

    const SceneFile after = loaded(folder.path() / "a.weft");

    const auto& lights = after.scene.lights;
    CHECK(std::get<scene::PointLight>(lights.at(0).kind).position == scene::Vector3{1, 2, 3});
    CHECK(std::get<scene::SpotLight>(lights.at(1).kind).soft_falloff);
    CHECK(std::get<scene::SunLight>(lights.at(2).kind).strength == 3);
    const auto& area = std::get<scene::AreaLight>(lights.at(3).kind);
    CHECK(area.shape == scene::AreaShape::ellipse);
    CHECK(area.transform[3] == 7);
    CHECK(lights[3].profile == lights[1].profile);
    CHECK(lights[3].profile->image[5] == 6);
    CHECK(lights[3].profile->smooth == 0.25);
    CHECK_FALSE(lights[3].casts_shadow);
    const scene::Environment& sky = *after.scene.environment;
    CHECK(sky.strength == scene::Rgb{1, 0.5, 0.25});
    CHECK(sky.rotation[1] == -1);
    CHECK(sky.views.at(0).kind == 0);
    CHECK(sky.image[5] == 6);
    CHECK(after.scene.light_paths.diffuse_bounces == 3U);
    CHECK(after.scene.light_paths.clamp_indirect == 10);
}

TEST_CASE("what Python's scenes may leave out keeps its standard") {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "a.weft";
    nlohmann::json objects = nlohmann::json::array();
    objects.push_back({{"type", "PointLight"}, {"fields", {{"position", {1, 2, 3}}}}});
    objects.push_back({{"type", "Camera"}, {"fields", {{"width", 4}, {"height", 2}}}});
    write_file(path, described(objects, {{"lights", {{{"ref", 0}}}},
                                         {"cameras", {{{"ref", 1}}}},
                                         {"environment", nullptr}})
                         .dump());

    const SceneFile file = scene_files::load(path);

    CHECK(file.scene.lights.at(0).name == "point");
    CHECK(std::get<scene::PointLight>(file.scene.lights[0].kind).power == 1);
    CHECK(file.cameras.at(0).focus == 10);
}

TEST_CASE("values of vertices become those of corners, and lists arrays") {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "a.weft";
    const auto objects = nlohmann::json::parse(R"([
        {"type": "Mesh", "fields": {"positions": [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]],
                                    "triangles": [[2, 1, 0]],
                                    "uvs": {"map": [["UVMap", [[0, 0], [1, 0], [0, 1], [1, 1]]]]}}},
        {"type": "Closure", "fields": {"kind": "diffuse", "inputs": {"map": []}}},
        {"type": "Material", "fields": {"name": "M", "surface": {"ref": 1}}},
        {"type": "Object", "fields": {"mesh": {"ref": 0}, "materials": [{"ref": 2}]}}])");
    const auto parts = nlohmann::json::parse(R"({"objects": [{"ref": 3}]})");
    write_file(path, described(objects, parts).dump());

    const SceneFile file = scene_files::load(path);

    const auto& values = file.scene.objects.at(0).mesh->uvs.at(0).values.values;
    CHECK(std::vector<float>(values.begin(), values.end()) == std::vector<float>{0, 1, 1, 0, 0, 0});
}

TEST_CASE("what cannot be saved leaves the file as it was") {
    set_trust_folder("");
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "a.weft";
    scene_files::save(everything(), path);
    const auto before = bytes_of(path);

    SECTION("a texture without pixels") {
        auto bare = std::make_shared<scene::Texture>();
        bare->channels = 3;
        SceneFile file = everything();
        file.scene.objects[0].materials[0] =
            scene::material("Bare", scene::closure("diffuse", {{"color", bare}}));
        CHECK_THROWS_WITH(scene_files::save(file, path), ContainsSubstring("has no pixels"));
    }
    SECTION("a name that is no text") {
        SceneFile file = everything();
        file.cameras[0].name = "\xff";
        CHECK_THROWS_AS(scene_files::save(file, path), core::ArgumentError);
    }
    CHECK(bytes_of(path) == before);
    CHECK(std::distance(std::filesystem::directory_iterator(folder.path()), {}) == 1);
}

TEST_CASE("absent files and folders are not found") {
    const test::TemporaryFolder folder;
    CHECK_THROWS_WITH(scene_files::load(folder.path() / "absent.weft"),
                      ContainsSubstring("Scene.load: there is no file '"));
    CHECK_THROWS_WITH(scene_files::save({}, folder.path() / "absent" / "a.weft"),
                      ContainsSubstring("Scene.save: the folder of '"));
}
