// SPDX-License-Identifier: Apache-2.0
#include "call_builder.hpp"
#include "core/error.hpp"
#include "dispatch/launch.hpp"
#include "support/catch.hpp"

#include <cstring>

using namespace weft;
using namespace weft::dispatch;
using namespace weft::dispatch::testing;

namespace {

template <typename T>
T written(const Arguments& arguments, ScalarKind kind, std::uint32_t component = 0) {
    std::byte bytes[8] = {};
    write_scalar(arguments.list(), arguments.list().nodes[0], component, {kind, bytes, "f", "x"});
    T value;
    std::memcpy(&value, bytes, sizeof(T));
    return value;
}

} // namespace

TEST_CASE("numbers are stored as the parameter's kind") {
    CHECK(written<float>(Arguments().real(0.5), ScalarKind::float32) == 0.5F);
    CHECK(written<double>(Arguments().integer(7), ScalarKind::float64) == 7.0);
    CHECK(written<std::int32_t>(Arguments().integer(-3), ScalarKind::int32) == -3);
    CHECK(written<std::int32_t>(Arguments().integer(-3), ScalarKind::int8) == -3);
    CHECK(written<std::uint32_t>(Arguments().integer(1), ScalarKind::bool_) == 1);
    CHECK_THROWS_AS(written<std::uint32_t>(Arguments().integer(2), ScalarKind::bool_),
                    core::ArgumentError);
}

TEST_CASE("half travels as float") {
    CHECK(written<float>(Arguments().real(0.25), ScalarKind::float16) == 0.25F);
}

TEST_CASE("an integer out of range names the limits") {
    CHECK_THROWS_WITH(written<std::int32_t>(Arguments().integer(300), ScalarKind::uint8),
                      ContainsSubstring("0 to 255") && ContainsSubstring("got 300"));
    CHECK_THROWS_AS(written<std::int32_t>(Arguments().integer(-1), ScalarKind::uint32),
                    core::ArgumentError);
    CHECK_THROWS_AS(
        written<std::int32_t>(Arguments().integer(std::int64_t{1} << 40), ScalarKind::int32),
        core::ArgumentError);
}

TEST_CASE("list components are picked in order") {
    CHECK(written<float>(Arguments().list({3}, {1, 2, 3}), ScalarKind::float32, 2) == 3.0F);
}
