// SPDX-License-Identifier: Apache-2.0
#include "reflect/type.hpp"
#include "support/catch.hpp"

using namespace weft::reflect;

namespace {

TypeRef structure(const std::string& name) {
    Type type;
    type.kind = TypeKind::structure;
    type.name = name;
    type.full_name = name;
    return std::make_shared<const Type>(std::move(type));
}

} // namespace

TEST_CASE("every scalar kind has its size and its two names") {
    CHECK(size_bytes(ScalarKind::void_) == 0);
    CHECK(size_bytes(ScalarKind::bool_) == 1);
    CHECK(size_bytes(ScalarKind::float16) == 2);
    CHECK(size_bytes(ScalarKind::int64) == 8);
    CHECK(slang_name(ScalarKind::uint32) == "uint");
    CHECK(slang_name(ScalarKind::float16) == "half");
    CHECK(numpy_name(ScalarKind::float16) == "float16");
    CHECK(numpy_name(ScalarKind::uint8) == "uint8");
}

TEST_CASE("bool is neither an integer nor signed, half is a signed float") {
    CHECK_FALSE(is_integer(ScalarKind::bool_));
    CHECK_FALSE(is_signed(ScalarKind::bool_));
    CHECK(is_float(ScalarKind::float16));
    CHECK(is_signed(ScalarKind::float16));
    CHECK(is_integer(ScalarKind::uint8));
    CHECK_FALSE(is_signed(ScalarKind::uint8));
}

TEST_CASE("vectors, matrices and arrays add dimensions, outermost first") {
    const TypeRef row = vector_type(ScalarKind::float32, 3);

    CHECK(element_shape(*scalar_type(ScalarKind::int32)).empty());
    CHECK(element_shape(*row) == std::vector<std::int64_t>{3});
    CHECK(element_shape(*matrix_type(ScalarKind::float32, 3, 4)) ==
          std::vector<std::int64_t>{3, 4});
    CHECK(element_shape(*array_type(row, 2)) == std::vector<std::int64_t>{2, 3});
    CHECK(element_shape(*array_type(array_type(row, 2), 5)) == std::vector<std::int64_t>{5, 2, 3});
    CHECK(element_shape(*structure("Pixel")).empty());
}

TEST_CASE("the leaf is the scalar or structure at the bottom") {
    CHECK(leaf(*array_type(matrix_type(ScalarKind::float16, 2, 2), 3)).scalar ==
          ScalarKind::float16);
    CHECK(leaf(*array_type(structure("Pixel"), 3)).name == "Pixel");
}

TEST_CASE("types are the same by structure, structures by name") {
    CHECK(same_type(*vector_type(ScalarKind::int32, 2), *vector_type(ScalarKind::int32, 2)));
    CHECK_FALSE(same_type(*vector_type(ScalarKind::int32, 2), *vector_type(ScalarKind::int32, 3)));
    CHECK_FALSE(same_type(*vector_type(ScalarKind::int32, 2),
                          *array_type(scalar_type(ScalarKind::int32), 2)));
    CHECK_FALSE(
        same_type(*matrix_type(ScalarKind::int32, 2, 3), *matrix_type(ScalarKind::int32, 3, 2)));
    CHECK(same_type(*array_type(structure("A"), 2), *array_type(structure("A"), 2)));
    CHECK_FALSE(same_type(*array_type(structure("A"), 2), *array_type(structure("B"), 2)));
}

TEST_CASE("names are spelled as Slang source spells them") {
    CHECK(vector_type(ScalarKind::float32, 3)->full_name == "vector<float,3>");
    CHECK(matrix_type(ScalarKind::float64, 2, 3)->full_name == "matrix<double,2,3>");
    CHECK(array_type(vector_type(ScalarKind::uint32, 2), 4)->full_name ==
          "Array<vector<uint,2>,4>");
}

TEST_CASE("floats are differentiable, integers are not") {
    CHECK(scalar_type(ScalarKind::float32)->is_differentiable);
    CHECK(array_type(vector_type(ScalarKind::float32, 3), 2)->differential ==
          "Array<vector<float,3>,2>");
    CHECK_FALSE(scalar_type(ScalarKind::int32)->is_differentiable);
    CHECK(array_type(scalar_type(ScalarKind::int32), 2)->differential.empty());
}
