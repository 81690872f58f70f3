// SPDX-License-Identifier: Apache-2.0
#include "python/path_argument.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;

std::string path_argument(py::handle path, const char* function, const char* parameter) {
    const py::object native = py::reinterpret_steal<py::object>(PyOS_FSPath(path.ptr()));
    if (!native) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) {
            throw py::error_already_set(); // of the object itself
        }
        PyErr_Clear();
        throw ArgumentError(text(function, ": ", parameter, " must be a str or pathlib.Path, got ",
                                 Py_TYPE(path.ptr())->tp_name),
                            ArgumentError::Kind::type);
    }
    Py_ssize_t size = 0;
    const char* data =
        PyUnicode_Check(native.ptr()) ? PyUnicode_AsUTF8AndSize(native.ptr(), &size) : nullptr;
    if (data == nullptr) {
        PyErr_Clear();
        throw ArgumentError(text(function, ": ", parameter, " is not valid Unicode (",
                                 py::repr(native).cast<std::string>(),
                                 "); rename the file or folder"));
    }
    return {data, static_cast<std::size_t>(size)};
}

compile::Definitions definitions_argument(const py::dict& defines) {
    compile::Definitions out;
    for (const auto& [name, value] : defines) {
        if (!py::isinstance<py::str>(name)) {
            throw ArgumentError(
                text("defines: names must be str, got ", Py_TYPE(name.ptr())->tp_name),
                ArgumentError::Kind::type);
        }
        const bool is_bool = PyBool_Check(value.ptr());
        out.emplace_back(name.cast<std::string>(), is_bool ? (value.cast<bool>() ? "1" : "0")
                                                           : py::str(value).cast<std::string>());
    }
    return out;
}

} // namespace weft::python
