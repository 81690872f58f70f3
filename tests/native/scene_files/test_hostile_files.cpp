// SPDX-License-Identifier: Apache-2.0
// Files of strangers: whatever they hold, there is one error, and no memory beyond their own size.
#include "core/error.hpp"
#include "core/file.hpp"
#include "samples.hpp"
#include "support/catch.hpp"
#include "support/temporary_folder.hpp"

#include <fstream>
#include <functional>
#include <random>

using namespace weft;
using namespace weft::scene_files::testing;
using nlohmann::json;
using scene_files::NewMember;

namespace {

namespace fs = std::filesystem;

constexpr const char* kDamaged = "' is no scene of Weft, or damaged (";

json one(const char* type, json fields) {
    return json::array({{{"type", type}, {"fields", std::move(fields)}}});
}

void refuse_text(const std::string& text, const std::string& reason,
                 const std::vector<NewMember>& arrays = {}) {
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "a.weft";
    write_file(path, text, arrays);
    INFO(text.substr(0, 300));
    CHECK_THROWS_WITH(scene_files::load(path),
                      ContainsSubstring("Scene.load: '") && ContainsSubstring(kDamaged) &&
                          ContainsSubstring("); save it again") && ContainsSubstring(reason));
}

void refuse_object(const char* type, json fields, const std::string& reason) {
    refuse_text(described(one(type, std::move(fields)), json::object()).dump(), reason);
}

void put(const fs::path& path, const std::vector<std::byte>& bytes) {
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

} // namespace

TEST_CASE("files that are no archive, or cut short, are refused") {
    set_trust_folder("");
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "a.weft";
    scene_files::save(everything(), path);
    const auto whole = core::try_read_file(path, 1U << 30U).value();

    put(path, {});
    CHECK_THROWS_WITH(scene_files::load(path), ContainsSubstring("File is not a zip file"));
    for (std::size_t size = 1; size < whole.size(); size += 97) {
        put(path, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
        CHECK_THROWS_AS(scene_files::load(path), core::ArgumentError);
    }
}

TEST_CASE("a file with any byte changed loads or is refused, and nothing else") {
    set_trust_folder("");
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "a.weft";
    scene_files::save(everything(), path);
    const auto whole = core::try_read_file(path, 1U << 30U).value();
    std::mt19937 random(1);
    std::size_t refused = 0;
    for (int trial = 0; trial < 400; ++trial) {
        auto bytes = whole;
        for (int k = 0; k < 3; ++k) {
            bytes[random() % bytes.size()] = static_cast<std::byte>(random());
        }
        put(path, bytes);
        try {
            static_cast<void>(scene_files::load(path, {.trust = true}));
        } catch (const core::ArgumentError&) {
            ++refused;
        }
    }
    CHECK(refused > 200); // sums of bytes find nearly all
}

TEST_CASE("texts with any member changed load or are refused, and nothing else") {
    set_trust_folder("");
    const test::TemporaryFolder folder;
    const fs::path path = folder.path() / "a.weft";
    scene_files::save(everything(), path);
    scene_files::ArchiveReader archive(path, false);
    const json whole = json::parse(archive.text("scene.json", 1U << 28U));
    std::vector<json> values{nullptr,
                             true,
                             -1,
                             1e300,
                             "x",
                             json::array(),
                             json::object(),
                             {{"ref", 0}},
                             {{"ref", 1U << 30U}},
                             {{"float", "nan"}},
                             {{"array", "../../etc/passwd"}}};
    const json flat = whole.flatten();
    const auto count = flat.size();
    std::size_t refused = 0;
    for (std::size_t k = 0; k < count; ++k) {
        json changed = whole;
        auto place = flat.begin();
        std::advance(place, static_cast<std::ptrdiff_t>(k));
        changed[json::json_pointer(place.key())] = values[k % values.size()];
        // The arrays are not there: what survives the text asks for them.
        write_file(path, changed.dump());
        try {
            static_cast<void>(scene_files::load(path, {.trust = true}));
        } catch (const core::ArgumentError&) {
            ++refused;
        }
    }
    CHECK(refused == count);
}

TEST_CASE("texts that describe no scene are refused") {
    refuse_text("{", "parse_error");
    refuse_text("[]", "'weft'");
    refuse_text(R"({"weft": "picture"})", "it is something else");
    refuse_text(R"({"weft": "scene", "version": 1})", "'objects'");
    refuse_text(R"({"weft": "scene", "version": "1"})", "its version is '1'");
    refuse_text(R"({"weft": "scene", "version": 1, "objects": [], "scene": {"x": 1}})",
                "a scene has no 'x'; it has objects, lights, cameras, environment, problems, "
                "light_paths");
    refuse_text(R"({"weft": "scene", "version": 1, "objects": [7], "scene": {}})", "'type'");
    refuse_text(R"({"weft": "scene", "version": NaN})", "parse_error");
    refuse_text(std::string(100000, '['), "nested too deep");
    refuse_text("{\"weft\": " + std::string(1000, '['), "nested too deep");
}

TEST_CASE("a newer version is named as such") {
    const test::TemporaryFolder folder;
    write_file(folder.path() / "a.weft", R"({"weft": "scene", "version": 99, "objects": 1})");
    CHECK_THROWS_WITH(
        scene_files::load(folder.path() / "a.weft"),
        ContainsSubstring("has version 99, this Weft reads up to 1; install a newer"));
}

TEST_CASE("references lead back, and to what they should") {
    refuse_object("Mix", {{"first", {{"ref", 0}}}, {"second", {{"ref", 0}}}},
                  "a reference is to object 0, not to one before it");
    refuse_object("Mix", {{"first", {{"ref", -1}}}}, "object -1");
    refuse_object("Mix", {{"first", {{"ref", 1.5}}}}, "object 1.5");
    refuse_object("Mix", {{"first", {{"ref", 18446744073709551615U}}}}, "not to one before it");
    refuse_object("Mix", {{"first", 3}}, "a reference to an object was expected, got 3");
    json objects = one("PointLight", {{"position", {0, 0, 0}}});
    objects.push_back(
        {{"type", "Material"}, {"fields", {{"name", "M"}, {"surface", {{"ref", 0}}}}}});
    refuse_text(described(objects, json::object()).dump(),
                "Material 'M': a surface was expected, got PointLight");
}

TEST_CASE("fields of other types, missing or unknown ones are refused") {
    refuse_object("os.system", json::object(), "'os.system'");
    refuse_object("Problem", {{"where", 1}, {"message", ""}}, "where must be a text, got 1");
    refuse_object("Problem", {{"where", ""}}, "Problem has no 'message'");
    refuse_object("PointLight", {{"position", {0, 0, 0}}, {"x", 1}}, "PointLight has no field 'x'");
    refuse_object("PointLight", {{"position", {0, 0}}},
                  "PointLight: position must be three numbers, got shape (2,)");
    refuse_object("PointLight", {{"position", {0, 0, 0}}, {"power", "much"}},
                  "PointLight: power must be a number, got 'much'");
    refuse_object(
        "PointLight", {{"position", {0, 0, 0}}, {"hidden_from", {"camera"}}},
        "kinds of ray are a sequence of diffuse, glossy, transmission, volume, got 'camera'");
    refuse_object("AreaLight", {{"transform", {{1, 0, 0, 0}}}},
                  "must be a finite (4, 4) or (3, 4)");
    refuse_object("Camera", {{"width", 0}, {"height", 1}}, "the image must have pixels, got 0 x 1");
    refuse_object("Camera", {{"width", 1.5}, {"height", 1}},
                  "width must be a whole number, got 1.5");
    refuse_object("Camera", {{"width", 1}, {"height", 1}, {"fov", {{"float", "nan"}}}},
                  "fov must lie between 0 and pi radians");
    refuse_object("UVSet", {{"index", -1}}, "the index must be an integer from 0, got -1");
    refuse_object("UVSet", {{"index", "0) + f("}}, "index must be a whole number");
    refuse_object("LightPaths", {{"glossy_bounces", 63}},
                  "LightPaths: glossy_bounces must be a whole number from 0 to 62 or None, got 63");
    refuse_object("Constant", {{"name", ""}, {"value", 1}},
                  "Constant: a name and one to four finite numbers are needed, got '', 1");
    refuse_object(
        "Closure",
        {{"kind", "diffuse"}, {"inputs", {{"map", json::array({json::array({"x", 1})})}}}},
        "Closure 'diffuse': there is no input 'x'; it has");
    refuse_object("SlangCall", {{"function", "f() { } void g"}, {"source", "x"}},
                  "SlangCall: function must be a name such as");
    refuse_object("SlangCall", {{"function", "f"}, {"source", "x"}, {"origin", ""}},
                  "SlangCall has no field 'origin'");
    refuse_object("Texture", {{"pixels", {1, 2}}}, "pixels must be (height, width, channels)");
    refuse_object("Texture", {{"pixels", {{{{"float", "inf"}}}}}},
                  "the pixel in row 0, column 0 is not finite; replace it");
    refuse_object("Environment", {{"image", {1, -1, 1}}}, "Environment");
    refuse_object("Mesh", {{"positions", {{0, 0, 0}}}, {"triangles", json::array({{0, 0, 1}})}},
                  "Mesh 'mesh': triangle 0 names vertices [0, 0, 1], the mesh has 1");
    refuse_object("Mesh", {{"positions", {{0, 0, 0}}}, {"triangles", json::array({{0, 0, -1}})}},
                  "triangle 0 names vertices");
    refuse_object("Mesh", {{"positions", {{0, 0}, {0}}}, {"triangles", json::array()}},
                  "rows of a list differ in length");
}

TEST_CASE("arrays are of the size that they say") {
    const json object = one("Environment", {{"image", {{"array", "a"}}}});
    const std::string text = described(object, json::object()).dump();
    refuse_text(text, "There is no item named 'a.npy' in the archive");
    refuse_text(text, "another version of numpy", {{.name = "a.npy", .head = "\x93NUMPY"}});
    const std::vector<std::uint64_t> huge{1ULL << 31U, 1ULL << 31U, 3};
    refuse_text(text, "is not of the size that its header says",
                {{.name = "a.npy", .head = scene_files::npy_header("<f4", huge)}});
    const std::vector<std::uint64_t> empty{0, 1ULL << 40U, 3};
    refuse_text(text, "must be (height, width, 3)",
                {{.name = "a.npy", .head = scene_files::npy_header("<f4", empty)}});
}

TEST_CASE("what a short text unfolds to stays small") {
    json objects = one("Closure", {{"kind", "none"}, {"inputs", {{"map", json::array()}}}});
    SECTION("a surface in which everything is twice in each other") {
        for (int k = 0; k < 60; ++k) {
            objects.push_back(
                {{"type", "Add"}, {"fields", {{"first", {{"ref", k}}}, {"second", {{"ref", k}}}}}});
        }
        refuse_text(described(objects, json::object()).dump(), "nest fewer");
    }
    SECTION("a surface that is deep") {
        for (int k = 0; k < 3000; ++k) {
            objects.push_back(
                {{"type", "Add"}, {"fields", {{"first", {{"ref", k}}}, {"second", {{"ref", 0}}}}}});
        }
        refuse_text(described(objects, json::object()).dump(), "nest fewer");
    }
    SECTION("a chain of functions") {
        objects = json::array();
        for (int k = 0; k < 3000; ++k) {
            const json argument = k == 0 ? json(1) : json{{"ref", k - 1}};
            objects.push_back(
                {{"type", "SlangCall"},
                 {"fields",
                  {{"function", "f"},
                   {"source", "x"},
                   {"arguments", {{"map", json::array({json::array({"a", argument})})}}}}}});
        }
        refuse_text(described(objects, json::object()).dump(), "nest fewer");
    }
    SECTION("one long name in many places") {
        objects = one("Camera", {{"width", 1}, {"height", 1}, {"name", std::string(100000, 'x')}});
        json cameras = json::array();
        for (int k = 0; k < 20000; ++k) {
            cameras.push_back({{"ref", 0}});
        }
        refuse_text(described(objects, {{"cameras", cameras}}).dump(), "listed far more often");
    }
}
