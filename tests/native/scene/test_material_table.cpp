// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "scene/directions.hpp"
#include "scene/material_table.hpp"
#include "scene/parameter_names.hpp"
#include "support/catch.hpp"

using namespace weft::scene;
using weft::core::ArgumentError;

namespace {

MaterialRef painted(std::string name, double red) {
    return material(std::move(name), closure("diffuse", {{"color", Numbers{red, 0.2, 0.1}}}));
}

} // namespace

TEST_CASE("materials that differ in numbers only share a program") {
    const std::vector materials{painted("a", 0.5), material("b", closure("glossy")),
                                painted("c.001", 0.7)};

    const MaterialTable table = build_material_table(materials);

    CHECK(table.programs.size() == 2);
    REQUIRE(table.records.size() == 3);
    CHECK(table.records[2].program == 0);
    CHECK(table.records[2].first == 4 + 6);
    CHECK(table.values[10] == 0.7F);
    const ParameterRange* const found = table.find("\"c.001\".color");
    REQUIRE(found != nullptr);
    CHECK(found->first == 10);
    CHECK(found->parameter.size == 3);
    CHECK(table.find("c.001.color") == nullptr);
}

TEST_CASE("materials of one program keep the names and ranges of their own constants") {
    const auto with = [](const char* material_name, const char* name, double high) {
        return material(material_name,
                        closure("diffuse", {{"roughness", constant(name, 0.5, 0, high)}}));
    };
    const std::vector materials{with("a", "Rough", 1), with("b", "Dull", 2)};

    const MaterialTable table = build_material_table(materials);

    CHECK(table.programs.size() == 1);
    REQUIRE(table.find("b.Dull") != nullptr);
    CHECK(table.find("b.Dull")->parameter.bounds[1] == 2);
}

TEST_CASE("a texture has one number, and is fixed if it drives a normal of any material") {
    const auto image = [] { return texture(std::vector<float>(3, 0.5F), 1, 1, 3); };
    const auto shared = image();
    const auto normals = std::array{image(), image()};
    std::vector<MaterialRef> materials;
    for (std::size_t k = 0; k < 2; k++) {
        materials.push_back(
            material(k == 0 ? "a" : "b",
                     closure("diffuse", {{"color", shared},
                                         {"normal", normal_map({.color = normals.at(k)})}})));
    }

    const MaterialTable table = build_material_table(materials);

    CHECK(table.programs.size() == 1);
    CHECK(table.textures ==
          std::vector<std::shared_ptr<const Texture>>{shared, normals[0], normals[1]});
    CHECK(table.fixed_textures == std::vector<std::size_t>{1, 2});
    REQUIRE(table.texture_uses.size() == 4);
    CHECK(table.texture_uses[1].name == "a.color");
    CHECK(table.texture_uses[3].name == "b.color");
    CHECK(table.texture_uses[3].texture == 0);
}

TEST_CASE("a scene without parameters has a value all the same") {
    CHECK(build_material_table(std::vector{material("m", closure("none"))}).values.size() == 1);
    CHECK(build_material_table({}).records.empty());
    CHECK_THROWS_AS(build_material_table(std::vector<MaterialRef>{nullptr}), ArgumentError);
}

TEST_CASE("names are quoted where they would be read as something else") {
    for (const std::string part : {"a.b", "", "\"", "\\", " a", "a\xC2\xA0", "x\ny", "i[0]"}) {
        const std::vector parts{part, std::string("Value")};
        const std::string name = join_name(parts);
        CHECK(name.front() == '"');
        CHECK(split_name(name) == parts);
        CHECK(split_owner(name).owner == part);
        CHECK(split_owner(name).rest == "Value");
    }
    CHECK(quoted_part("Base Color") == "Base Color");
    CHECK_THROWS_AS(split_name(""), ArgumentError);
    CHECK_THROWS_AS(split_name("\"a.b"), ArgumentError);
    CHECK_THROWS_AS(split_name("\"a\"b"), ArgumentError);
}

TEST_CASE("a material answers the directions that move its own parameters") {
    const std::vector<MaterialRecord> records{{0, 0}, {1, 2}, {0, 2}};
    const std::vector<float> rows{1, 0, 0, 0, 0, 2, 0, 3};

    const DirectionTable table = lay_out_directions(records, rows, 4);

    CHECK(table.slots == 2);
    CHECK(table.lengths == std::vector<std::uint32_t>{2, 0, 1});
    CHECK(table.starts == std::vector<std::uint32_t>{0, 2, 2, 3});
    CHECK(table.numbers == std::vector<std::uint32_t>{0, 1, 1, 0});
    CHECK(table.seeds == std::vector<float>{1, 0, 0, 2, 0, 3, 0, 0});
    CHECK(table.moved == std::vector<std::uint8_t>{1, 1, 0, 1});
    CHECK_THROWS_AS(lay_out_directions(records, rows, 3), ArgumentError);
}
