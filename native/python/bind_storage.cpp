// SPDX-License-Identifier: Apache-2.0
#include "python/bind_storage.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_tensor.hpp"
#include "python/host_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/session.hpp"
#include "tensor/dtype.hpp"

#include <pybind11/numpy.h>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;
using tensor::Tensor;
using tensor::TensorRef;

namespace {

TensorRef bytes_of(const Storage& self, std::uint64_t count) {
    return Tensor::wrap(self.buffer, {.dtype = reflect::scalar_type(reflect::ScalarKind::uint8),
                                      .shape = {static_cast<std::int64_t>(count)}});
}

py::array to_numpy(const Storage& self) {
    return tensor_to_numpy(*bytes_of(self, self.buffer->size_bytes()));
}

void copy_from_numpy(const Storage& self, const py::object& values) {
    const char* const context = "Tensor.storage.copy_from_numpy: argument 'data'";
    const py::array given = to_array(values, context);
    if (given.dtype().kind() == 'O') {
        throw ArgumentError(text(context, " holds Python objects; pass numbers"),
                            ArgumentError::Kind::type);
    }
    const py::array array =
        py::module_::import("numpy").attr("ascontiguousarray")(given).cast<py::array>();
    const auto count = static_cast<std::uint64_t>(array.nbytes());
    if (count > self.buffer->size_bytes()) {
        throw ArgumentError(text(context, " has ", count, " bytes, the storage ",
                                 self.buffer->size_bytes(), "; pass at most as many"));
    }
    const TensorRef target = bytes_of(self, count);
    const auto* const data = static_cast<const std::byte*>(array.data());
    const std::shared_ptr<Session> session = session_of(self.buffer->device());
    const Unlocked unlocked;
    session->copier->upload(*target, {data, count});
}

} // namespace

TensorRef Storage::as_row_of(const reflect::TypeRef& type) const {
    reflect::TypeRef stored = tensor::storage_type(type, buffer->device().layout_rules());
    const TensorRef empty = Tensor::wrap(buffer, {.dtype = stored, .shape = {0}});
    const auto count = buffer->size_bytes() / empty->layout()->element_bytes();
    return Tensor::wrap(buffer,
                        {.dtype = std::move(stored), .shape = {static_cast<std::int64_t>(count)}});
}

void bind_storage(py::module_& module) {
    py::class_<Storage>(
        module, "Storage",
        "The memory of a tensor and of its views; made by Tensor.storage.\n\n"
        "Passed to a call, it is all of the memory as elements of the buffer or pointer "
        "parameter.\n")
        .def_property_readonly(
            "size", [](const Storage& self) { return self.buffer->size_bytes(); }, "Bytes.")
        .def_property_readonly(
            "struct_size",
            [](const Storage& self) {
                return self.as_row_of(self.dtype)->layout()->element_bytes();
            },
            "Bytes of one element of the tensor.")
        .def_property_readonly(
            "device_address", [](const Storage& self) { return self.buffer->address(); },
            "Device address of the first byte as an integer; 0 if empty.")
        .def_property_readonly(
            "device", [](const Storage& self) { return session_of(self.buffer->device()); })
        .def("to_numpy", &to_numpy,
             "A new array of all bytes (uint8), as they lie on the device. Waits for the work that "
             "writes them.")
        .def("copy_from_numpy", &copy_from_numpy, py::arg("data"),
             "Copies the bytes of an array, of whatever dtype and shape, to the first bytes.\n\n"
             "Raises:\n    ArgumentError: The array is larger than the storage.\n")
        .def("__repr__", [](const Storage& self) {
            return text("<weft.Storage, ", self.buffer->size_bytes(), " bytes>");
        });
}

} // namespace weft::python
