// SPDX-License-Identifier: Apache-2.0
#include "support.hpp"
#include "support/catch.hpp"

using namespace weft;
using reflect::ScalarKind;
using tensor::Tensor;

TEST_CASE("a tensor allocates what its strides reach") {
    const auto device = test::host_device();
    const auto half = reflect::scalar_type(ScalarKind::float16);

    const auto packed = Tensor::create(device, {.dtype = half, .shape = {3, 5}});
    const auto spaced = Tensor::create(device, {.dtype = half, .shape = {3}, .strides = {4}});

    CHECK(packed->buffer().size_bytes() == 30);
    CHECK(spaced->buffer().size_bytes() == 18);
    CHECK(packed->address() == packed->buffer().address());
}

TEST_CASE("elements are packed scalars, structures follow the rules of the device") {
    const auto device = test::host_device();
    const auto flag = reflect::scalar_type(ScalarKind::bool_);
    const auto flags = test::make_structure("Flags", {{"a", flag}, {"b", flag}});

    CHECK(Tensor::create(device, {.dtype = flag, .shape = {8}})->buffer().size_bytes() == 8);
    CHECK(Tensor::create(device, {.dtype = flags, .shape = {8}})->buffer().size_bytes() == 64);
}

TEST_CASE("an empty tensor needs no memory") {
    const auto tensor = Tensor::create(
        test::host_device(), {.dtype = reflect::scalar_type(ScalarKind::int32), .shape = {0, 4}});

    CHECK(tensor->address() == 0);
    CHECK(test::values_of<int>(*tensor).empty());
}

TEST_CASE("a view starts at its offset and shares the buffer") {
    const auto base = test::counting_tensor(test::host_device(), {10});

    const auto view =
        Tensor::wrap(base->buffer_ref(), {.dtype = base->dtype(), .shape = {3}, .offset = 4});

    CHECK(view->address() == base->address() + 16);
    CHECK(test::values_of<float>(*view) == std::vector{4.0F, 5.0F, 6.0F});
}

TEST_CASE("a view that reaches outside its buffer is refused") {
    const auto base = test::counting_tensor(test::host_device(), {10});
    const auto wrap = [&](std::vector<std::int64_t> shape, std::int64_t offset) {
        return test::argument_error([&] {
            (void)Tensor::wrap(base->buffer_ref(),
                               {.dtype = base->dtype(), .shape = shape, .offset = offset});
        });
    };

    CHECK(
        wrap({8}, 3) ==
        "Tensor: a view of shape (8,) at offset 3 needs 8 elements, the buffer holds 10 of float; "
        "pass a smaller shape, smaller strides or a smaller offset");
    CHECK(wrap({1}, -1) != "");
    CHECK(wrap({0}, 11) != "");
    CHECK(wrap({10}, 0) == "");
    CHECK(wrap({0}, 10) == "");
}

TEST_CASE("tensors made from one layout share it") {
    const auto device = test::host_device();
    const auto layout =
        tensor::make_array_layout(reflect::scalar_type(ScalarKind::float32), {4, 4});

    const auto a = Tensor::create(device, layout);
    const auto b = Tensor::create(device, layout);

    CHECK(a->layout() == b->layout());
    CHECK(a->layout_hash() == b->layout_hash());
    CHECK(a->address() != b->address());
}
