// SPDX-License-Identifier: Apache-2.0
#include "core/code_location.hpp"
#include "support/catch.hpp"

using weft::core::file_of_code;

namespace {

void some_function() {}

} // namespace

TEST_CASE("a function lies in the program that was linked with it") {
    const auto file = file_of_code(reinterpret_cast<const void*>(&some_function));

    CHECK(file.is_absolute());
    CHECK(file.stem() == "weft_test_core");
}

TEST_CASE("what is no code lies in no file") {
    CHECK(file_of_code(nullptr).empty());
}
