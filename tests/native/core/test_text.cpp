// SPDX-License-Identifier: Apache-2.0
#include "core/text.hpp"
#include "support/catch.hpp"

using namespace weft::core;

TEST_CASE("text concatenates values of different types") {
    CHECK(text("got ", 3, " of ", 1.5) == "got 3 of 1.5");
}

TEST_CASE("join puts the separator between parts only") {
    CHECK(join(std::vector<std::string>{}, ", ").empty());
    CHECK(join(std::vector<std::string>{"a"}, ", ") == "a");
    CHECK(join(std::vector<std::string>{"a", "b", "c"}, ", ") == "a, b, c");
}

TEST_CASE("shapes print as Python prints tuples") {
    CHECK(shape_text(std::vector<std::int64_t>{}) == "()");
    CHECK(shape_text(std::vector<std::int64_t>{4}) == "(4,)");
    CHECK(shape_text(std::vector<std::int64_t>{4, 3}) == "(4, 3)");
}

TEST_CASE("near misses come best first and at most three") {
    const std::vector<std::string> names{"scale", "scales", "stale", "shale", "scaled", "rotate"};

    CHECK(near_misses("scal", names) == std::vector<std::string>{"scale"});
    CHECK(near_misses("scale_", names).front() == "scale");
    CHECK(near_misses("scale_", names).size() == 3);
    CHECK(near_misses("SCALE", names).front() == "scale");
    CHECK(near_misses("entirely", names).empty());
    CHECK(near_misses("gian", std::vector<std::string>{"gain"}).size() == 1);
    CHECK(near_misses("gone", std::vector<std::string>{"gain"}).empty());
}

TEST_CASE("a suggestion reads as a question, or is empty") {
    CHECK(suggestion("ad", std::vector<std::string>{"add"}) == ". Did you mean 'add'?");
    CHECK(suggestion("sin", std::vector<std::string>{"sine", "sink"}) ==
          ". Did you mean 'sine' or 'sink'?");
    CHECK(suggestion("x", std::vector<std::string>{"rotate"}).empty());
}

TEST_CASE("the first byte that is not UTF-8 is found") {
    CHECK(find_invalid_utf8("plain") == std::string_view::npos);
    CHECK(find_invalid_utf8("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x8e\xa8") == std::string_view::npos);
    CHECK(find_invalid_utf8("ab\xff") == 2);
    CHECK(find_invalid_utf8("a\xc3") == 1);            // cut short
    CHECK(find_invalid_utf8("\xc0\xaf") == 0);         // overlong
    CHECK(find_invalid_utf8("\xed\xa0\x80") == 0);     // surrogate
    CHECK(find_invalid_utf8("\xf4\x90\x80\x80") == 0); // past U+10FFFF
}
