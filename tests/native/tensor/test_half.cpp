// SPDX-License-Identifier: Apache-2.0
#include "support/catch.hpp"
#include "tensor/half.hpp"

#include <cmath>
#include <limits>

using weft::tensor::float_from_half;
using weft::tensor::half_from_double;

TEST_CASE("every half survives the way through float") {
    for (unsigned bits = 0; bits <= 0xffffU; ++bits) {
        const float value = float_from_half(static_cast<std::uint16_t>(bits));
        if (std::isnan(value)) {
            CHECK(std::isnan(float_from_half(half_from_double(value))));
        } else if (half_from_double(value) != bits) {
            FAIL("half " << bits << " became " << half_from_double(value));
        }
    }
}

TEST_CASE("half rounds to the nearest, ties to even") {
    CHECK(half_from_double(1.0) == 0x3c00);
    CHECK(half_from_double(1.0 + 1.0 / 2048.0) == 0x3c00);
    CHECK(half_from_double(1.0 + 3.0 / 2048.0) == 0x3c02);
    CHECK(half_from_double(1.0 + 1.0 / 2048.0 + 1e-12) == 0x3c01);
    CHECK(half_from_double(std::ldexp(1.0, -25)) == 0);
    CHECK(half_from_double(std::ldexp(1.5, -25)) == 1);
}

TEST_CASE("half overflows to infinity and keeps signs") {
    CHECK(half_from_double(65504.0) == 0x7bff);
    CHECK(half_from_double(65519.9) == 0x7bff);
    CHECK(half_from_double(65520.0) == 0x7c00);
    CHECK(half_from_double(-1e300) == 0xfc00);
    CHECK(half_from_double(-0.0) == 0x8000);
    CHECK(std::isinf(float_from_half(0x7c00)));
    CHECK(std::isnan(float_from_half(half_from_double(std::numeric_limits<double>::quiet_NaN()))));
}
