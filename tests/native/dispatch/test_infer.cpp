// SPDX-License-Identifier: Apache-2.0
#include "call_builder.hpp"
#include "dispatch/infer.hpp"
#include "support/catch.hpp"

using namespace weft;
using namespace weft::dispatch;
using namespace weft::dispatch::testing;

namespace {

TypeRef generic(const std::string& name) {
    reflect::Type type;
    type.kind = reflect::TypeKind::generic_parameter;
    type.name = name;
    type.full_name = name;
    return std::make_shared<reflect::Type>(type);
}

TypeRef generic_vector(const std::string& element, const std::string& length) {
    reflect::Type type;
    type.kind = reflect::TypeKind::vector;
    type.element = generic(element);
    type.count_parameter = length;
    return std::make_shared<reflect::Type>(type);
}

} // namespace

TEST_CASE("a type parameter takes the element type of a tensor") {
    auto function = function_of("twice", {{"x", generic("T")}}, generic("T"));
    function.generics = {{"T", false, {}}};
    std::string why;

    const auto name = infer_specialization(
        function, Arguments().tensor(ScalarKind::float64, {3}).list(), {}, why);

    CHECK(name == "twice<double>");
}

TEST_CASE("vector length and scalar are inferred from a tensor of scalars") {
    auto function = function_of("sum", {{"v", generic_vector("T", "N")}}, generic("T"));
    function.generics = {{"T", false, {}}, {"N", true, {}}};
    std::string why;

    const auto name = infer_specialization(
        function, Arguments().tensor(ScalarKind::float32, {7, 4}).list(), {}, why);

    CHECK(name == "sum<float, 4>");
}

TEST_CASE("a tensor's type wins over a Python number's") {
    auto function = function_of("mix", {{"a", generic("T")}, {"b", generic("T")}}, generic("T"));
    function.generics = {{"T", false, {}}};
    std::string why;

    const auto name = infer_specialization(
        function, Arguments().integer(2).tensor(ScalarKind::float16, {3}).list(), {}, why);

    CHECK(name == "mix<half>");
}

TEST_CASE("a parameter that no argument mentions is reported by name") {
    auto function =
        function_of("make", {{"x", reflect::scalar_type(ScalarKind::float32)}}, generic("T"));
    function.generics = {{"T", false, {}}};
    std::string why;

    CHECK_FALSE(infer_specialization(function, Arguments().real(1.0).list(), {}, why));
    CHECK(why.find("'T'") != std::string::npos);
}
