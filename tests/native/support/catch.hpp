// SPDX-License-Identifier: Apache-2.0
// The one include of Catch2: works with both major versions. The build says which one it found; a machine may
// have headers of both.
#pragma once

#if WEFT_CATCH2_MAJOR >= 3
#include <catch2/catch_all.hpp>
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
#else
#include <catch2/catch.hpp>

#include <string>

inline auto ContainsSubstring(const std::string& text) {
    return Catch::Matchers::Contains(text);
}
#endif
