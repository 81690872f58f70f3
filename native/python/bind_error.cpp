// SPDX-License-Identifier: Apache-2.0
// Exceptions in Python. A C++ class may map to several Python classes: an ArgumentError for an absent file
// is a FileNotFoundError too, so that both `except weft.ArgumentError` and the usual handlers work.
#include "python/bind_error.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"

#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::DeviceError;

namespace {

constexpr const char* kUnmadeObject =
    "an object is used whose __init__ has not run; make objects by calling their class, or by the "
    "function that its documentation names";

/// The classes live in the module object; this finds them again without a global.
py::object error_class(const char* name) {
    return py::module_::import("weft._native").attr(name);
}

/// Bytes of a message. One that quotes what it was given could be as long as that.
constexpr std::size_t kMaxText = 16384;

bool is_inside_character(char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; // UTF-8
}

/// `message`, or its beginning and its end, which says what to do.
std::string bounded(std::string_view message) {
    if (message.size() <= kMaxText) {
        return std::string(message);
    }
    std::size_t head = kMaxText / 2;
    std::size_t tail = message.size() - kMaxText / 2;
    while (head > 0 && is_inside_character(message[head])) {
        --head;
    }
    while (tail < message.size() && is_inside_character(message[tail])) {
        ++tail;
    }
    return core::text(message.substr(0, head), " ... (", tail - head, " bytes left out) ... ",
                      message.substr(tail));
}

/// str() of an error, whoever raised it. KeyError would quote the message.
py::object shown_text(py::handle self) {
    const py::handle base(PyExc_Exception);
    py::object whole = base.attr("__str__")(self);
    const Py_ssize_t length = PyUnicode_GET_LENGTH(whole.ptr());
    constexpr auto kHalf = static_cast<Py_ssize_t>(kMaxText / 2);
    if (length <= 2 * kHalf) {
        return whole;
    }
    const auto part = [&](Py_ssize_t begin, Py_ssize_t end) {
        return py::reinterpret_steal<py::object>(PyUnicode_Substring(whole.ptr(), begin, end));
    };
    const py::str left_out(core::text(" ... (", length - 2 * kHalf, " characters left out) ... "));
    return part(0, kHalf) + left_out + part(length - kHalf, length);
}

void raise(const char* name, std::string_view message) {
    const std::string text = bounded(message);
    const auto decoded = py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace"));
    PyErr_SetObject(error_class(name).ptr(), decoded.ptr());
}

void raise(const char* name, const std::exception& error) {
    raise(name, error.what());
}

/// An argument that pybind11 could not convert, where no function of ours looked at it first.
void raise_cast(const py::cast_error& error) {
    const std::string_view words(error.what());
    const bool is_unmade = words.find("non-held to held") != std::string_view::npos;
    raise("ArgumentTypeError", is_unmade ? std::string(kUnmadeObject)
                                         : core::text("an argument has a wrong type: ", words));
}

void raise_argument(const ArgumentError& error) {
    switch (error.kind()) {
    case ArgumentError::Kind::value: return raise("ArgumentError", error);
    case ArgumentError::Kind::type: return raise("ArgumentTypeError", error);
    case ArgumentError::Kind::not_found: return raise("ArgumentNotFoundError", error);
    case ArgumentError::Kind::attribute: return raise("ArgumentAttributeError", error);
    case ArgumentError::Kind::index: return raise("ArgumentIndexError", error);
    }
}

void raise_compile(const core::CompileError& error) {
    const py::object instance = error_class("CompileError")(bounded(error.what()));
    instance.attr("diagnostics") = py::cast(error.diagnostics());
    PyErr_SetObject(py::type::of(instance).ptr(), instance.ptr());
}

void raise_device(const DeviceError& error) {
    const bool is_memory = error.kind() == DeviceError::Kind::out_of_memory;
    const py::object instance =
        error_class(is_memory ? "OutOfMemoryError" : "DeviceError")(bounded(error.what()));
    instance.attr("native_call") = error.native_call();
    instance.attr("native_code") = error.native_code();
    PyErr_SetObject(py::type::of(instance).ptr(), instance.ptr());
}

/// Rethrows `error` and sets the Python error; false if it is none of ours.
bool translate(const std::exception_ptr& error) {
    park_at_end(); // what the end of the interpreter interrupts has nobody to tell
    try {
        std::rethrow_exception(error);
    } catch (const ArgumentError& caught) {
        raise_argument(caught);
    } catch (const core::CompileError& caught) {
        raise_compile(caught);
    } catch (const DeviceError& caught) {
        raise_device(caught);
    } catch (const core::ImageError& caught) {
        raise("ImageError", caught);
    } catch (const core::NonFiniteError& caught) {
        raise("NonFiniteError", caught);
    } catch (const core::InternalError& caught) {
        raise("InternalError", caught);
    } catch (const PythonInterrupted& caught) {
        caught.restore();
    } catch (const core::Interrupted&) {
        // A signal handler that ran in the poll has usually set its own exception.
        if (PyErr_Occurred() == nullptr) {
            PyErr_SetNone(PyExc_KeyboardInterrupt);
        }
    } catch (const py::cast_error& caught) {
        raise_cast(caught);
    } catch (...) {
        return false;
    }
    return true;
}

py::object add_class(py::module_& module, const char* name, const py::tuple& bases,
                     const char* documentation) {
    py::dict members;
    members["__doc__"] = documentation;
    members["__module__"] = "weft";
    py::object made = py::reinterpret_borrow<py::object>(reinterpret_cast<PyObject*>(&PyType_Type))(
        name, bases, members);
    module.attr(name) = made;
    return made;
}

} // namespace

py::object gradient_warning() {
    return error_class("GradientWarning");
}

void throw_not_finite(const std::string& message) {
    PyErr_SetString(error_class("NonFiniteError").ptr(), message.c_str());
    throw py::error_already_set();
}

void throw_unmade_object() {
    throw ArgumentError(kUnmadeObject, ArgumentError::Kind::type);
}

void refuse_unmade_objects(const py::module_& module) {
    // What pybind11 calls for memory when it is passed an object without a C++ value.
    const auto refuse = [](std::size_t) -> void* { throw_unmade_object(); };
    for (const auto& [name, value] : py::dict(module.attr("__dict__"))) {
        if (PyType_Check(value.ptr()) == 0) {
            continue;
        }
        auto* const type = reinterpret_cast<PyTypeObject*>(value.ptr());
        if (py::detail::type_info* const info = py::detail::get_type_info(type)) {
            info->operator_new = refuse;
        }
    }
}

void throw_wrong_gradient(const std::string& message) {
    PyErr_SetString(error_class("GradientError").ptr(), message.c_str());
    throw py::error_already_set();
}

void set_python_error(const std::exception_ptr& error) noexcept {
    try {
        if (translate(error)) {
            return;
        }
        std::rethrow_exception(error);
    } catch (py::error_already_set& caught) {
        caught.restore();
    } catch (const py::builtin_exception& caught) {
        caught.set_error();
    } catch (const std::bad_alloc&) {
        PyErr_NoMemory();
    } catch (const std::exception& caught) {
        PyErr_SetString(PyExc_RuntimeError, caught.what());
    } catch (...) {
        PyErr_SetString(PyExc_SystemError, "weft: an unknown C++ exception; please report it");
    }
}

void bind_error(py::module_& module) {
    py::class_<core::Diagnostic>(module, "Diagnostic", "One message of the Slang compiler.")
        .def_readonly("severity", &core::Diagnostic::severity,
                      "'error', 'warning', 'note' or 'fatal'.")
        .def_readonly("code", &core::Diagnostic::code, "Slang's number of the message.")
        .def_readonly("file", &core::Diagnostic::file)
        .def_readonly("line", &core::Diagnostic::line, "1-based; 0 if unknown.")
        .def_readonly("column", &core::Diagnostic::column, "1-based; 0 if unknown.")
        .def_readonly("message", &core::Diagnostic::message)
        .def("__repr__", [](const core::Diagnostic& self) {
            return self.file + ":" + std::to_string(self.line) + ":" + std::to_string(self.column) +
                   ": " + self.severity + ": " + self.message;
        });

    const auto base_of = [](PyObject* type) { return py::reinterpret_borrow<py::object>(type); };
    const py::object error = add_class(module, "Error", py::make_tuple(base_of(PyExc_Exception)),
                                       "Base of all Weft errors.");
    error.attr("__str__") =
        py::cpp_function(&shown_text, py::name("__str__"), py::is_method(error));
    const py::object argument =
        add_class(module, "ArgumentError", py::make_tuple(error, base_of(PyExc_ValueError)),
                  "An argument that cannot work.");
    add_class(module, "ArgumentTypeError", py::make_tuple(argument, base_of(PyExc_TypeError)),
              "An argument of a wrong type.");
    add_class(module, "ArgumentNotFoundError",
              py::make_tuple(argument, base_of(PyExc_FileNotFoundError)),
              "A file that does not exist.");
    add_class(module, "ArgumentIndexError", py::make_tuple(argument, base_of(PyExc_IndexError)),
              "An index outside its tensor.");
    add_class(module, "ArgumentAttributeError",
              py::make_tuple(argument, base_of(PyExc_AttributeError), base_of(PyExc_KeyError)),
              "A name that a module or structure does not have.");
    add_class(module, "CompileError", py::make_tuple(error, base_of(PyExc_RuntimeError)),
              "Slang rejects a source; `diagnostics` lists why.")
        .attr("diagnostics") = py::list();
    const py::object device =
        add_class(module, "DeviceError", py::make_tuple(error, base_of(PyExc_RuntimeError)),
                  "A device, its driver or its memory failed.");
    device.attr("native_call") = "";
    device.attr("native_code") = 0;
    add_class(module, "OutOfMemoryError", py::make_tuple(device, base_of(PyExc_MemoryError)),
              "Device memory is short.");
    add_class(module, "ImageError", py::make_tuple(error, base_of(PyExc_OSError)),
              "An image file cannot be read or written.");
    add_class(module, "InternalError", py::make_tuple(error, base_of(PyExc_RuntimeError)),
              "A bug in Weft.");
    add_class(
        module, "NonFiniteError", py::make_tuple(error, base_of(PyExc_FloatingPointError)),
        "A call wrote NaN or infinity, and Device.check_nan is on; or most pixels or texels of "
        "a fit are no finite numbers.");
    add_class(module, "GradientError", py::make_tuple(error, base_of(PyExc_ArithmeticError)),
              "Reverse mode of a function gives wrong gradients, as Device.check_gradients found.");
    add_class(module, "GradientWarning", py::make_tuple(base_of(PyExc_RuntimeWarning)),
              "A function asks for gradients that a tensor does not have.");
    // NOLINTNEXTLINE(performance-unnecessary-value-param): the signature is pybind11's.
    py::register_exception_translator([](std::exception_ptr caught) {
        if (caught && !translate(caught)) {
            std::rethrow_exception(caught);
        }
    });
}

} // namespace weft::python
