// SPDX-License-Identifier: Apache-2.0
#include "call_builder.hpp"
#include "support/catch.hpp"

using namespace weft::dispatch;
using namespace weft::dispatch::testing;

namespace {

std::vector<std::uint64_t> key_of(const Arguments& arguments) {
    std::vector<std::uint64_t> key;
    arguments.list().append_key(key);
    return key;
}

} // namespace

TEST_CASE("calls that differ in numbers share a key") {
    CHECK(key_of(Arguments().real(1.0).integer(2)) == key_of(Arguments().real(3.0).integer(4)));
}

TEST_CASE("calls on other tensors of the same layout share a key") {
    CHECK(key_of(Arguments().tensor(ScalarKind::float32, {4})) ==
          key_of(Arguments().tensor(ScalarKind::float32, {4})));
}

TEST_CASE("kind, shape, dtype and names are part of the key") {
    const auto base = key_of(Arguments().tensor(ScalarKind::float32, {4}));

    CHECK(base != key_of(Arguments().tensor(ScalarKind::float32, {5})));
    CHECK(base != key_of(Arguments().tensor(ScalarKind::int32, {4})));
    CHECK(base != key_of(Arguments().tensor(ScalarKind::float32, {4}).named("x")));
    CHECK(key_of(Arguments().real(1.0)) != key_of(Arguments().integer(1)));
}

TEST_CASE("alignment is the largest power of two up to 256") {
    CHECK(address_alignment(0x1000) == 256);
    CHECK(address_alignment(0x1010) == 16);
    CHECK(address_alignment(0x1003) == 1);
}
