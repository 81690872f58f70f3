// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "support/catch.hpp"

#include <limits>

using namespace weft;
using reflect::ScalarKind;
using tensor::make_array_layout;
using test::argument_error;

namespace {

const reflect::TypeRef kFloat = reflect::scalar_type(ScalarKind::float32);

} // namespace

TEST_CASE("an array layout without strides is row-major") {
    const auto layout = make_array_layout(kFloat, {2, 3, 4});

    CHECK(layout->strides == std::vector<std::int64_t>{12, 4, 1});
    CHECK(layout->element_count == 24);
    CHECK(layout->extent_elements == 24);
    CHECK(layout->is_contiguous);
}

TEST_CASE("an array layout without dimensions holds one element") {
    const auto layout = make_array_layout(kFloat, {});

    CHECK(layout->element_count == 1);
    CHECK(layout->extent_elements == 1);
    CHECK(layout->is_contiguous);
}

TEST_CASE("an array layout with an extent of 0 holds and reaches nothing") {
    const auto layout = make_array_layout(kFloat, {4, 0, 3});

    CHECK(layout->element_count == 0);
    CHECK(layout->extent_elements == 0);
    CHECK(layout->is_contiguous);
}

TEST_CASE("strides decide whether an array layout is contiguous") {
    CHECK(make_array_layout(kFloat, {2, 1, 3}, {3, 77, 1})->is_contiguous);
    CHECK_FALSE(make_array_layout(kFloat, {3, 2}, {1, 3})->is_contiguous);
    CHECK_FALSE(make_array_layout(kFloat, {4}, {0})->is_contiguous);
    CHECK(make_array_layout(kFloat, {3, 2}, {1, 3})->extent_elements == 6);
}

TEST_CASE("equal array layouts have equal hashes and others do not") {
    const auto layout = make_array_layout(kFloat, {2, 3});

    CHECK(layout->hash ==
          make_array_layout(reflect::scalar_type(ScalarKind::float32), {2, 3})->hash);
    CHECK(layout->hash != make_array_layout(kFloat, {3, 2})->hash);
    CHECK(layout->hash != make_array_layout(kFloat, {2, 3}, {1, 2})->hash);
    CHECK(layout->hash != make_array_layout(reflect::scalar_type(ScalarKind::int32), {2, 3})->hash);
}

TEST_CASE("structures of one name but other fields have different hashes") {
    const auto before = test::make_structure("Pixel", {{"r", kFloat}});
    const auto after = test::make_structure("Pixel", {{"g", kFloat}});

    CHECK(make_array_layout(before, {2})->hash != make_array_layout(after, {2})->hash);
}

TEST_CASE("an array layout rejects what cannot be an array") {
    CHECK(argument_error([] { (void)make_array_layout(kFloat, {4, -1}); }) ==
          "Tensor: shape (4, -1) has -1 at axis 1; every extent must be 0 or greater");
    CHECK(argument_error([] {
              (void)make_array_layout(kFloat, std::vector<std::int64_t>(17, 1));
          }).find("has 17 dimensions, at most 16 are possible") != std::string::npos);
    CHECK(argument_error([] { (void)make_array_layout(kFloat, {4, 4}, {4}); }) ==
          "Tensor: strides (4,) have 1 entries, shape (4, 4) has 2; pass one stride for each "
          "dimension");
    CHECK(argument_error([] { (void)make_array_layout(kFloat, {4}, {-1}); }) ==
          "Tensor: strides (-1,) have -1 at axis 0; strides must be 0 or greater: copy the array "
          "first");
    CHECK(argument_error([] {
              (void)make_array_layout(reflect::scalar_type(ScalarKind::void_), {4});
          }) == "Tensor: dtype must be a type whose values can lie in memory, got void; pass for "
                "example float32, "
                "float3 or a structure without resources");
}

TEST_CASE("an array layout rejects sizes that no memory has") {
    constexpr std::int64_t kLarge = std::numeric_limits<std::int64_t>::max() / 2;
    const std::string expected = "is larger than any memory; check the order of shape and dtype";

    CHECK(argument_error([] { (void)make_array_layout(kFloat, {kLarge, 3}); }).find(expected) !=
          std::string::npos);
    CHECK(argument_error([] { (void)make_array_layout(kFloat, {kLarge}); }).find(expected) !=
          std::string::npos);
    CHECK(argument_error([] { (void)make_array_layout(kFloat, {3}, {kLarge}); }).find(expected) !=
          std::string::npos);
    CHECK(make_array_layout(kFloat, {0, kLarge, kLarge})->element_count == 0);
}
