// SPDX-License-Identifier: Apache-2.0
#include "python/call_options.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_reflect.hpp"
#include "tensor/dtype.hpp"
#include "tensor/tensor.hpp"

#include <sstream>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;

namespace {

std::string type_name(py::handle value) {
    return Py_TYPE(value.ptr())->tp_name;
}

std::int64_t integer(py::handle value, const char* function) {
    if (PyIndex_Check(value.ptr()) == 0 || PyBool_Check(value.ptr())) {
        throw ArgumentError(text(function, ": expected integers, got ", type_name(value),
                                 "; pass for example (0, 1)"),
                            ArgumentError::Kind::type);
    }
    return py::int_(py::reinterpret_borrow<py::object>(value)).cast<std::int64_t>();
}

bool is_numpy_array_type(py::handle type) {
    if (PyType_Check(type.ptr()) == 0) {
        return false;
    }
    return py::str(type.attr("__module__")).cast<std::string>() == "numpy" &&
           py::str(type.attr("__name__")).cast<std::string>() == "ndarray";
}

/// A type, or the name of one: Slang's own or one of the module.
reflect::TypeRef mapped_type(py::handle entry, const dispatch::Module& module) {
    if (py::isinstance<py::str>(entry)) {
        const auto name = entry.cast<std::string>();
        const reflect::TypeRef own = tensor::parse_dtype(name) ? nullptr : module.find_type(name);
        if (own) {
            return own;
        }
    }
    return parse_type(entry, "map");
}

} // namespace

dispatch::Mapping parse_mapping(py::handle entry, const dispatch::Module& module) {
    dispatch::Mapping mapping;
    if (PyIndex_Check(entry.ptr()) != 0 && !PyBool_Check(entry.ptr())) {
        mapping.dimensions.push_back(static_cast<std::int32_t>(integer(entry, "map")));
    } else if (py::isinstance<py::tuple>(entry) || py::isinstance<py::list>(entry)) {
        for (const py::handle dimension : entry) {
            mapping.dimensions.push_back(static_cast<std::int32_t>(integer(dimension, "map")));
        }
    } else {
        mapping.type_name = mapped_type(entry, module)->full_name;
    }
    return mapping;
}

dispatch::ReturnKind parse_return_kind(py::handle type) {
    if (py::isinstance<py::str>(type)) {
        const auto name = type.cast<std::string>();
        if (name == "numpy") {
            return dispatch::ReturnKind::numpy;
        }
        if (name == "tensor") {
            return dispatch::ReturnKind::tensor;
        }
    } else if (is_numpy_array_type(type)) {
        return dispatch::ReturnKind::numpy;
    } else if (PyType_Check(type.ptr()) != 0 &&
               PyType_IsSubtype(
                   reinterpret_cast<PyTypeObject*>(type.ptr()),
                   reinterpret_cast<PyTypeObject*>(py::type::of<tensor::Tensor>().ptr())) != 0) {
        return dispatch::ReturnKind::tensor;
    }
    throw ArgumentError(
        text("return_type: expected 'numpy', numpy.ndarray, 'tensor' or weft.Tensor, got ",
             py::repr(type).cast<std::string>(), "; pass one of these"));
}

std::string constant_literal(py::handle value) {
    if (PyBool_Check(value.ptr())) {
        return value.cast<bool>() ? "true" : "false";
    }
    if (PyIndex_Check(value.ptr()) != 0) {
        return text(integer(value, "constants"));
    }
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
        std::string entries;
        for (const py::handle entry : value) {
            entries += (entries.empty() ? "" : ", ") + constant_literal(entry);
        }
        return "{" + entries + "}";
    }
    if (PyFloat_Check(value.ptr()) == 0) {
        throw ArgumentError("constants: expected a number, a bool or a list of them, got " +
                                type_name(value) + "; link-time constants hold nothing else",
                            ArgumentError::Kind::type);
    }
    std::ostringstream stream;
    stream.precision(9);
    stream << std::showpoint << value.cast<double>() << "f";
    return std::move(stream).str();
}

std::array<std::int64_t, 3> parse_thread_count(py::handle count) {
    std::array<std::int64_t, 3> out{1, 1, 1};
    if (PyIndex_Check(count.ptr()) != 0) {
        out[0] = integer(count, "dispatch");
    } else if (PySequence_Check(count.ptr()) == 0 || py::isinstance<py::str>(count)) {
        throw ArgumentError(
            text("dispatch: thread_count must be an integer or up to three of them, got ",
                 type_name(count), "; pass for example 1024 or (32, 32)"),
            ArgumentError::Kind::type);
    } else {
        const auto entries = py::reinterpret_borrow<py::sequence>(count);
        if (entries.size() > 3) {
            throw ArgumentError(text("dispatch: thread_count has ", entries.size(),
                                     " entries; pass at most (x, y, z)"));
        }
        for (std::size_t i = 0; i < entries.size(); ++i) {
            out[i] = integer(entries[i], "dispatch");
        }
    }
    for (const std::int64_t entry : out) {
        if (entry < 1 || entry > 0x7FFFFFFF) {
            throw ArgumentError(text("dispatch: thread_count entries must be 1 to 2147483647, got ",
                                     entry, "; pass for example (1024, 1, 1)"));
        }
    }
    return out;
}

} // namespace weft::python
