// SPDX-License-Identifier: Apache-2.0
// Against Slang's and NVRTC's own numbers: tests/native/compile/test_layout.cpp.
#include "reflect/layout.hpp"
#include "support/catch.hpp"

using namespace weft::reflect;

namespace {

Field field(TypeRef type) {
    return {
        .name = "f", .type = std::move(type), .offset = 0, .attributes = {}, .documentation = {}};
}

} // namespace

TEST_CASE("SPIR-V aligns vectors as their scalars") {
    const Layout layout = vector_layout(ScalarKind::float32, 3, LayoutRules::spirv);

    CHECK(layout.size == 12);
    CHECK(layout.alignment == 4);
    CHECK(layout.stride == 12);
}

TEST_CASE("CUDA aligns vectors of two and four as a whole, up to 16 bytes") {
    const auto alignment = [](ScalarKind kind, std::int32_t length) {
        return vector_layout(kind, length, LayoutRules::cuda).alignment;
    };

    CHECK(alignment(ScalarKind::float32, 2) == 8);
    CHECK(alignment(ScalarKind::float32, 3) == 4);
    CHECK(alignment(ScalarKind::float32, 4) == 16);
    CHECK(alignment(ScalarKind::float64, 4) == 16);
    CHECK(alignment(ScalarKind::bool_, 2) == 2);
    CHECK(alignment(ScalarKind::bool_, 3) == 1);
    CHECK(vector_layout(ScalarKind::float16, 3, LayoutRules::cuda).size == 8);
    CHECK(vector_layout(ScalarKind::float16, 4, LayoutRules::cuda).alignment == 4);
}

TEST_CASE("a matrix is an array of rows") {
    CHECK(matrix_layout(ScalarKind::float32, 3, 3, LayoutRules::spirv).size == 36);
    CHECK(matrix_layout(ScalarKind::float32, 3, 2, LayoutRules::cuda).alignment == 8);
    CHECK(matrix_layout(ScalarKind::float16, 3, 3, LayoutRules::cuda).size == 24);
}

TEST_CASE("a member may lie in the tail padding of the structure before it on SPIR-V only") {
    for (const LayoutRules rules : {LayoutRules::spirv, LayoutRules::cuda}) {
        std::vector<Field> inner{field(vector_type(ScalarKind::float32, 3, rules)),
                                 field(scalar_type(ScalarKind::float16, rules))};
        Type type;
        type.kind = TypeKind::structure;
        type.layout = place_fields(inner, rules);
        std::vector<Field> outer{field(std::make_shared<const Type>(type)),
                                 field(scalar_type(ScalarKind::float16, rules))};

        const Layout layout = place_fields(outer, rules);

        CHECK(type.layout.stride == 16);
        CHECK(outer[1].offset == (rules == LayoutRules::spirv ? 14 : 16));
        CHECK(layout.stride == (rules == LayoutRules::spirv ? 16 : 20));
    }
}

TEST_CASE("an empty structure takes no room") {
    std::vector<Field> none;

    CHECK(place_fields(none, LayoutRules::spirv).size == 0);
    CHECK(array_layout(place_fields(none, LayoutRules::cuda), 3).size == 0);
}

TEST_CASE("an array of no elements has the alignment of its element") {
    const Layout layout = array_layout(scalar_layout(ScalarKind::float64, LayoutRules::spirv), 0);

    CHECK(layout.size == 0);
    CHECK(layout.alignment == 8);
}
