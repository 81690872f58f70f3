// SPDX-License-Identifier: Apache-2.0
// Arrays of numpy that transfers read and write in place.
#include "python/pinned_array.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "device/pinned_memory.hpp"
#include "python/bind_tensor.hpp"
#include "python/host_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/numpy_values.hpp"
#include "python/session.hpp"
#include "python/tensor_factories.hpp"
#include "tensor/host_format.hpp"

#include <algorithm>
#include <limits>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;

namespace {

constexpr const char* kFunction = "pinned_empty";

py::dtype plain_dtype(const py::object& value) {
    const py::dtype dtype = value.is_none() ? py::dtype::of<float>() : py::dtype::from_args(value);
    if (dtype.attr("hasobject").cast<bool>() || dtype.itemsize() == 0) {
        throw ArgumentError(text(kFunction, ": dtype must be numbers or structures of them, got ",
                                 py::str(dtype).cast<std::string>(),
                                 "; pass for example numpy.float32"),
                            ArgumentError::Kind::type);
    }
    return dtype;
}

std::uint64_t bytes_of(const std::vector<std::int64_t>& shape, std::int64_t item_bytes) {
    constexpr auto kMaxElements =
        static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    auto bytes = static_cast<std::uint64_t>(item_bytes);
    if (std::ranges::find(shape, 0) != shape.end()) {
        return 0;
    }
    for (const std::int64_t extent : shape) {
        if (static_cast<std::uint64_t>(extent) > kMaxElements / bytes) {
            throw ArgumentError(text(kFunction, ": an array of shape ", core::shape_text(shape),
                                     " is larger than any memory; pass a smaller shape"));
        }
        bytes *= static_cast<std::uint64_t>(extent);
    }
    return bytes;
}

py::array pinned_empty(const py::object& device, const py::object& shape, const py::object& dtype) {
    using Owner = std::shared_ptr<device::PinnedMemory>;
    const std::shared_ptr<Session> session = device_argument(device, kFunction);
    const std::vector<std::int64_t> extents = shape_argument(shape, kFunction);
    const py::dtype type = plain_dtype(dtype);
    const std::uint64_t bytes = bytes_of(extents, type.itemsize());
    Owner memory;
    {
        const Unlocked unlocked;
        memory = device::PinnedMemory::create(*session->device, bytes);
    }
    void* const data = memory->bytes().data();
    const py::capsule owner(new Owner(std::move(memory)), [](void* kept) {
        const std::unique_ptr<Owner> dropped(static_cast<Owner*>(kept));
    });
    return py::array(type, extents, data, owner);
}

/// What `out` differs in from the array that would be made; "": nothing.
std::string difference(const py::array& out, const py::array& expected) {
    const std::span shape(out.shape(), static_cast<std::size_t>(out.ndim()));
    const std::span wanted(expected.shape(), static_cast<std::size_t>(expected.ndim()));
    if (!std::ranges::equal(shape, wanted)) {
        return text("has shape ", core::shape_text(shape), ", expected ", core::shape_text(wanted));
    }
    if (!out.dtype().equal(expected.dtype())) {
        return text("holds ", py::str(out.dtype()).cast<std::string>(), ", expected ",
                    py::str(expected.dtype()).cast<std::string>());
    }
    if ((out.flags() & py::array::c_style) == 0) {
        return "has gaps or another order of its axes, expected a C-contiguous array";
    }
    return out.writeable() ? "" : "is read-only, expected a writeable array";
}

} // namespace

py::object tensor_to_array(const tensor::Tensor& tensor, const py::object& out) {
    if (out.is_none()) {
        return tensor_to_numpy(tensor);
    }
    const std::string context = "Tensor.to_numpy: argument 'out'";
    if (!is_numpy_array(out)) {
        throw ArgumentError(text(context, " must be a numpy array, got ",
                                 Py_TYPE(out.ptr())->tp_name,
                                 "; pass for example weft.pinned_empty(device, shape)"),
                            ArgumentError::Kind::type);
    }
    require_unmasked(out, context);
    auto array = py::reinterpret_borrow<py::array>(out);
    const tensor::HostFormat format(tensor.dtype());
    const py::array expected = empty_array(
        {.type = format.host_type(), .shape = {tensor.shape().begin(), tensor.shape().end()}});
    if (const std::string what = difference(array, expected); !what.empty()) {
        throw ArgumentError(
            text(context, " ", what, "; pass an array like what to_numpy() returns"));
    }
    auto* const data = static_cast<std::byte*>(array.mutable_data());
    const auto bytes = static_cast<std::size_t>(array.nbytes());
    const std::shared_ptr<Session> session = session_of(tensor.device());
    const Unlocked unlocked;
    session->copier->download(tensor, {data, bytes}, interrupt_poll());
    return array;
}

void bind_pinned_array(py::module_& module) {
    module.def(
        kFunction, &pinned_empty, py::arg("device"), py::arg("shape"),
        py::arg("dtype") = py::none(),
        "A numpy array, not initialised, in memory that the GPU copies from and to by itself.\n\n"
        "from_numpy() and copy_from_numpy() of such an array, and to_numpy(out=...) into it, run "
        "at the speed of the\nbus from 256 KiB on; parts of it count as well, if they have no "
        "gaps. They return when the GPU has\ndone the copy, so the array may be changed at once. "
        "On software devices it is an ordinary array:\nthey work in the host's memory anyway. So "
        "it is where a Vulkan driver cannot import memory; transfers are\nthen staged.\n\n"
        "Pinned memory cannot be swapped out: make few of them and keep them. The array keeps the "
        "device alive. It\nstays valid when the device is closed, as ordinary memory. Threads "
        "share it as any array of numpy.\nDevice.memory_info() does not count it: it is memory of "
        "the process.\n\n"
        "Args:\n    device: Whose transfers it is for.\n    shape: An integer or a tuple.\n    "
        "dtype: Whatever numpy takes, without objects; None is float32.\n\n"
        "Raises:\n    ArgumentError: The shape or the dtype is none.\n    OutOfMemoryError: The "
        "system has not so much memory that can be pinned.\n    DeviceError: The device is "
        "closed.\n");
}

} // namespace weft::python
