// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "support/catch.hpp"
#include "tensor/view.hpp"

using namespace weft;
using reflect::ScalarKind;
using tensor::IndexItem;
using tensor::Tensor;
using test::argument_error;
using test::counting_tensor;
using test::values_of;
using Items = std::vector<IndexItem>;
using Shape = std::vector<std::int64_t>;

namespace {

Shape shape_of(const Tensor& tensor) {
    return {tensor.shape().begin(), tensor.shape().end()};
}

IndexItem integer(std::int64_t value) {
    return {.kind = IndexItem::Kind::integer, .integer = value};
}

IndexItem slice(std::optional<std::int64_t> start, std::optional<std::int64_t> stop,
                std::int64_t step = 1) {
    return {.start = start, .stop = stop, .step = step};
}

const IndexItem kEllipsis{.kind = IndexItem::Kind::ellipsis};
const IndexItem kNewAxis{.kind = IndexItem::Kind::new_axis};

} // namespace

TEST_CASE("integers and slices select as in numpy") {
    const auto base = counting_tensor(test::host_device(), {3, 4});

    CHECK(values_of<float>(*tensor::index(base, Items{integer(1)})) ==
          std::vector{4.0F, 5.0F, 6.0F, 7.0F});
    CHECK(values_of<float>(*tensor::index(base, Items{integer(-1), integer(-4)})) ==
          std::vector{8.0F});
    CHECK(values_of<float>(*tensor::index(base, Items{slice(1, {}), slice({}, {}, 2)})) ==
          std::vector{4.0F, 6.0F, 8.0F, 10.0F});
    CHECK(values_of<float>(*tensor::index(base, Items{slice(-2, -1), slice(-100, 2)})) ==
          std::vector{4.0F, 5.0F});
    CHECK(shape_of(*tensor::index(base, Items{slice(2, 1)})) == Shape{0, 4});
    CHECK(shape_of(*tensor::index(base, Items{slice(50, 60)})) == Shape{0, 4});
}

TEST_CASE("an index into an empty tensor gives an empty tensor") {
    const auto base = counting_tensor(test::host_device(), {0, 2});

    CHECK(shape_of(*tensor::index(base, Items{slice({}, {}), integer(1)})) == Shape{0});
}

TEST_CASE("ellipsis and new axes place the other entries") {
    const auto base = counting_tensor(test::host_device(), {2, 3, 4});

    CHECK(shape_of(*tensor::index(base, Items{kEllipsis, integer(0)})) == Shape{2, 3});
    CHECK(shape_of(*tensor::index(base, Items{integer(0), kEllipsis, integer(0)})) == Shape{3});
    CHECK(shape_of(*tensor::index(base, Items{kNewAxis, kEllipsis, kNewAxis})) ==
          Shape{1, 2, 3, 4, 1});
    CHECK(shape_of(*tensor::index(base, Items{})) == Shape{2, 3, 4});
}

TEST_CASE("bad indices are refused with the axis at fault") {
    const auto base = counting_tensor(test::host_device(), {2, 3});
    const auto message = [&](const Items& items) {
        return argument_error([&] { (void)tensor::index(base, items); });
    };

    CHECK(message({slice({}, {}), integer(3)}) ==
          "Tensor[]: index 3 is outside axis 1 of shape (2, 3); pass -3 to 2");
    CHECK(message({integer(0), integer(0), integer(0)}) ==
          "Tensor[]: the index has 3 entries, the tensor of shape (2, 3) has 2 dimensions; leave "
          "the rest away");
    CHECK(message({kEllipsis, kEllipsis}) ==
          "Tensor[]: the index has 2 ellipses (...), one is possible");
    CHECK(message({slice({}, {}, -1)}) ==
          "Tensor[]: the slice of axis 0 has step -1, steps must be 1 or greater; "
          "reverse the array with numpy before");
}

TEST_CASE("an index into an empty axis says so") {
    const auto base = counting_tensor(test::host_device(), {0, 3});

    CHECK(argument_error([&] { (void)tensor::index(base, Items{integer(0)}); }) ==
          "Tensor[]: index 0 is outside axis 0 of shape (0, 3); that axis is empty");
}

TEST_CASE("reshape keeps the memory where strides allow") {
    const auto base = counting_tensor(test::host_device(), {4, 6});
    const auto even_rows = tensor::index(base, Items{slice({}, {}, 2)});

    const auto reshaped = tensor::reshape(even_rows, {2, 2, 3});

    CHECK(reshaped->buffer_ref() == base->buffer_ref());
    CHECK(values_of<float>(*reshaped) == std::vector{0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 12.0F,
                                                     13.0F, 14.0F, 15.0F, 16.0F, 17.0F});
    CHECK(tensor::reshape(base, {24})->buffer_ref() == base->buffer_ref());
    CHECK(tensor::reshape(base, {1, 24, 1})->buffer_ref() == base->buffer_ref());
}

TEST_CASE("reshape copies where strides cannot express the shape") {
    const auto base = counting_tensor(test::host_device(), {2, 3});
    const auto transposed = tensor::permute(base, Shape{1, 0});

    const auto reshaped = tensor::reshape(transposed, {-1});

    CHECK(reshaped->buffer_ref() != base->buffer_ref());
    CHECK(values_of<float>(*reshaped) == std::vector{0.0F, 3.0F, 1.0F, 4.0F, 2.0F, 5.0F});
}

TEST_CASE("reshape of an empty tensor stays empty") {
    const auto base = counting_tensor(test::host_device(), {0, 3});

    CHECK(shape_of(*tensor::reshape(base, {3, 0, 2})) == Shape{3, 0, 2});
    CHECK(shape_of(*tensor::reshape(base, {-1, 5})) == Shape{0, 5});
    CHECK_THROWS_AS(tensor::reshape(base, {-1, 0}), core::ArgumentError);
}

TEST_CASE("reshape refuses another number of elements") {
    const auto base = counting_tensor(test::host_device(), {2, 3});
    const auto message = [&](const Shape& shape) {
        return argument_error([&] { (void)tensor::reshape(base, shape); });
    };

    CHECK(message({4, 2}) ==
          "reshape: shape (4, 2) does not fit the 6 elements of shape (2, 3); its product must be "
          "equal (one entry may be -1)");
    CHECK(message({-1, 4}) != "");
    CHECK(message({-1, -1}) ==
          "reshape: shape (-1, -1) does not fit the 6 elements of shape (2, 3); only one entry "
          "may be -1");
    CHECK(message({std::int64_t{1} << 40, std::int64_t{1} << 40}) != "");
    CHECK(message({-2, -3}) != "");
}

TEST_CASE("permute reorders axes and rejects what is no permutation") {
    const auto base = counting_tensor(test::host_device(), {2, 3, 4});

    CHECK(shape_of(*tensor::permute(base, Shape{2, 0, 1})) == Shape{4, 2, 3});
    CHECK(shape_of(*tensor::permute(base, Shape{-1, 0, 1})) == Shape{4, 2, 3});
    CHECK(argument_error([&] { (void)tensor::permute(base, Shape{0, 0, 1}); }) ==
          "permute: axes (0, 0, 1) name axis 0 twice; name every axis once");
    CHECK(argument_error([&] { (void)tensor::permute(base, Shape{0, 1}); }) ==
          "permute: axes (0, 1) name 2 of 3 dimensions; name every axis once");
    CHECK(argument_error([&] { (void)tensor::permute(base, Shape{0, 1, 3}); }) ==
          "permute: axis 3 is outside a tensor of 3 dimensions; pass -3 to 2");
}

TEST_CASE("broadcast_to repeats elements without copying them") {
    const auto base = counting_tensor(test::host_device(), {2, 1});

    const auto view = tensor::broadcast_to(base, {2, 2, 3});

    CHECK(view->buffer_ref() == base->buffer_ref());
    CHECK(values_of<float>(*view) ==
          std::vector{0.0F, 0.0F, 0.0F, 1.0F, 1.0F, 1.0F, 0.0F, 0.0F, 0.0F, 1.0F, 1.0F, 1.0F});
    CHECK(argument_error([&] { (void)tensor::broadcast_to(base, {3, 3}); }) ==
          "broadcast_to: axis 0 of shape (2, 1) has extent 2, shape (3, 3) asks for 3; extents "
          "must be equal or 1");
    CHECK(argument_error([&] { (void)tensor::broadcast_to(base, {2}); }) ==
          "broadcast_to: shape (2,) has fewer dimensions than shape (2, 1); broadcasting can only "
          "add some");
}

TEST_CASE("squeeze and unsqueeze drop and insert axes of extent 1") {
    const auto base = counting_tensor(test::host_device(), {1, 3, 1});

    CHECK(shape_of(*tensor::squeeze(base, {})) == Shape{3});
    CHECK(shape_of(*tensor::squeeze(base, -1)) == Shape{1, 3});
    CHECK(shape_of(*tensor::unsqueeze(base, -1)) == Shape{1, 3, 1, 1});
    CHECK(shape_of(*tensor::unsqueeze(base, 1)) == Shape{1, 1, 3, 1});
    CHECK(argument_error([&] { (void)tensor::squeeze(base, 1); }) ==
          "squeeze: axis 1 of shape (1, 3, 1) has extent 3, only extent 1 can be dropped");
}

TEST_CASE("flatten_dtype turns the scalars of elements into axes") {
    const auto device = test::host_device();
    const auto pixel =
        test::make_structure("Pixel", {{"xy", reflect::vector_type(ScalarKind::float32, 2)},
                                       {"z", reflect::scalar_type(ScalarKind::float32)}});
    const auto flat = [&](const reflect::TypeRef& dtype, Shape shape) {
        return shape_of(*tensor::flatten_dtype(
            Tensor::create(device, {.dtype = dtype, .shape = std::move(shape)})));
    };

    CHECK(flat(reflect::vector_type(ScalarKind::float32, 3), {5}) == Shape{5, 3});
    CHECK(flat(reflect::matrix_type(ScalarKind::float32, 2, 3), {5}) == Shape{5, 2, 3});
    CHECK(flat(pixel, {4, 4}) == Shape{4, 4, 3});
    CHECK(flat(reflect::array_type(pixel, 2), {4}) == Shape{4, 2, 3});
    CHECK(flat(reflect::scalar_type(ScalarKind::float32), {4}) == Shape{4});
}

TEST_CASE("flatten_dtype keeps strides and offsets of views") {
    const auto device = test::host_device();
    const auto base = Tensor::create(
        device, {.dtype = reflect::vector_type(ScalarKind::float32, 2), .shape = {4}});
    tensor::upload(*base,
                   test::bytes_of(std::vector{0.0F, 1.0F, 2.0F, 3.0F, 4.0F, 5.0F, 6.0F, 7.0F}));

    const auto flat = tensor::flatten_dtype(tensor::index(base, Items{slice(1, {}, 2)}));

    CHECK(values_of<float>(*flat) == std::vector{2.0F, 3.0F, 6.0F, 7.0F});
}

TEST_CASE("flatten_dtype refuses structures of mixed scalars") {
    const auto mixed =
        test::make_structure("Mixed", {{"x", reflect::scalar_type(ScalarKind::float32)},
                                       {"i", reflect::scalar_type(ScalarKind::int32)}});
    const auto tensor = Tensor::create(test::host_device(), {.dtype = mixed, .shape = {2}});

    CHECK(argument_error([&] { (void)tensor::flatten_dtype(tensor); }) ==
          "flatten_dtype: Mixed mixes scalar kinds or has gaps between them; take its fields one "
          "by one");
}

TEST_CASE("view takes shape, strides and offset as they are") {
    const auto base = counting_tensor(test::host_device(), {12});

    CHECK(values_of<float>(*tensor::view(base, {2, 2}, {4, 1}, 5)) ==
          std::vector{5.0F, 6.0F, 9.0F, 10.0F});
    CHECK(values_of<float>(*tensor::view(base, {2, 2}, {}, 0)) ==
          std::vector{0.0F, 1.0F, 2.0F, 3.0F});
    CHECK_THROWS_AS(tensor::view(base, {12}, {}, 1), core::ArgumentError);
}
