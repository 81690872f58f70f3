// SPDX-License-Identifier: Apache-2.0
#include "core/error.hpp"
#include "core/shared_library.hpp"
#include "support/catch.hpp"

using namespace weft::core;

TEST_CASE("an absent library is refused with its path and the loader's reason") {
    std::string reason;

    CHECK_FALSE(SharedLibrary::try_load("/nowhere/libnothing.so", &reason));
    CHECK_FALSE(reason.empty());
    CHECK_THROWS_AS(SharedLibrary::load("/nowhere/libnothing.so"), DeviceError);
    CHECK_THROWS_WITH(SharedLibrary::load("/nowhere/libnothing.so"),
                      ContainsSubstring("/nowhere/libnothing.so"));
}

#if defined(__linux__)
TEST_CASE("functions of a loaded library can be called, absent ones are null") {
    const SharedLibrary library = SharedLibrary::load("libm.so.6");

    const auto cosine = library.try_function<double(double)>("cos");

    REQUIRE(cosine != nullptr);
    CHECK(cosine(0.0) == 1.0);
    CHECK(library.try_symbol("no_such_function_here") == nullptr);
}
#endif
