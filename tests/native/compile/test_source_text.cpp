// SPDX-License-Identifier: Apache-2.0
#include "compile/source_text.hpp"
#include "support/catch.hpp"

using weft::compile::parse_literal;
using weft::compile::SourceText;
using weft::reflect::Literal;

TEST_CASE("literals are parsed with their sign, base and suffix") {
    CHECK(parse_literal("42") == Literal(std::int64_t{42}));
    CHECK(parse_literal(" - 7u ") == Literal(std::int64_t{-7}));
    CHECK(parse_literal("0x1fUL") == Literal(std::int64_t{31}));
    CHECK(parse_literal("0b101") == Literal(std::int64_t{5}));
    CHECK(parse_literal("1.5e3f") == Literal(1500.0));
    CHECK(parse_literal("-.5h") == Literal(-0.5));
    CHECK(parse_literal("false") == Literal(false));
    CHECK_FALSE(parse_literal("kPi").has_value());
    CHECK_FALSE(parse_literal("1 + 2").has_value());
    CHECK_FALSE(parse_literal("").has_value());
    CHECK_FALSE(parse_literal("float3(1)").has_value());
}

TEST_CASE("a name is found although the column counts code points and comments repeat it") {
    const SourceText text("/* é x */ float f(float x) { return x; }\n");

    const auto position = text.find_name(1, 25, "x");

    REQUIRE(position.has_value());
    CHECK(*position == std::string_view("/* é x */ float f(float x").size() - 1);
    CHECK_FALSE(text.find_name(1, 1, "y").has_value());
    CHECK_FALSE(text.find_name(9, 1, "x").has_value());
}

TEST_CASE("a comment separated by a blank line or by code does not belong to the declaration") {
    const SourceText text("// about a\nfloat a;\nfloat b;\n\n// far\n\nfloat c;\n");

    CHECK(text.comment_above(*text.find_name(2, 7, "a")) == "about a");
    CHECK(text.comment_above(*text.find_name(3, 7, "b")).empty());
    CHECK(text.comment_above(*text.find_name(7, 7, "c")).empty());
}

TEST_CASE("comment markers inside strings are not comments") {
    const SourceText text("[Label(\"// not a comment\")]\nfloat a;\n");

    CHECK(text.comment_above(*text.find_name(2, 7, "a")).empty());
}

TEST_CASE("the second parameter on a line does not inherit the comment above the line") {
    const SourceText text("float f(\n    // first\n    float a, float b)\n{ return a; }\n");

    CHECK(text.member_comment(*text.find_name(3, 11, "a"), "a") == "first");
    CHECK(text.member_comment(*text.find_name(3, 20, "b"), "b").empty());
}

TEST_CASE(
    "a comment behind the closing parenthesis belongs to the last parameter of several lines") {
    const SourceText text(
        "float f(\n    float a, ///< first\n    float b) ///< second\n{ return a; }\n"
        "float g(\n    float c ///< third\n)\n{ return c; }\n");

    CHECK(text.member_comment(*text.find_name(2, 11, "a"), "a") == "first");
    CHECK(text.member_comment(*text.find_name(3, 11, "b"), "b") == "second");
    CHECK(text.member_comment(*text.find_name(6, 11, "c"), "c") == "third");
    CHECK(text.function_comment(*text.find_name(1, 7, "f")).empty());
}

TEST_CASE("a comment behind the head on the line of the name belongs to the function") {
    const SourceText text("float f(float a, float b) ///< sum\n{ return a; }\n"
                          "/// above\nfloat g(float c) { ///< beside\n    return c; }\n"
                          "float h(float d) // no documentation\n{ return d; }\n");

    CHECK(text.function_comment(*text.find_name(1, 7, "f")) == "sum");
    CHECK(text.member_comment(*text.find_name(1, 24, "b"), "b").empty());
    CHECK(text.function_comment(*text.find_name(4, 7, "g")) == "above");
    CHECK(text.function_comment(*text.find_name(6, 7, "h")).empty());
}

TEST_CASE("modifiers are looked for in the declaration only") {
    const SourceText text(
        "public float a;\nfloat b;\npublic\n[Differentiable]\nfloat c() { return 1; }\n");

    CHECK(text.has_modifier(*text.find_name(1, 14, "a"), "public"));
    CHECK_FALSE(text.has_modifier(*text.find_name(2, 7, "b"), "public"));
    CHECK(text.has_modifier(*text.find_name(5, 7, "c"), "public"));
}
