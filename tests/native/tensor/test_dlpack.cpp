// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "support/catch.hpp"
#include "tensor/dlpack.hpp"
#include "tensor/view.hpp"

using namespace weft;
using reflect::ScalarKind;
using tensor::Tensor;
namespace dlpack = tensor::dlpack;

namespace {

template <typename Managed>
std::shared_ptr<Managed> owned(Managed* managed) {
    return {managed, [](Managed* array) { array->release(array); }};
}

} // namespace

TEST_CASE("memory that no other library can reach leaves as a copy on the host") {
    const auto base = test::counting_tensor(test::host_device(), {2, 3});
    const auto transposed = tensor::permute(base, std::vector<std::int64_t>{1, 0});

    const auto exported = owned(tensor::export_versioned_dlpack(transposed));

    CHECK(exported->flags == dlpack::kFlagCopied);
    CHECK(exported->version.major == 1);
    const dlpack::Array& array = exported->array;
    CHECK(array.device.code == dlpack::DeviceCode::cpu);
    CHECK(array.dtype.code == dlpack::TypeCode::floating);
    CHECK(array.dtype.bits == 32);
    CHECK(std::vector<std::int64_t>(array.shape, array.shape + array.rank) ==
          std::vector<std::int64_t>{3, 2});
    const auto* data = static_cast<const float*>(array.data);
    CHECK(std::vector<float>(data, data + 6) == std::vector{0.0F, 3.0F, 1.0F, 4.0F, 2.0F, 5.0F});
}

TEST_CASE("vectors and bools leave as axes of scalars") {
    const auto tensor = Tensor::create(
        test::host_device(), {.dtype = reflect::vector_type(ScalarKind::bool_, 2), .shape = {3}});
    tensor::upload(*tensor, test::bytes_of(std::vector<std::uint8_t>{1, 0, 0, 1, 1, 1}));

    const auto exported = owned(tensor::export_dlpack(tensor));

    const dlpack::Array& array = exported->array;
    CHECK(array.rank == 2);
    CHECK(array.dtype.code == dlpack::TypeCode::boolean);
    CHECK(array.dtype.bits == 8);
    const auto* data = static_cast<const std::uint8_t*>(array.data);
    CHECK(std::vector<std::uint8_t>(data, data + 6) == std::vector<std::uint8_t>{1, 0, 0, 1, 1, 1});
}

TEST_CASE("an array on the host enters as a copy, negative strides and offsets included") {
    std::vector<std::int16_t> values = {0, 1, 2, 3, 4, 5};
    std::vector<std::int64_t> shape = {3};
    std::vector<std::int64_t> strides = {-1};
    dlpack::Array array;
    array.data = values.data();
    array.byte_offset = 3 * sizeof(std::int16_t);
    array.rank = 1;
    array.dtype = {.code = dlpack::TypeCode::signed_integer, .bits = 16};
    array.shape = shape.data();
    array.strides = strides.data();

    const auto tensor = tensor::import_dlpack(test::host_device(), array, nullptr);

    CHECK(tensor->dtype()->scalar == ScalarKind::int16);
    CHECK(test::values_of<std::int16_t>(*tensor) == std::vector<std::int16_t>{3, 2, 1});
}

TEST_CASE("arrays that Weft cannot use are refused") {
    const auto device = test::host_device();
    const auto message = [&](const dlpack::Array& array) {
        return test::argument_error([&] { (void)tensor::import_dlpack(device, array, nullptr); });
    };

    const auto on_device = [&](dlpack::DeviceCode code, std::int32_t index) {
        dlpack::Array array;
        array.device = {.code = code, .index = index};
        return message(array);
    };
    dlpack::Array float8;
    float8.dtype.bits = 8;

    CHECK(message(float8).find("(DLPack type 2, 8 bits, 1 lanes) are no bool, integer or float") !=
          std::string::npos);
    CHECK(on_device(dlpack::DeviceCode::cuda, 1) ==
          "from_dlpack: the array lies on CUDA device 1, the device '" + device->info().name +
              "' is cpu adapter 0; copy the array to the host first, for example with .cpu()");
    CHECK(on_device(static_cast<dlpack::DeviceCode>(10), 0) ==
          "from_dlpack: the array lies on a device of DLPack type 10, only host and CUDA memory "
          "can be used; copy the "
          "array to the host first");
}

TEST_CASE("a device without foreign memory refuses to wrap it") {
    CHECK_THROWS_AS(test::host_device()->wrap_external(4096, 16, nullptr), core::ArgumentError);
}

TEST_CASE("layouts of arrays are found again, and old ones make room for new ones") {
    tensor::DlpackLayouts layouts;
    std::vector<std::int64_t> shape = {3, 4};
    std::vector<std::int64_t> strides = {8, 2};
    dlpack::Array array;
    array.rank = 2;
    array.shape = shape.data();
    array.strides = strides.data();

    const tensor::ArrayLayoutRef first = layouts.find(array, ScalarKind::float32);
    CHECK(first->extent_elements == 23);
    CHECK(layouts.find(array, ScalarKind::float32) == first);
    CHECK(layouts.find(array, ScalarKind::int32)->dtype->scalar == ScalarKind::int32);
    strides = {1, 3};
    CHECK(layouts.find(array, ScalarKind::float32)->strides == strides);
    array.rank = 1;
    CHECK(layouts.find(array, ScalarKind::float32)->shape == std::vector<std::int64_t>{3});
    array.strides = nullptr;
    array.rank = 2;
    CHECK(layouts.find(array, ScalarKind::float32)->is_contiguous);

    for (shape[0] = 1; shape[0] < 40; ++shape[0]) {
        CHECK(layouts.find(array, ScalarKind::float32)->element_count == 4 * shape[0]);
    }
    shape[0] = 3;
    strides = {8, 2};
    array.strides = strides.data();
    CHECK(layouts.find(array, ScalarKind::float32)->extent_elements == 23);
}
