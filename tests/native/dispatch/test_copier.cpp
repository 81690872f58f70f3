// SPDX-License-Identifier: Apache-2.0
// On the null device nothing runs, but it counts: one dispatch and no trip through the host. What the kernels
// compute is tested in tests/python/test_device_copies.py.
#include "device/null/null_device.hpp"
#include "dispatch/conversion.hpp"
#include "dispatch/copier.hpp"
#include "support/catch.hpp"
#include "support/paths.hpp"
#include "tensor/view.hpp"

#include <array>

using namespace weft;
using reflect::ScalarKind;
using tensor::Tensor;
using tensor::TensorRef;

namespace {

struct Fixture {
    std::shared_ptr<device::NullDevice> device = device::create_null_device();
    dispatch::Copier copier{context()};

    dispatch::Context context() const {
        compile::CompilerDesc compiler;
        compiler.slang_directory = test::slang_directory();
        compiler.shader_directory = test::shader_directory();
        return {.device = device, .compiler = compile::Compiler::create(compiler)};
    }

    TensorRef zeros(ScalarKind kind, std::vector<std::int64_t> shape) const {
        TensorRef made = Tensor::create(
            device, {.dtype = reflect::scalar_type(kind), .shape = std::move(shape)});
        device->fill(made->buffer(), 0, made->buffer().size_bytes() / 4 * 4, 0);
        return made;
    }
};

TensorRef transposed(const TensorRef& tensor) {
    return tensor::permute(tensor, std::array<std::int64_t, 2>{1, 0});
}

} // namespace

TEST_CASE("a copy of a transposed tensor is one dispatch") {
    Fixture fixture;

    const TensorRef copy =
        fixture.copier.contiguous(transposed(fixture.zeros(ScalarKind::float32, {4, 6})));

    CHECK(copy->is_contiguous());
    CHECK(fixture.device->dispatch_count() == 1);
}

TEST_CASE("a contiguous tensor is its own copy") {
    Fixture fixture;
    const TensorRef tensor = fixture.zeros(ScalarKind::float32, {4, 6});

    CHECK(fixture.copier.contiguous(tensor) == tensor);
    CHECK(fixture.device->dispatch_count() == 0);
}

TEST_CASE("a conversion is one dispatch") {
    Fixture fixture;
    const TensorRef tensor = fixture.zeros(ScalarKind::int32, {4, 6});

    const TensorRef floats = fixture.copier.with_scalar_kind(tensor, ScalarKind::float32);
    const TensorRef back = fixture.copier.with_scalar_kind(floats, ScalarKind::int32);

    CHECK(floats->dtype()->scalar == ScalarKind::float32);
    CHECK(back->dtype()->scalar == ScalarKind::int32);
    CHECK(fixture.device->dispatch_count() == 2);
}

TEST_CASE("kinds that a device lacks are left to the host") {
    device::DeviceInfo info = device::create_null_device()->info();
    info.features.int8 = info.features.int64 = false;
    info.features.int16 = info.features.float64 = true;

    CHECK_FALSE(dispatch::has_storage(info.features, ScalarKind::bool_));
    CHECK_FALSE(dispatch::is_convertible_on(info, ScalarKind::uint8, ScalarKind::int32));
    CHECK_FALSE(dispatch::is_convertible_on(info, ScalarKind::int32, ScalarKind::int64));
    CHECK(dispatch::is_convertible_on(info, ScalarKind::float16, ScalarKind::float32));
    CHECK_FALSE(dispatch::is_convertible_on(info, ScalarKind::float64, ScalarKind::float16));
}

TEST_CASE("only conversions that may not fit are checked") {
    CHECK_FALSE(dispatch::conversion(ScalarKind::int32, ScalarKind::float16).is_checked);
    CHECK_FALSE(dispatch::conversion(ScalarKind::uint8, ScalarKind::int16).is_checked);
    CHECK_FALSE(dispatch::conversion(ScalarKind::bool_, ScalarKind::int8).is_checked);
    CHECK_FALSE(dispatch::conversion(ScalarKind::float64, ScalarKind::bool_).is_checked);
    CHECK(dispatch::conversion(ScalarKind::int8, ScalarKind::uint64).is_checked);
    CHECK(dispatch::conversion(ScalarKind::uint64, ScalarKind::int64).is_checked);
    CHECK(dispatch::conversion(ScalarKind::float16, ScalarKind::int64).is_checked);
}

TEST_CASE("upload and fill of a view with gaps leave the gaps to the device") {
    Fixture fixture;
    const TensorRef column = tensor::view(fixture.zeros(ScalarKind::float32, {4, 6}), {4}, {6}, 0);
    const std::array<float, 4> values{1, 2, 3, 4};

    fixture.copier.upload(*column, std::as_bytes(std::span(values)));
    fixture.copier.fill(*column, std::as_bytes(std::span(values).first(1)));
    fixture.copier.clear(*column);

    CHECK(fixture.device->dispatch_count() == 3);
}

TEST_CASE("a copy between overlapping views goes by way of a third place") {
    Fixture fixture;
    const TensorRef tensor = fixture.zeros(ScalarKind::float32, {6, 6});

    fixture.copier.copy(*transposed(tensor), *tensor);

    CHECK(fixture.device->dispatch_count() >= 1);
}
