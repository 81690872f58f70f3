// SPDX-License-Identifier: Apache-2.0
// The one include of Catch2: works with both major versions.
#pragma once

#if __has_include(<catch2/catch_all.hpp>)
#include <catch2/catch_all.hpp>
using Catch::Approx;
#else
#include <catch2/catch.hpp>
#endif
