// SPDX-License-Identifier: Apache-2.0
#include "core/process.hpp"
#include "support/catch.hpp"

#include <cstdlib>

using namespace weft::core;

#if !defined(_WIN32)
TEST_CASE("the cache folder follows WEFT_CACHE_DIR, then XDG_CACHE_HOME, then the home folder") {
    const auto saved_home = environment_variable("HOME");
    setenv("HOME", "/home/someone", 1);
    setenv("XDG_CACHE_HOME", "/caches", 1);
    setenv("WEFT_CACHE_DIR", "/mine", 1);
    CHECK(default_cache_directory() == "/mine");
    unsetenv("WEFT_CACHE_DIR");
#if !defined(__APPLE__)
    CHECK(default_cache_directory() == "/caches/weft");
    unsetenv("XDG_CACHE_HOME");
    CHECK(default_cache_directory() == "/home/someone/.cache/weft");
#endif
    unsetenv("HOME");
    CHECK(default_cache_directory().empty());
    setenv("HOME", saved_home.value_or("/").c_str(), 1);
}
#endif

TEST_CASE("an unset and an empty variable are both absent") {
    CHECK_FALSE(environment_variable("WEFT_TEST_VARIABLE_THAT_IS_NOT_SET").has_value());
}
