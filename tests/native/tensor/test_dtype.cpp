// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "support/catch.hpp"
#include "tensor/dtype.hpp"

using namespace weft;
using reflect::LayoutRules;
using reflect::ScalarKind;
using tensor::display_name;
using tensor::parse_dtype;

namespace {

std::string parsed_name(std::string_view text) {
    const reflect::TypeRef type = parse_dtype(text);
    return type ? display_name(*type) : "none";
}

} // namespace

TEST_CASE("display names are those that users write") {
    reflect::Type whole;
    whole.kind = reflect::TypeKind::tensor;
    whole.full_name = "ITensor<vector<float,3>, 2>";
    reflect::Type generic;
    generic.kind = reflect::TypeKind::vector;
    generic.full_name = "vector<T,3>";
    generic.columns = 3;
    generic.count_parameter = "N";

    CHECK(display_name(*reflect::vector_type(reflect::ScalarKind::float32, 3)) == "float3");
    CHECK(display_name(*reflect::matrix_type(reflect::ScalarKind::float16, 2, 4)) == "half2x4");
    CHECK(display_name(whole) == "ITensor<float3, 2>");
    CHECK(display_name(generic) == "vector<T,3>");
}

TEST_CASE("dtype names of Slang and numpy are understood") {
    CHECK(parsed_name("float") == "float");
    CHECK(parsed_name("float32") == "float");
    CHECK(parsed_name("float64") == "double");
    CHECK(parsed_name("uint8_t") == "uint8_t");
    CHECK(parsed_name("uint8") == "uint8_t");
    CHECK(parsed_name("bool") == "bool");
    CHECK(parsed_name("float3") == "float3");
    CHECK(parsed_name("uint8_t4") == "uint8_t4");
    CHECK(parsed_name("float32x3") == "float3");
    CHECK(parsed_name("float16x2") == "half2");
    CHECK(parsed_name("half4x4") == "half4x4");
    CHECK(parsed_name("vector<int, 2>") == "int2");
    CHECK(parsed_name("matrix<float,2,3>") == "float2x3");
    CHECK(parsed_name("float3[2]") == "float3[2]");
    CHECK(parsed_name("float[2][5]") == "float[2][5]");
}

TEST_CASE("texts that name no dtype are not understood") {
    for (const char* text :
         {"", "floaty", "float5", "float0", "void", "float3x", "float3x5", "vector<float>",
          "matrix<float,2>", "float[0]", "float[", "float[-1]", "vector<Foo,3>", "3"}) {
        INFO(text);
        CHECK(parse_dtype(text) == nullptr);
    }
}

TEST_CASE("the first brackets of an array type are its outermost dimension") {
    const reflect::TypeRef type = parse_dtype("float[2][5]");

    CHECK(reflect::element_shape(*type) == std::vector<std::int64_t>{2, 5});
}

TEST_CASE("a type that lies the same in other rules stays the same object") {
    const reflect::TypeRef type = reflect::vector_type(ScalarKind::float32, 3);

    CHECK(tensor::with_rules(type, LayoutRules::cuda) == type);
    CHECK(tensor::with_rules(type, LayoutRules::host) == type);
}

TEST_CASE("types are laid out anew for the rules of a device") {
    const auto structure =
        test::make_structure("Mixed", {{"flag", reflect::scalar_type(ScalarKind::bool_)},
                                       {"small", reflect::vector_type(ScalarKind::float16, 3)},
                                       {"pair", reflect::vector_type(ScalarKind::float32, 2)}});
    CHECK(structure->fields[1].offset == 4);
    CHECK(structure->layout.stride == 20);

    const auto cuda = tensor::with_rules(structure, LayoutRules::cuda);

    CHECK(cuda->fields[1].offset == 4);
    CHECK(cuda->fields[2].offset == 16);
    CHECK(cuda->layout.stride == 24);
    CHECK(tensor::with_rules(cuda, LayoutRules::spirv)->layout.stride == 20);
    CHECK(tensor::with_rules(structure, LayoutRules::host)->fields[1].offset == 2);
}

TEST_CASE("vectors, matrices, arrays and structures of equal scalars are uniform") {
    const auto three =
        test::make_structure("Three", {{"xy", reflect::vector_type(ScalarKind::float32, 2)},
                                       {"z", reflect::scalar_type(ScalarKind::float32)}});

    CHECK(tensor::uniform_scalars(reflect::matrix_type(ScalarKind::float32, 2, 3))->count == 6);
    CHECK(tensor::uniform_scalars(reflect::array_type(three, 4))->count == 12);
    const auto padded =
        tensor::uniform_scalars(reflect::vector_type(ScalarKind::float16, 3, LayoutRules::cuda));
    CHECK(padded->count == 3);
    CHECK(padded->stride == 4);
}

TEST_CASE("structures that mix scalars or have gaps are not uniform") {
    const auto mixed =
        test::make_structure("Mixed", {{"x", reflect::scalar_type(ScalarKind::float32)},
                                       {"i", reflect::scalar_type(ScalarKind::int32)}});
    const auto half3 = reflect::vector_type(ScalarKind::float16, 3, LayoutRules::cuda);

    const auto flags =
        test::make_structure("Flags", {{"a", reflect::scalar_type(ScalarKind::bool_)}});

    CHECK_FALSE(tensor::uniform_scalars(mixed));
    CHECK_FALSE(tensor::uniform_scalars(flags)); // 4 bytes each in SPIR-V rules
    CHECK_FALSE(tensor::uniform_scalars(reflect::array_type(half3, 2)));
}

TEST_CASE("types without values in memory are refused") {
    reflect::Type interface_type;
    interface_type.kind = reflect::TypeKind::interface_;
    interface_type.name = "IShape";

    CHECK(test::argument_error([&] { tensor::require_storable(&interface_type); }) ==
          "Tensor: dtype must be a type whose values can lie in memory, got IShape; pass for "
          "example float32, float3 "
          "or a structure without resources");
    CHECK_THROWS_AS(tensor::require_storable(nullptr), core::ArgumentError);
}
