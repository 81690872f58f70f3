// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/sha256.hpp"
#include "samples.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"
#include "support/temporary_folder.hpp"

using namespace weft;
using namespace weft::scene_files::testing;

namespace {

scene_files::SceneFile scene_of(std::shared_ptr<scene::SlangCall> call) {
    const auto material =
        scene::material("M", scene::closure("diffuse", {{"roughness", std::move(call)}}));
    scene_files::SceneFile file;
    file.scene.objects = {
        scene::object({.mesh = patch(), .materials = {material, material}, .name = "o"})};
    return file;
}

std::shared_ptr<scene::SlangCall> node(const std::string& function) {
    scene::SlangCall call;
    call.function = function;
    call.module = "weft.nodes";
    return scene::slang_call(std::move(call));
}

std::filesystem::path root() {
    return test::shader_directory().parent_path();
}

std::string origin_of(const scene_files::SceneFile& file) {
    const auto& surface = *file.scene.objects.at(0).materials.at(0)->surface;
    const auto* const value = std::get<scene::Closure>(surface.node).find("roughness");
    return std::get<std::shared_ptr<scene::SlangCall>>(*value)->origin;
}

} // namespace

TEST_CASE("functions of others need trust, those of this user do not") {
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "a.weft";
    set_trust_folder(folder.path() / "mine");
    scene_files::save(scene_of(wave()), path, root());
    CHECK(origin_of(scene_files::load(path, {.root = root()})).empty());
    const auto kept = folder.path() / "mine" / (core::sha256(kWave) + ".slang");
    CHECK(core::try_read_file(kept, 1000).has_value()); // where Python looks for it

    set_trust_folder(folder.path() / "of another");

    CHECK_THROWS_WITH(
        scene_files::load(path, {.root = root()}),
        ContainsSubstring("a.weft' was not loaded, because it carries Slang functions "
                          "that this user has not saved, and they would run with your "
                          "rights: 'wave' (73 characters: [Differentiable]"));
    const auto trusted = scene_files::load(path, {.trust = true, .root = root()});
    CHECK(origin_of(trusted) == core::utf8_path(path));

    // What only a flag trusts does not become the user's own by being saved again.
    scene_files::save(trusted, path, root());
    CHECK_THROWS_AS(scene_files::load(path, {.root = root()}), core::ArgumentError);
}

TEST_CASE("Weft's nodes need no trust, other functions of its module do") {
    set_trust_folder("");
    const test::TemporaryFolder folder;
    const auto path = folder.path() / "a.weft";

    scene_files::save(scene_of(node("noSuchNode")), path, root());
    CHECK_THROWS_AS(scene_files::load(path, {.root = root()}), core::ArgumentError);
    scene_files::save(scene_of(node("invertColor")), path, root());
    CHECK_NOTHROW(scene_files::load(path, {.root = root()}));
    CHECK_THROWS_AS(scene_files::load(path, {.root = folder.path()}), core::ArgumentError);
}
