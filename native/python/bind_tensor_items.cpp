// SPDX-License-Identifier: Apache-2.0
#include "python/bind_tensor_items.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_tensor.hpp"
#include "python/host_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/numpy_values.hpp"
#include "python/tensor_factories.hpp"
#include "tensor/dtype.hpp"
#include "tensor/view.hpp"

#include <optional>
#include <pybind11/stl.h>
#include <vector>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;
using tensor::IndexItem;
using tensor::Tensor;
using tensor::TensorRef;

namespace {

constexpr const char* kAssigned = "Tensor[...] = value: the value";

std::optional<std::int64_t> slice_bound(py::handle value) {
    if (value.is_none()) {
        return std::nullopt;
    }
    const Py_ssize_t bound = PyNumber_AsSsize_t(value.ptr(), nullptr); // clips, as slices do
    if (bound == -1 && PyErr_Occurred() != nullptr) {
        throw py::error_already_set();
    }
    return bound;
}

IndexItem index_item(py::handle item) {
    if (PySlice_Check(item.ptr())) {
        return {.start = slice_bound(item.attr("start")),
                .stop = slice_bound(item.attr("stop")),
                .step = slice_bound(item.attr("step")).value_or(1)};
    }
    if (item.is_none()) {
        return {.kind = IndexItem::Kind::new_axis};
    }
    if (item.ptr() == Py_Ellipsis) {
        return {.kind = IndexItem::Kind::ellipsis};
    }
    if (PyIndex_Check(item.ptr()) != 0 && !PyBool_Check(item.ptr())) {
        const Py_ssize_t index = PyNumber_AsSsize_t(item.ptr(), nullptr);
        if (index != -1 || PyErr_Occurred() == nullptr) {
            return {.kind = IndexItem::Kind::integer, .integer = index};
        }
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
            throw py::error_already_set(); // of the object itself
        }
        PyErr_Clear(); // an array of several numbers
    }
    throw ArgumentError(text("Tensor[]: an index must be an integer, a slice, None or ..., got ",
                             Py_TYPE(item.ptr())->tp_name,
                             "; index to_numpy() for masks and lists"),
                        ArgumentError::Kind::type);
}

TensorRef index_tensor(const TensorRef& self, const py::object& key) {
    std::vector<IndexItem> items;
    if (PyTuple_Check(key.ptr())) {
        for (const py::handle item : key) {
            items.push_back(index_item(item));
        }
    } else {
        items.push_back(index_item(key));
    }
    return tensor::index(self, items);
}

std::vector<std::int64_t> shape_of(const Tensor& tensor) {
    return {tensor.shape().begin(), tensor.shape().end()};
}

/// Broadcasts and converts, without leaving the device.
void assign_tensor(Tensor& target, TensorRef source) {
    const std::shared_ptr<Session> session = session_of(target.device());
    const reflect::Type& wanted = reflect::leaf(*target.dtype());
    const bool is_number = wanted.kind == reflect::TypeKind::scalar &&
                           reflect::leaf(*source->dtype()).kind == reflect::TypeKind::scalar;
    const Unlocked unlocked;
    if (&source->device() == &target.device()) {
        if (is_number && reflect::leaf(*source->dtype()).scalar != wanted.scalar) {
            source = session->copier->with_scalar_kind(source, wanted.scalar, interrupt_poll());
        }
        source = tensor::broadcast_to(source, shape_of(target));
    }
    session->copier->copy(target, *source, interrupt_poll());
}

void assign_number(Tensor& target, const py::object& value) {
    const std::vector<std::byte> element = host_element(value, target.dtype(), kAssigned);
    const std::shared_ptr<Session> session = session_of(target.device());
    const Unlocked unlocked;
    session->copier->fill(target, element);
}

/// Repeats the values as numpy does; their last dimensions are the element's own.
void assign_array(Tensor& target, const py::object& value) {
    const py::array values = to_array(value, kAssigned);
    const bool has_fields = !values.dtype().attr("names").is_none();
    std::vector<std::int64_t> shape = shape_of(target);
    if (!has_fields) {
        const std::vector<std::int64_t> inner = reflect::element_shape(*target.dtype());
        shape.insert(shape.end(), inner.begin(), inner.end());
    }
    const std::vector<std::int64_t> given(values.shape(), values.shape() + values.ndim());
    bool fits = given.size() <= shape.size();
    for (std::size_t i = 1; fits && i <= given.size(); ++i) {
        const std::int64_t extent = given[given.size() - i];
        fits = extent == 1 || extent == shape[shape.size() - i];
    }
    if (!fits) {
        throw ArgumentError(text(kAssigned, " has shape ", core::shape_text(given),
                                 ", which does not broadcast to ", core::shape_text(shape),
                                 "; reshape it"));
    }
    const py::object repeated =
        py::module_::import("numpy").attr("broadcast_to")(values, py::tuple(py::cast(shape)));
    store_values(target, repeated, kAssigned);
}

void set_item(const TensorRef& self, const py::object& key, const py::object& value) {
    const TensorRef target = index_tensor(self, key);
    if (py::isinstance<Tensor>(value)) {
        assign_tensor(*target, value.cast<TensorRef>());
    } else if (PyFloat_Check(value.ptr()) || PyLong_Check(value.ptr())) {
        assign_number(*target, value);
    } else if (py::isinstance<py::dict>(value)) {
        store_values(*target, value, kAssigned);
    } else {
        assign_array(*target, value);
    }
}

py::object item_of(const Tensor& self) {
    if (self.element_count() != 1) {
        throw ArgumentError(text("Tensor.item: the tensor has ", self.element_count(),
                                 " elements, one is expected; "
                                 "select one, for example with [0], or use to_numpy()"));
    }
    return tensor_to_numpy(self)
        .attr("reshape")(reflect::element_shape(*self.dtype()))
        .attr("tolist")();
}

/// The one number of a tensor. @param function is Python's: "float".
py::object number_of(const Tensor& self, const char* function, ArgumentError::Kind kind) {
    if (self.element_count() != 1 || self.dtype()->kind != reflect::TypeKind::scalar) {
        throw ArgumentError(text(function, ": a tensor of one number is expected, got shape ",
                                 core::shape_text(self.shape()), " of ",
                                 tensor::display_name(*self.dtype()),
                                 "; select one element, or compare and reduce, for example with "
                                 "weft.any(), weft.all()"),
                            kind);
    }
    return item_of(self);
}

py::object iterate(const py::object& self) {
    const auto& tensor = self.cast<const Tensor&>();
    if (tensor.rank() == 0) {
        throw ArgumentError(
            "Tensor: a tensor without dimensions has no rows to iterate over; use item()",
            ArgumentError::Kind::type);
    }
    const py::module_ builtins = py::module_::import("builtins");
    return builtins.attr("map")(self.attr("__getitem__"),
                                builtins.attr("range")(tensor.shape()[0]));
}

/// Comparing elements is a call; a silent False would pass for one.
bool is_same(const Tensor& self, const py::object& other) {
    if (other.is_none()) {
        return false;
    }
    if (py::isinstance<Tensor>(other) && &other.cast<const Tensor&>() == &self) {
        return true;
    }
    throw ArgumentError(text("Tensor ==: a tensor is compared with None or itself only, got ",
                             Py_TYPE(other.ptr())->tp_name,
                             "; use weft.all_close(a, b), a function of yours, or to_numpy() == "
                             "..., and `is` for identity"),
                        ArgumentError::Kind::type);
}

std::int64_t length_of(const Tensor& self) {
    if (self.rank() == 0) {
        throw ArgumentError("Tensor: a tensor without dimensions has no len(); use item()",
                            ArgumentError::Kind::type);
    }
    return self.shape()[0];
}

} // namespace

void bind_tensor_items(py::class_<Tensor, std::shared_ptr<Tensor>>& tensor_class) {
    tensor_class.def("__getitem__", &index_tensor, py::arg("key"))
        .def("__setitem__", &set_item, py::arg("key"), py::arg("value"))
        .def("__len__", &length_of)
        .def("__hash__", [](const Tensor& self) { return std::hash<const Tensor*>{}(&self); })
        .def("__eq__", &is_same, py::arg("other"),
             "True for the tensor itself, False for None.\n\nRaises:\n    ArgumentTypeError: "
             "Anything else: elements are compared by weft.all_close() and the like.\n")
        .def("__iter__", &iterate)
        .def("item", &item_of, "The one element as Python numbers.")
        .def("__bool__",
             [](const Tensor& self) {
                 return number_of(self, "bool", ArgumentError::Kind::value)
                     .attr("__bool__")()
                     .cast<bool>();
             })
        .def("__float__",
             [](const Tensor& self) {
                 return py::float_(number_of(self, "float", ArgumentError::Kind::type));
             })
        .def("__int__", [](const Tensor& self) {
            return py::int_(number_of(self, "int", ArgumentError::Kind::type));
        });
}

} // namespace weft::python
