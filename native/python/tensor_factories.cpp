// SPDX-License-Identifier: Apache-2.0
#include "python/tensor_factories.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_reflect.hpp"
#include "python/host_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/numpy_values.hpp"
#include "tensor/array_layout.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>
#include <cmath>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;
using reflect::ScalarKind;
using tensor::TensorRef;

namespace {

// Of a shape that is worth reading: the message about too many dimensions shows it whole.
constexpr std::size_t kMaxEntries = 64;

const char* type_name(py::handle value) {
    return Py_TYPE(value.ptr())->tp_name;
}

std::int64_t extent_argument(py::handle value, const std::string& where, const char* function) {
    if (PyIndex_Check(value.ptr()) == 0 || PyBool_Check(value.ptr())) {
        throw ArgumentError(
            text(function, ": shape must be an integer or a sequence of integers, got ",
                 py::repr(value).cast<std::string>(), where, "; pass for example (4, 3)"),
            ArgumentError::Kind::type);
    }
    const Py_ssize_t extent = PyNumber_AsSsize_t(value.ptr(), PyExc_OverflowError);
    if (extent == -1 && PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_OverflowError) == 0) {
            throw py::error_already_set(); // of the object itself
        }
        PyErr_Clear();
        throw ArgumentError(text(function, ": shape has ", py::repr(value).cast<std::string>(),
                                 where, ", which is larger than any memory"));
    }
    return extent;
}

bool is_integer(py::handle value) {
    return PyIndex_Check(value.ptr()) != 0;
}

double number_argument(py::handle value, const char* name) {
    const double number = PyFloat_AsDouble(value.ptr());
    if (number == -1.0 && PyErr_Occurred() != nullptr) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
            throw py::error_already_set(); // of the object itself
        }
        PyErr_Clear();
        throw ArgumentError(text("Tensor.arange: ", name, " must be a number, got ",
                                 type_name(value),
                                 "; pass for example Tensor.arange(device, 0, 10, 2)"),
                            ArgumentError::Kind::type);
    }
    return number;
}

/// Elements of `array` for a tensor of this dtype: the last dimensions are the element's own.
std::vector<std::int64_t> outer_shape(const NumberArray& array, const reflect::Type& dtype) {
    std::vector<std::int64_t> shape = array.shape();
    std::vector<std::int64_t> inner = reflect::element_shape(dtype);
    const reflect::Type& leaf = reflect::leaf(dtype);
    if (leaf.kind == reflect::TypeKind::structure) {
        const auto scalars = tensor::uniform_scalars(std::make_shared<const reflect::Type>(leaf));
        inner.push_back(scalars ? scalars->count : 0);
    }
    const bool fits =
        shape.size() >= inner.size() && std::equal(inner.rbegin(), inner.rend(), shape.rbegin());
    if (!fits) {
        throw ArgumentError(text("Tensor.from_numpy: argument 'array' has shape ",
                                 core::shape_text(shape), ", for dtype ",
                                 tensor::display_name(dtype), " it must end in ",
                                 core::shape_text(inner), "; reshape it"));
    }
    shape.resize(shape.size() - inner.size());
    return shape;
}

/// `shape` without the trailing `inner`. @param path names a field, "" for the array itself.
std::vector<std::int64_t> without_inner(std::vector<std::int64_t> shape,
                                        const std::vector<std::int64_t>& inner,
                                        const std::string& path) {
    if (shape.size() < inner.size() || !std::equal(inner.rbegin(), inner.rend(), shape.rbegin())) {
        throw ArgumentError(text("Tensor.from_numpy: field '", path, "' has shape ",
                                 core::shape_text(shape), ", it must end in ",
                                 core::shape_text(inner), "; reshape it"));
    }
    shape.resize(shape.size() - inner.size());
    return shape;
}

/// The shape of the tensor that a dict fills, as its first field has it; storing compares the others.
std::vector<std::int64_t> shape_of_fields(const py::dict& values, const reflect::Type& type,
                                          const std::string& path) {
    for (const reflect::Field& field : reflect::leaf(type).fields) {
        if (!values.contains(field.name)) {
            continue; // storing says so
        }
        const py::object value = values[py::str(field.name)];
        const std::string inner_path = path + field.name;
        if (py::isinstance<py::dict>(value)) {
            return without_inner(shape_of_fields(value, *field.type, inner_path + "."),
                                 reflect::element_shape(type), inner_path);
        }
        const py::array array = to_array(value, "Tensor.from_numpy: field '" + inner_path + "'");
        std::vector<std::int64_t> inner = reflect::element_shape(type);
        const std::vector<std::int64_t> own = reflect::element_shape(*field.type);
        inner.insert(inner.end(), own.begin(), own.end());
        return without_inner({array.shape(), array.shape() + array.ndim()}, inner, inner_path);
    }
    return {};
}

TensorRef make_from_dict(const Session& session, const py::dict& values, py::handle dtype) {
    const reflect::TypeRef type =
        dtype.is_none() ? nullptr : parse_type(dtype, "Tensor.from_numpy");
    if (!type || reflect::leaf(*type).kind != reflect::TypeKind::structure) {
        throw ArgumentError(
            text("Tensor.from_numpy: argument 'array' is a dict, for which dtype must be a "
                 "structure, got ",
                 type ? tensor::display_name(*type) : "none", "; pass dtype=module.Name"),
            ArgumentError::Kind::type);
    }
    TensorRef result = tensor::Tensor::create(
        session.device, {.dtype = type, .shape = shape_of_fields(values, *type, "")}, "from_numpy");
    store_values(*result, values, "Tensor.from_numpy: argument 'array'");
    return result;
}

} // namespace

std::shared_ptr<Session> device_argument(py::handle value, const char* function) {
    if (!py::isinstance<Session>(value)) {
        throw ArgumentError(text(function, ": device must be a weft.Device, got ", type_name(value),
                                 "; pass what weft.create_device() returns"),
                            ArgumentError::Kind::type);
    }
    return value.cast<std::shared_ptr<Session>>();
}

std::vector<std::int64_t> shape_argument(py::handle value, const char* function) {
    if (PySequence_Check(value.ptr()) == 0 || py::isinstance<py::str>(value)) {
        return {extent_argument(value, "", function)};
    }
    std::vector<std::int64_t> shape;
    for (const py::handle entry : value) {
        if (shape.size() == kMaxEntries) {
            throw ArgumentError(text(function, ": shape has more than ", kMaxEntries,
                                     " entries, a tensor at most ", tensor::kMaxRank,
                                     "; pass a tuple of extents"));
        }
        shape.push_back(extent_argument(entry, text(" at axis ", shape.size()), function));
    }
    return shape;
}

reflect::TypeRef dtype_argument(py::handle value, const char* function, ScalarKind fallback) {
    return value.is_none() ? reflect::scalar_type(fallback) : parse_type(value, function);
}

reflect::TypeRef dtype_of_value(py::handle value, const char* function) {
    if (PyBool_Check(value.ptr())) {
        return reflect::scalar_type(ScalarKind::bool_);
    }
    if (PyLong_Check(value.ptr())) {
        return reflect::scalar_type(ScalarKind::int32);
    }
    if (PyFloat_Check(value.ptr())) {
        return reflect::scalar_type(ScalarKind::float32);
    }
    const std::string context = text(function, ": argument 'value'");
    return reflect::scalar_type(NumberArray(to_array(value, context), context).kind());
}

TensorRef make_range(const Session& session, py::handle start, py::handle stop, py::handle step,
                     py::handle dtype) {
    const py::int_ zero(0);
    const py::handle first = stop.is_none() ? py::handle(zero) : start;
    const py::handle last = stop.is_none() ? start : stop;
    const double begin = number_argument(first, "start");
    const double end = number_argument(last, stop.is_none() ? "start" : "stop");
    const double increment = number_argument(step, "step");
    if (increment == 0.0 || !std::isfinite((end - begin) / increment)) {
        throw ArgumentError(
            text("Tensor.arange: start, stop and step must be finite and step not 0, got ", begin,
                 ", ", end, ", ", increment));
    }
    const bool is_integral = is_integer(first) && is_integer(last) && is_integer(step);
    const auto type = dtype_argument(dtype, "Tensor.arange",
                                     is_integral ? ScalarKind::int32 : ScalarKind::float32);
    const py::array values = py::module_::import("numpy").attr("arange")(first, last, step);
    TensorRef result =
        tensor::Tensor::create(session.device, {.dtype = type, .shape = {values.size()}}, "arange");
    store_values(*result, values, "Tensor.arange: the range");
    return result;
}

TensorRef make_from_array(const Session& session, py::handle values, py::handle dtype) {
    const char* const context = "Tensor.from_numpy: argument 'array'";
    if (py::isinstance<py::dict>(values)) {
        return make_from_dict(session, py::reinterpret_borrow<py::dict>(values), dtype);
    }
    const py::array array = to_array(values, context);
    const bool has_fields = !array.dtype().attr("names").is_none();
    if (has_fields && dtype.is_none()) {
        throw ArgumentError("Tensor.from_numpy: argument 'array' is a structured array, whose "
                            "Slang type is unknown; "
                            "pass dtype=module.Name",
                            ArgumentError::Kind::type);
    }
    tensor::Tensor::Desc desc;
    if (has_fields) {
        desc.dtype = parse_type(dtype, "Tensor.from_numpy");
        desc.shape.assign(array.shape(), array.shape() + array.ndim());
    } else {
        const NumberArray numbers(array, context);
        desc.dtype = dtype_argument(dtype, "Tensor.from_numpy", numbers.kind());
        desc.shape = outer_shape(numbers, *desc.dtype);
    }
    TensorRef result = tensor::Tensor::create(session.device, std::move(desc), "from_numpy");
    store_values(*result, array, context);
    return result;
}

void store_values(tensor::Tensor& tensor, py::handle values, const char* context) {
    const ElementArray elements{.type = tensor.dtype(),
                                .shape = {tensor.shape().begin(), tensor.shape().end()}};
    const HostBytes host = host_bytes(values, elements, context);
    const std::shared_ptr<Session> session = session_of(tensor.device());
    const Unlocked unlocked;
    session->copier->upload(tensor, host.bytes);
}

} // namespace weft::python
