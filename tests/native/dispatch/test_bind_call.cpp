// SPDX-License-Identifier: Apache-2.0
#include "call_builder.hpp"
#include "core/error.hpp"
#include "support/catch.hpp"

using namespace weft;
using namespace weft::dispatch;
using namespace weft::dispatch::testing;
using Shape = std::vector<std::int64_t>;

namespace {

const TypeRef kFloat = reflect::scalar_type(ScalarKind::float32);
const TypeRef kInt = reflect::scalar_type(ScalarKind::int32);
const TypeRef kFloat3 = reflect::vector_type(ScalarKind::float32, 3);

reflect::Function add() {
    return function_of("add", {{"a", kFloat}, {"b", kFloat}}, kFloat);
}

} // namespace

TEST_CASE("a tensor and a number call over the tensor's shape") {
    const auto call = resolve({add()}, Arguments().tensor(ScalarKind::float32, {4, 3}).real(2.0));

    CHECK(call->kernel.shape == Shape{4, 3});
    CHECK(call->kernel.operands[1].kind == codegen::OperandKind::uniform);
    CHECK(call->sources[call->returned[0]].shape == Shape{4, 3});
}

TEST_CASE("trailing dimensions align and extents of 1 repeat") {
    const auto call = resolve(
        {add()},
        Arguments().tensor(ScalarKind::float32, {5, 1, 3}).tensor(ScalarKind::float32, {4, 1}));

    CHECK(call->kernel.shape == Shape{5, 4, 3});
    CHECK(call->kernel.operands[0].memory.call_strides == Shape{3, 0, 1});
    CHECK(call->kernel.operands[1].memory.call_strides == Shape{0, 1, 0});
}

TEST_CASE("shapes that do not broadcast name the parameter, the axis and both extents") {
    const Arguments arguments =
        std::move(Arguments().tensor(ScalarKind::float32, {4, 3}).tensor(ScalarKind::float32, {5}));

    CHECK_THROWS_WITH(resolve({add()}, arguments),
                      ContainsSubstring("parameter 'b'") &&
                          ContainsSubstring("(5,) has 5 along axis 0") &&
                          ContainsSubstring("'a' has 3") && ContainsSubstring("map()"));
}

TEST_CASE("the last dimension of a float tensor becomes the vector") {
    const auto call = resolve({function_of("f", {{"v", kFloat3}}, kFloat)},
                              Arguments().tensor(ScalarKind::float32, {10, 3}));

    CHECK(call->kernel.shape == Shape{10});
    CHECK(call->kernel.operands[0].memory.component_shape == Shape{3});
}

TEST_CASE("a tensor of vectors fits a vector parameter element by element") {
    const auto call =
        resolve({function_of("f", {{"v", kFloat3}}, kFloat)}, Arguments().tensor(kFloat3, {10}));

    CHECK(call->kernel.shape == Shape{10});
}

TEST_CASE("a wrong trailing extent is refused with the dimensions wanted") {
    CHECK_THROWS_WITH(resolve({function_of("f", {{"v", kFloat3}}, kFloat)},
                              Arguments().tensor(ScalarKind::float32, {10, 4})),
                      ContainsSubstring("parameter 'v'") && ContainsSubstring("(3,)") &&
                          ContainsSubstring("(10, 4)"));
}

TEST_CASE("an overload is chosen by the kind of a number") {
    const auto by_int = function_of("f", {{"x", kInt}}, kInt);
    const auto by_float = function_of("f", {{"x", kFloat}}, kFloat);

    CHECK(resolve({by_float, by_int}, Arguments().integer(3))->function.parameters[0].type == kInt);
    CHECK(resolve({by_int, by_float}, Arguments().real(3.5))->function.parameters[0].type ==
          kFloat);
}

TEST_CASE("an overload is chosen by the shape of a list") {
    const auto one = function_of("f", {{"x", kFloat3}}, kFloat);
    const auto two = function_of("f", {{"x", reflect::array_type(kFloat3, 2)}}, kFloat);

    const auto call = resolve({one, two}, Arguments().list({2, 3}, {1, 2, 3, 4, 5, 6}));

    CHECK(call->function.parameters[0].type->kind == reflect::TypeKind::array);
    CHECK(call->kernel.shape.empty());
}

TEST_CASE("equally good overloads are listed as ambiguous") {
    const auto first = function_of("f", {{"x", kFloat}}, kFloat);
    const auto second = function_of("f", {{"y", kFloat}}, kFloat);

    CHECK_THROWS_WITH(resolve({first, second}, Arguments().real(1.0)),
                      ContainsSubstring("equally well"));
}

TEST_CASE("no fitting overload lists every reason") {
    const auto by_int = function_of("f", {{"x", kInt}}, kInt);
    const auto by_two = function_of("f", {{"x", kInt}, {"y", kInt}}, kInt);

    CHECK_THROWS_WITH(resolve({by_int, by_two}, Arguments().real(0.5)),
                      ContainsSubstring("none of its 2 overloads") &&
                          ContainsSubstring("round it"));
}

TEST_CASE("a float for an integer parameter is an error that says to round") {
    CHECK_THROWS_WITH(resolve({function_of("f", {{"x", kInt}}, kInt)}, Arguments().real(2.0)),
                      ContainsSubstring("round"));
}

TEST_CASE("an unknown keyword suggests the parameter that was meant") {
    auto function = function_of("f", {{"roughness", kFloat}}, kFloat);

    CHECK_THROWS_WITH(resolve({function}, Arguments().real(1.0).named("rougness")),
                      ContainsSubstring("roughness"));
}

TEST_CASE("a missing parameter is named with its type") {
    CHECK_THROWS_WITH(resolve({add()}, Arguments().real(1.0)),
                      ContainsSubstring("'b' (float) is missing"));
}

TEST_CASE("an omitted out parameter is allocated and returned after the result") {
    auto function = function_of("f", {{"x", kFloat}, {"y", kFloat}}, kInt);
    function.parameters[1].direction = reflect::Direction::out;

    const auto call = resolve({function}, Arguments().tensor(ScalarKind::float32, {8}));

    REQUIRE(call->returned.size() == 2);
    CHECK(call->sources[call->returned[0]].name == "_result");
    CHECK(call->sources[call->returned[1]].name == "y");
}

TEST_CASE("an output tensor must have exactly the call's shape") {
    Arguments arguments;
    arguments.tensor(ScalarKind::float32, {4, 3}).real(1.0).tensor(kFloat, {3}, Role::result);

    CHECK_THROWS_WITH(resolve({add()}, arguments),
                      ContainsSubstring("_result") && ContainsSubstring("(4, 3)"));
}

TEST_CASE("map sends an argument's dimension to the named call dimension") {
    CallOptions options;
    options.positional = {{.dimensions = {0}, .type_name = ""},
                          {.dimensions = {1}, .type_name = ""}};

    const auto call = resolve(
        {add()}, Arguments().tensor(ScalarKind::float32, {4}).tensor(ScalarKind::float32, {3}),
        options);

    CHECK(call->kernel.shape == Shape{4, 3});
    CHECK(call->kernel.operands[0].memory.call_strides == Shape{1, 0});
}

TEST_CASE("a tensor of the wrong scalar kind for an output is refused") {
    Arguments arguments;
    arguments.real(1.0).real(1.0).tensor(kInt, {}, Role::result);

    CHECK_THROWS_WITH(resolve({add()}, arguments), ContainsSubstring("_result"));
}
