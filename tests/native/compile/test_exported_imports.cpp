// SPDX-License-Identifier: Apache-2.0
#include "compile/exported_imports.hpp"
#include "support/catch.hpp"

using namespace weft::compile;

TEST_CASE("imports are passed on, each once, in order") {
    CHECK(exported_imports("import mlp;\nvoid f() { }\nimport \"folder/noise\";import mlp;") ==
          "__exported import mlp; __exported import \"folder/noise\";");
}

TEST_CASE("what is no import, or passed on already, is left alone") {
    for (const std::string source :
         {"// import mlp;\n", "__exported import mlp;", "int important = 1;", "int my_import;",
          "const char* text = \"import mlp;\";", "import mlp", ""}) {
        CHECK(exported_imports(source).empty());
    }
}
