// SPDX-License-Identifier: Apache-2.0
#include "compile/entry_points.hpp"
#include "support/catch.hpp"

using namespace weft;
using namespace weft::compile;

TEST_CASE("attributes of entry points get names that Slang leaves alone") {
    CHECK(
        rename_entry_point_attributes("[shader(\"compute\")]\n[numthreads(8, 4, 1)] void f() {}") ==
        "[weft_s(\"compute\")]\n[weft_group(8, 4, 1)] void f() {}");
    CHECK(rename_entry_point_attributes("[ shader (\"compute\"), numthreads ( 8 , 4 , 1 ) ]") ==
          "[ weft_s (\"compute\"), weft_group ( 8 , 4 , 1 ) ]");
}

TEST_CASE("extents that [numthreads] leaves out are 1") {
    CHECK(rename_entry_point_attributes("[numthreads(64)]") == "[weft_group(64, 1, 1)]");
    CHECK(rename_entry_point_attributes("[numthreads(max(8, 4), 2)]") ==
          "[weft_group(max(8, 4), 2, 1)]");
    CHECK(rename_entry_point_attributes("[numthreads(1)] [numthreads(2)]") ==
          "[weft_group(1, 1, 1)] [weft_group(2, 1, 1)]");
}

TEST_CASE("the words elsewhere stay as they are") {
    for (const char* const text :
         {"float numthreads(float x) { return x; }", "int shader = 1;", "// [numthreads(1)]",
          "/* [shader(\"compute\")] */ int x;", "[mynumthreads(4)]", "a[shader]"}) {
        CHECK(rename_entry_point_attributes(text) == text);
    }
}

TEST_CASE("an attribute without its end does no harm") {
    CHECK(rename_entry_point_attributes("[numthreads(8, 4") == "[weft_group(8, 4");
}

TEST_CASE("renamed attributes become properties of the function") {
    reflect::Function function;
    function.attributes = {{.name = "weft_group", .arguments = {std::int64_t{8}, std::int64_t{4}}},
                           {.name = "weft_s", .arguments = {std::string("compute")}},
                           {.name = "Label", .arguments = {std::string("x")}}};

    take_entry_point_attributes(function);

    CHECK(function.is_entry_point);
    CHECK(function.group_size == std::array<std::int32_t, 3>{8, 4, 1});
    REQUIRE(function.attributes.size() == 1);
    CHECK(function.attributes[0].name == "Label");
}

TEST_CASE("a function without [numthreads] is no entry point") {
    reflect::Function function;
    function.attributes = {{.name = "weft_s", .arguments = {std::string("compute")}}};

    take_entry_point_attributes(function);

    CHECK_FALSE(function.is_entry_point);
}
