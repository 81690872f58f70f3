// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "support/catch.hpp"
#include "tensor/view.hpp"

#include <numeric>

using namespace weft;
using reflect::ScalarKind;
using tensor::Tensor;
using test::argument_error;
using test::counting_tensor;
using test::values_of;

TEST_CASE("what is uploaded can be downloaded") {
    const auto device = test::host_device();
    const auto tensor = Tensor::create(
        device, {.dtype = reflect::vector_type(ScalarKind::int16, 3), .shape = {2, 2}});
    std::vector<std::int16_t> values(12);
    std::iota(values.begin(), values.end(), std::int16_t{-5});

    tensor::upload(*tensor, test::bytes_of(values));

    CHECK(values_of<std::int16_t>(*tensor) == values);
}

TEST_CASE("upload into a view leaves the memory between its elements alone") {
    const auto base = counting_tensor(test::host_device(), {4, 3});
    const auto column =
        tensor::index(base, std::vector<tensor::IndexItem>{
                                {}, {.kind = tensor::IndexItem::Kind::integer, .integer = 1}});

    tensor::upload(*column, test::bytes_of(std::vector{-1.0F, -2.0F, -3.0F, -4.0F}));

    CHECK(values_of<float>(*base) ==
          std::vector{0.0F, -1.0F, 2.0F, 3.0F, -2.0F, 5.0F, 6.0F, -3.0F, 8.0F, 9.0F, -4.0F, 11.0F});
}

TEST_CASE("upload and download check the number of bytes") {
    const auto tensor = counting_tensor(test::host_device(), {4});
    std::vector<std::byte> wrong(12);

    CHECK(argument_error([&] { tensor::upload(*tensor, wrong); }) ==
          "upload: the tensor holds 16 bytes, got 12; pass an array of the tensor's own shape and "
          "dtype");
    CHECK_THROWS_AS(tensor::download(*tensor, wrong), core::ArgumentError);
}

TEST_CASE("a broadcast view cannot be written") {
    const auto view = tensor::broadcast_to(counting_tensor(test::host_device(), {1}), {4});

    CHECK(argument_error([&] { tensor::clear(*view); }) ==
          "clear: the tensor repeats its elements along axis 0 (broadcast), which cannot be "
          "written; write to the "
          "tensor it views");
    CHECK_THROWS_AS(tensor::upload(*view, std::vector<std::byte>(16)), core::ArgumentError);
}

TEST_CASE("fill repeats an element of any size") {
    const auto device = test::host_device();
    const auto fill_and_read = [&](reflect::TypeRef dtype, const auto& element,
                                   std::int64_t count) {
        const auto tensor = Tensor::create(device, {.dtype = std::move(dtype), .shape = {count}});
        tensor::fill(*tensor, test::bytes_of(element));
        using T = typename std::decay_t<decltype(element)>::value_type;
        return values_of<T>(*tensor);
    };

    CHECK(fill_and_read(reflect::scalar_type(ScalarKind::float32), std::vector{2.5F}, 5) ==
          std::vector<float>(5, 2.5F));
    CHECK(fill_and_read(reflect::scalar_type(ScalarKind::int8), std::vector<std::int8_t>{-3}, 7) ==
          std::vector<std::int8_t>(7, -3));
    CHECK(fill_and_read(reflect::scalar_type(ScalarKind::int8), std::vector<std::int8_t>{-3}, 8) ==
          std::vector<std::int8_t>(8, -3));
    CHECK(fill_and_read(reflect::scalar_type(ScalarKind::float64), std::vector{0.1}, 20000) ==
          std::vector<double>(20000, 0.1));
    const auto triples = fill_and_read(reflect::vector_type(ScalarKind::float32, 3),
                                       std::vector{1.0F, 2.0F, 3.0F}, 30000);
    CHECK(std::accumulate(triples.begin(), triples.end(), 0.0) == 180000.0);
    CHECK(triples[89999] == 3.0F);
}

TEST_CASE("fill and clear of a view touch its elements only") {
    const auto base = counting_tensor(test::host_device(), {2, 3});
    const auto columns = tensor::index(base, std::vector<tensor::IndexItem>{{}, {.start = 1}});

    tensor::fill(*columns, test::bytes_of(std::vector{7.0F}));
    CHECK(values_of<float>(*base) == std::vector{0.0F, 7.0F, 7.0F, 3.0F, 7.0F, 7.0F});

    tensor::clear(*columns);
    CHECK(values_of<float>(*base) == std::vector{0.0F, 0.0F, 0.0F, 3.0F, 0.0F, 0.0F});
}

TEST_CASE("clear sets all bytes of structures") {
    const auto dtype =
        test::make_structure("Mixed", {{"a", reflect::scalar_type(ScalarKind::int8)},
                                       {"b", reflect::scalar_type(ScalarKind::float64)}});
    const auto tensor = Tensor::create(test::host_device(), {.dtype = dtype, .shape = {3}});
    tensor::fill(*tensor, std::vector<std::byte>(16, std::byte{1}));

    tensor::clear(*tensor);

    CHECK(values_of<double>(*tensor) == std::vector<double>(6, 0.0));
}

TEST_CASE("copy moves elements between any strides") {
    const auto device = test::host_device();
    const auto source = counting_tensor(device, {2, 3});
    const auto target = Tensor::create(device, {.dtype = source->dtype(), .shape = {3, 2}});
    const std::vector<std::int64_t> axes = {1, 0};

    tensor::copy(*target, *tensor::permute(source, axes));

    CHECK(values_of<float>(*target) == std::vector{0.0F, 3.0F, 1.0F, 4.0F, 2.0F, 5.0F});
    CHECK(argument_error([&] {
              tensor::copy(*target, *source);
          }).find("copy: the target has shape (3, 2) of float, the source (2, 3) of float") == 0);
}

TEST_CASE("contiguous keeps a contiguous tensor and copies any other") {
    const auto base = counting_tensor(test::host_device(), {2, 3});
    const std::vector<std::int64_t> axes = {1, 0};

    CHECK(tensor::contiguous(base) == base);
    const auto packed = tensor::contiguous(tensor::permute(base, axes));
    CHECK(packed->is_contiguous());
    CHECK(values_of<float>(*packed) == std::vector{0.0F, 3.0F, 1.0F, 4.0F, 2.0F, 5.0F});
}

TEST_CASE("astype converts the scalars of vectors and truncates floats") {
    const auto device = test::host_device();
    const auto tensor = Tensor::create(
        device, {.dtype = reflect::vector_type(ScalarKind::float32, 2), .shape = {2}});
    tensor::upload(*tensor, test::bytes_of(std::vector{1.9F, -1.9F, 0.0F, 3.0F}));

    const auto converted = tensor::with_scalar_kind(*tensor, ScalarKind::int32);

    CHECK(converted->dtype()->columns == 2);
    CHECK(values_of<int>(*converted) == std::vector{1, -1, 0, 3});
    CHECK(values_of<std::uint8_t>(*tensor::with_scalar_kind(*tensor, ScalarKind::bool_)) ==
          std::vector<std::uint8_t>{1, 1, 0, 1});
}

TEST_CASE("astype refuses structures") {
    const auto dtype =
        test::make_structure("One", {{"a", reflect::scalar_type(ScalarKind::float32)}});
    const auto tensor = Tensor::create(test::host_device(), {.dtype = dtype, .shape = {1}});

    CHECK(argument_error([&] { (void)tensor::with_scalar_kind(*tensor, ScalarKind::int32); }) ==
          "astype: One is a structure, whose scalars have kinds of their own; convert its fields");
}

TEST_CASE("a closed device refuses transfers") {
    const auto device = test::host_device();
    const auto tensor = counting_tensor(device, {4});

    device->close();

    CHECK_THROWS_AS(values_of<float>(*tensor), core::DeviceError);
}
