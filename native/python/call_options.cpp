// SPDX-License-Identifier: Apache-2.0
#include "python/call_options.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_reflect.hpp"
#include "python/call_arguments.hpp"
#include "python/sequence_reader.hpp"
#include "python/torch_bridge.hpp"
#include "tensor/dtype.hpp"
#include "tensor/tensor.hpp"

#include <cmath>
#include <sstream>
#include <string_view>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;

namespace {

constexpr std::int64_t kMaxDimensions = 1024; // map() itself says which of them a call has
constexpr int kDeepestConstant = 16;          // a list may hold itself

std::string type_name(py::handle value) {
    return Py_TYPE(value.ptr())->tp_name;
}

std::int64_t integer(py::handle value, const char* function) {
    if (PyIndex_Check(value.ptr()) == 0 || PyBool_Check(value.ptr())) {
        throw ArgumentError(text(function, ": expected integers, got ", type_name(value),
                                 "; pass for example (0, 1)"),
                            ArgumentError::Kind::type);
    }
    return require_int64(value, function);
}

/// A dimension of a call, for map().
std::int32_t dimension_argument(py::handle value) {
    const std::int64_t dimension = integer(value, "map");
    if (dimension < -kMaxDimensions || dimension >= kMaxDimensions) {
        throw ArgumentError(text("map: a dimension must be ", -kMaxDimensions, " to ",
                                 kMaxDimensions - 1, ", got ", dimension,
                                 "; pass for example (0, 1)"));
    }
    return static_cast<std::int32_t>(dimension);
}

bool is_numpy_array_type(py::handle type) {
    if (PyType_Check(type.ptr()) == 0) {
        return false;
    }
    const auto* const base = reinterpret_cast<PyTypeObject*>(type.ptr());
    return (base->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0 &&
           std::string_view(base->tp_name) == "numpy.ndarray";
}

/// For messages: what repr() gives, shortened.
std::string short_repr(py::handle value) {
    return py::module_::import("weft._shown").attr("shown")(value).cast<std::string>();
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
        mapping.dimensions.push_back(dimension_argument(entry));
    } else if (py::isinstance<py::tuple>(entry) || py::isinstance<py::list>(entry)) {
        for (const py::handle dimension : entry) {
            mapping.dimensions.push_back(dimension_argument(dimension));
        }
    } else {
        mapping.type_name = mapped_type(entry, module)->full_name;
    }
    return mapping;
}

dispatch::ReturnKind parse_return_kind(py::handle type, std::string_view parameter) {
    if (py::isinstance<py::str>(type)) {
        const auto name = type.cast<std::string>();
        if (name == "numpy") {
            return dispatch::ReturnKind::numpy;
        }
        if (name == "tensor") {
            return dispatch::ReturnKind::tensor;
        }
        if (name == "torch") {
            return dispatch::ReturnKind::torch;
        }
    } else if (is_numpy_array_type(type)) {
        return dispatch::ReturnKind::numpy;
    } else if (PyType_Check(type.ptr()) != 0 &&
               PyType_IsSubtype(
                   reinterpret_cast<PyTypeObject*>(type.ptr()),
                   reinterpret_cast<PyTypeObject*>(py::type::of<tensor::Tensor>().ptr())) != 0) {
        return dispatch::ReturnKind::tensor;
    } else if (is_torch_class(type)) {
        return dispatch::ReturnKind::torch;
    }
    const std::vector<std::string> names{"numpy", "tensor", "torch"};
    const std::string near =
        py::isinstance<py::str>(type) ? core::suggestion(type.cast<std::string>(), names) : "";
    throw ArgumentError(text(
        parameter,
        " must be 'numpy', numpy.ndarray, 'tensor', weft.Tensor, 'torch' or torch.Tensor, got ",
        short_repr(type), near.empty() ? "; pass one of these" : near));
}

ReturnKinds::ReturnKinds()
    : m_numpy(py::reinterpret_steal<py::object>(PyUnicode_InternFromString("numpy"))),
      m_tensor(py::reinterpret_steal<py::object>(PyUnicode_InternFromString("tensor"))),
      m_tensor_class(py::type::of<tensor::Tensor>()) {}

dispatch::ReturnKind ReturnKinds::parse(PyObject* type, std::string_view function) const {
    if (type == m_numpy.ptr()) {
        return dispatch::ReturnKind::numpy;
    }
    if (type == m_tensor.ptr() || type == m_tensor_class.ptr()) {
        return dispatch::ReturnKind::tensor;
    }
    return parse_return_kind(type, text(function, ": _result, where it is no memory to write to,"));
}

namespace {

std::string literal(py::handle value, int depth) {
    if (depth > kDeepestConstant) {
        throw ArgumentError(text("constants: a value nests more than ", kDeepestConstant,
                                 " lists; it may hold itself"));
    }
    if (PyBool_Check(value.ptr())) {
        return value.cast<bool>() ? "true" : "false";
    }
    if (PyIndex_Check(value.ptr()) != 0) {
        return text(integer(value, "constants"));
    }
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
        std::string entries;
        for (const py::handle entry : value) {
            entries += (entries.empty() ? "" : ", ") + literal(entry, depth + 1);
        }
        return "{" + entries + "}";
    }
    if (PyFloat_Check(value.ptr()) == 0) {
        throw ArgumentError("constants: expected a number, a bool or a list of them, got " +
                                type_name(value) + "; link-time constants hold nothing else",
                            ArgumentError::Kind::type);
    }
    const double number = PyFloat_AS_DOUBLE(value.ptr());
    if (!std::isfinite(number)) {
        throw ArgumentError(text("constants: a float must be finite, got ", number,
                                 "; Slang has no literal for it"));
    }
    std::ostringstream stream;
    stream.precision(9);
    stream << std::showpoint << number << "f";
    return std::move(stream).str();
}

} // namespace

std::string constant_literal(py::handle value) {
    return literal(value, 0);
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

device::CommandList& encoder_argument(PyObject* value, const char* function) {
    if (!py::isinstance<device::CommandList>(value)) {
        throw ArgumentError(text(function, ": command_encoder must be a weft.CommandEncoder, got ",
                                 Py_TYPE(value)->tp_name,
                                 "; pass what device.create_command_encoder() returns"),
                            ArgumentError::Kind::type);
    }
    return native_value<device::CommandList>(value);
}

bool deterministic_argument(PyObject* value, std::string_view function) {
    if (!PyBool_Check(value)) {
        throw ArgumentError(text(function, ": deterministic must be True or False, got ",
                                 Py_TYPE(value)->tp_name,
                                 "; leave it out for what Device.deterministic says"),
                            ArgumentError::Kind::type);
    }
    return value == Py_True;
}

} // namespace weft::python
