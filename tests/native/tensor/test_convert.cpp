// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "support/catch.hpp"
#include "tensor/convert.hpp"

#include <cmath>
#include <limits>

using namespace weft;
using reflect::ScalarKind;
using tensor::Conversion;
using test::argument_error;

namespace {

/// Converts a one-dimensional array.
template <typename To, typename From>
std::vector<To> convert_all(const std::vector<From>& values, ScalarKind from, ScalarKind to,
                            Conversion conversion = Conversion::silent) {
    const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(values.size())};
    const std::vector<std::int64_t> strides = {static_cast<std::int64_t>(sizeof(From))};
    std::vector<To> result(values.size());
    tensor::convert({.data = reinterpret_cast<const std::byte*>(values.data()),
                     .kind = from,
                     .shape = shape,
                     .strides = strides},
                    to, std::as_writable_bytes(std::span<To>(result)), "f: argument 'x'",
                    conversion);
    return result;
}

} // namespace

TEST_CASE("convert rounds float64 and integers to float32 silently") {
    CHECK(convert_all<float>(std::vector{0.1, 1e300, -2.5}, ScalarKind::float64,
                             ScalarKind::float32) ==
          std::vector{0.1F, std::numeric_limits<float>::infinity(), -2.5F});
    CHECK(convert_all<float>(std::vector<std::int64_t>{16777217}, ScalarKind::int64,
                             ScalarKind::float32) == std::vector{16777216.0F});
}

TEST_CASE("convert refuses a float array where integers are expected, whatever its values") {
    const auto action = [] {
        (void)convert_all<std::int32_t>(std::vector{1.0, 2.0}, ScalarKind::float64,
                                        ScalarKind::int32);
    };

    CHECK(argument_error(action) ==
          "f: argument 'x' holds float64 values, int32 is expected; round them yourself, "
          "for example with numpy.rint(x).astype(numpy.int32)");
    CHECK_THROWS_AS(action(), core::ArgumentError);
}

TEST_CASE("convert names the first integer that does not fit") {
    const auto action = [] {
        (void)convert_all<std::int8_t>(std::vector{1, 127, 128}, ScalarKind::int32,
                                       ScalarKind::int8);
    };

    CHECK(argument_error(action) ==
          "f: argument 'x': element (2,) is 128, outside the range [-128, 127] of int8; "
          "clip it or use a wider type");
}

TEST_CASE("convert keeps integers at the ends of their range") {
    CHECK(convert_all<std::uint64_t>(
              std::vector<std::int64_t>{std::numeric_limits<std::int64_t>::max()},
              ScalarKind::int64, ScalarKind::uint64) ==
          std::vector<std::uint64_t>{std::numeric_limits<std::int64_t>::max()});
    CHECK_THROWS_AS(convert_all<std::uint64_t>(std::vector<std::int64_t>{-1}, ScalarKind::int64,
                                               ScalarKind::uint64),
                    core::ArgumentError);
    CHECK_THROWS_AS(convert_all<std::int64_t>(std::vector<std::uint64_t>{std::uint64_t{1} << 63U},
                                              ScalarKind::uint64, ScalarKind::int64),
                    core::ArgumentError);
}

TEST_CASE("convert takes 0 and 1 as bools and nothing else") {
    CHECK(convert_all<std::uint8_t>(std::vector{0, 1}, ScalarKind::int32, ScalarKind::bool_) ==
          std::vector<std::uint8_t>{0, 1});
    CHECK(argument_error([] {
              (void)convert_all<std::uint8_t>(std::vector{2}, ScalarKind::int32, ScalarKind::bool_);
          }) == "f: argument 'x': element (0,) is 2, outside the range [0, 1] of bool; clip it or "
                "use a wider type");
    CHECK(convert_all<float>(std::vector<std::uint8_t>{0, 1}, ScalarKind::bool_,
                             ScalarKind::float32) == std::vector{0.0F, 1.0F});
}

TEST_CASE("a requested conversion truncates floats and refuses those that do not fit") {
    const auto request = [](double value) {
        return convert_all<std::int32_t>(std::vector{value}, ScalarKind::float64, ScalarKind::int32,
                                         Conversion::requested);
    };

    CHECK(request(-2.9) == std::vector{-2});
    CHECK(request(2147483647.9) == std::vector{2147483647});
    CHECK_THROWS_AS(request(2147483648.0), core::ArgumentError);
    CHECK_THROWS_AS(request(std::numeric_limits<double>::quiet_NaN()), core::ArgumentError);
    CHECK(convert_all<std::uint8_t>(std::vector{0.0F, 0.5F}, ScalarKind::float32, ScalarKind::bool_,
                                    Conversion::requested) == std::vector<std::uint8_t>{0, 1});
}

TEST_CASE("convert reads and writes any strides, negative and unaligned ones included") {
    std::vector<std::byte> memory(1 + 6 * sizeof(std::int16_t));
    for (std::int16_t i = 0; i < 6; ++i) {
        std::memcpy(memory.data() + 1 + static_cast<std::size_t>(i) * sizeof i, &i, sizeof i);
    }
    const std::vector<std::int64_t> shape = {2, 3};
    const std::vector<std::int64_t> strides = {6, -2}; // rows reversed
    std::vector<float> result(6);

    tensor::convert({.data = memory.data() + 1 + 4,
                     .kind = ScalarKind::int16,
                     .shape = shape,
                     .strides = strides},
                    ScalarKind::float32, std::as_writable_bytes(std::span<float>(result)), "x");

    CHECK(result == std::vector{2.0F, 1.0F, 0.0F, 5.0F, 4.0F, 3.0F});
}

TEST_CASE("convert handles arrays without dimensions and without elements") {
    const double value = 2.5;
    float result = 0.0F;
    tensor::convert({.data = reinterpret_cast<const std::byte*>(&value),
                     .kind = ScalarKind::float64,
                     .shape = {},
                     .strides = {}},
                    ScalarKind::float32, std::as_writable_bytes(std::span<float, 1>(&result, 1)),
                    "x");
    CHECK(result == 2.5F);

    CHECK(convert_all<float>(std::vector<double>{}, ScalarKind::float64, ScalarKind::float32)
              .empty());
}

TEST_CASE("convert rounds to half once") {
    // 1 + 2^-11 + 2^-30 is above the tie; rounding to float first would lose the last bit and land on it.
    const double above_tie = 1.0 + std::ldexp(1.0, -11) + std::ldexp(1.0, -30);

    CHECK(convert_all<std::uint16_t>(std::vector{above_tie}, ScalarKind::float64,
                                     ScalarKind::float16) == std::vector<std::uint16_t>{0x3c01});
}
