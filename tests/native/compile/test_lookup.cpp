// SPDX-License-Identifier: Apache-2.0
#include "compile/lookup.hpp"
#include "compile_support.hpp"
#include "support/catch.hpp"

using namespace weft;
using namespace weft::compile;
using reflect::TypeKind;

TEST_CASE("a generic function is specialised by the arguments in its name") {
    const auto compiler = plain_compiler();
    const auto module = load_text(
        *compiler, "/// Sums.\nvector<T, N> gen<T : __BuiltinFloatingPointType, let N : int>"
                   "(vector<T, N> a, T b) { return a * b; }");

    const auto found = compiler->find_functions(*module, "gen<float, 4>");

    REQUIRE(found.size() == 1);
    CHECK(found[0].generics.empty());
    CHECK(found[0].full_name == "gen<float, 4>");
    CHECK(found[0].documentation == "Sums.");
    CHECK(found[0].parameters.at(0).type->full_name == "vector<float,4>");
    CHECK(found[0].return_type->columns == 4);
    CHECK(found[0].location.line == 2);
}

TEST_CASE("a generic function asked for without arguments keeps its parameters") {
    const auto compiler = plain_compiler();
    const auto module = load_text(*compiler, "T gen<T : IDifferentiable>(T a) { return a; }");

    const auto found = compiler->find_functions(*module, "gen");

    REQUIRE(found.size() == 1);
    CHECK(found[0].generics.at(0).name == "T");
}

TEST_CASE("all overloads are found, each with its own declaration") {
    const auto compiler = plain_compiler();
    const auto module = load_text(
        *compiler,
        "/// of float\nfloat f(float x) { return x; }\n/// of int\nfloat f(int x) { return x; }\n");

    const auto found = compiler->find_functions(*module, "f");

    REQUIRE(found.size() == 2);
    for (const auto& function : found) {
        const bool is_float = reflect::is_float(function.parameters.at(0).type->scalar);
        CHECK(function.documentation == (is_float ? "of float" : "of int"));
        CHECK(function.location.line == (is_float ? 2 : 4));
    }
}

TEST_CASE("methods are found through their structure, generic ones and those of extensions too") {
    const auto compiler = plain_compiler();
    const auto module = load_text(
        *compiler, "struct Foo<T> { T item; T get(T by) { return item; } };\n"
                   "struct Bar { float x; }; extension Bar { float more() { return x; } }\n");

    const auto get = compiler->find_functions(*module, "Foo<int>.get");
    const auto more = compiler->find_functions(*module, "Bar.more");

    REQUIRE(get.size() == 1);
    CHECK(get[0].owner == "Foo<int>");
    CHECK(get[0].this_type->fields.at(0).type->scalar == reflect::ScalarKind::int32);
    CHECK(get[0].parameters.at(0).type->scalar == reflect::ScalarKind::int32);
    REQUIRE(more.size() == 1);
    CHECK(more[0].name == "more");
}

TEST_CASE("types are found by their Slang spelling") {
    const auto compiler = plain_compiler();
    const auto module =
        load_text(*compiler, "struct Foo<T> { T item; };\nnamespace n { struct P { int a; }; }\n"
                             "typealias Alias = Foo<float>;");

    CHECK(compiler->find_type(*module, "float3")->columns == 3);
    CHECK(compiler->find_type(*module, "Foo<int>")->fields.at(0).type->scalar ==
          reflect::ScalarKind::int32);
    CHECK(compiler->find_type(*module, "n.P")->full_name == "n.P");
    CHECK(compiler->find_type(*module, "Alias")->full_name == "Foo<float>");
    CHECK(compiler->find_type(*module, "Ptr<float>")->kind == TypeKind::pointer);
    CHECK(compiler->find_type(*module, "float*")->element->scalar == reflect::ScalarKind::float32);
    CHECK(compiler->find_type(*module, "float[4]")->count == 4);
    CHECK(compiler->find_type(*module, "Tensor<float, 2>")->tensor.rank == 2);
}

TEST_CASE("names that are absent or no names at all are not found") {
    const auto compiler = plain_compiler();
    const auto module = load_text(*compiler, "float f(float x) { return x; }");

    for (const std::string name :
         {"nothing", "", "*", "1 + 2", "f(", "float3;", "Foo<", "<>", "a..b", "\"f\"", "f<",
          "float,", "struct X {}", "((((", "[", ",", "Nothing<float>", "Nothing.f"}) {
        INFO(name);
        CHECK(compiler->find_type(*module, name) == nullptr);
        CHECK(compiler->find_functions(*module, name).empty());
    }
}

TEST_CASE("pointer stars become Ptr before Slang sees them") {
    CHECK(normalize_name("float*") == "Ptr<float>");
    CHECK(normalize_name("Foo<int> * *") == "Ptr<Ptr<Foo<int>>>");
    CHECK_FALSE(normalize_name("a*b").has_value());
    CHECK_FALSE(normalize_name(std::string(5000, 'a')).has_value());
}
