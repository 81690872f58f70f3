// SPDX-License-Identifier: Apache-2.0
#include "compile/constant_blocks.hpp"

#include "support/catch.hpp"

using namespace weft::compile;

TEST_CASE("members of a block become uniforms on the lines where they stand") {
    CHECK(open_constant_blocks(
              "cbuffer Lamp : register(b0, space1)\n{\n    float3 color;\n"
              "    // float old;\n    float power[2] : packoffset(c1.x);\n}\nint i;") ==
          "                                   \n \n    uniform float3 color;\n"
          "    // float old;\n    uniform float power[2]                   ;\n \nint i;");
    CHECK(open_constant_blocks("tbuffer T { float a; };") == "            uniform float a;  ;");
}

TEST_CASE("text without blocks stays as it is") {
    for (const char* text : {"float cbuffers; int my_cbuffer(int x) { return x; }",
                             "// cbuffer A { float x; }\nfloat f();", "", "cbuffer", "cbuffer A {",
                             "int f(int cbuffer) { return 1; }"}) {
        CHECK(open_constant_blocks(text) == text);
    }
}

TEST_CASE("blocks know their members") {
    const auto blocks = constant_blocks("cbuffer A { float3 color : packoffset(c0), other; uniform "
                                        "float w[2][3]; vector<float, 3> v; "
                                        "struct Inner { int x; }; Inner inner;\n#ifdef X\n float "
                                        "q;\n#endif\n }\ntbuffer B { int n = 3; }");

    REQUIRE(blocks.size() == 2);
    CHECK(blocks[0].name == "A");
    CHECK(blocks[0].members == std::vector<std::string>{"color", "other", "w", "v", "inner", "q"});
    CHECK(blocks[1].name == "B");
    CHECK(blocks[1].members == std::vector<std::string>{"n"});
}
