// SPDX-License-Identifier: Apache-2.0
// One place for wrong calls of bound functions. pybind11 makes each a PyCFunction whose C function is its
// dispatcher; ours stands in front of it and looks only at calls that failed.
// Start reading at call(), then wrong_call().
#include "python/call_errors.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_error.hpp"
#include "python/host_array.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace weft::python {

namespace py = pybind11;
using core::text;
using Record = py::detail::function_record;
using Dispatcher = PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t, PyObject*);

namespace {

/// pybind11's own; given once, by the first function seen.
Dispatcher dispatcher(Dispatcher first = nullptr) {
    static const Dispatcher kept = first;
    return kept;
}

struct Parameter {
    std::string name;
    std::string type;  ///< as pybind11 spells it: "typing.SupportsInt | None"
    std::string value; ///< default, "" if it must be given
};

/// The parameters of "(self: weft.Tensor, axis: int = 0, *, keep: bool = False) -> None", self left out.
struct Signature {
    std::vector<Parameter> parameters;
    std::size_t positional = 0; ///< parameters that may be given by position
    bool takes_any = false;     ///< *args or **kwargs
};

std::string trim(std::string_view part) {
    const std::size_t first = part.find_first_not_of(' ');
    return first == std::string_view::npos
               ? ""
               : std::string(part.substr(first, part.find_last_not_of(' ') - first + 1));
}

/// The parts between the commas that no bracket encloses, up to the bracket that closes the list.
std::vector<std::string> split_parameters(std::string_view list) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    int depth = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const bool opens = std::string_view("([{").find(list[i]) != std::string_view::npos;
        const bool closes = std::string_view(")]}").find(list[i]) != std::string_view::npos;
        if ((list[i] == ',' || closes) && depth == 0) {
            parts.push_back(trim(list.substr(begin, i - begin)));
            begin = i + 1;
        }
        if (closes && depth == 0) {
            break;
        }
        depth += opens ? 1 : 0;
        depth -= closes ? 1 : 0;
    }
    return parts;
}

Parameter parse_parameter(const std::string& part) {
    const std::size_t colon = part.find(": ");
    const std::size_t equals = part.find(" = ");
    Parameter parameter{.name = part.substr(0, std::min(colon, equals)), .type = {}, .value = {}};
    if (colon != std::string::npos) {
        parameter.type =
            part.substr(colon + 2, equals == std::string::npos ? equals : equals - colon - 2);
    }
    if (equals != std::string::npos) {
        parameter.value = part.substr(equals + 3);
    }
    return parameter;
}

Signature parse_signature(const Record& record) {
    Signature signature;
    const std::string_view whole(record.signature);
    std::vector<std::string> parts = split_parameters(whole.substr(whole.find('(') + 1));
    if (record.is_method && !parts.empty()) {
        parts.erase(parts.begin());
    }
    bool is_keyword_only = false;
    for (const std::string& part : parts) {
        if (part.starts_with('*')) {
            is_keyword_only = true;
            signature.takes_any = signature.takes_any || part.size() > 1;
        } else if (!part.empty() && part != "/") {
            signature.parameters.push_back(parse_parameter(part));
            signature.positional += is_keyword_only ? 0 : 1;
        }
    }
    return signature;
}

/// "Tensor.zeros", "sum", "Tensor" for its constructor.
std::string function_name(const Record& record) {
    const bool is_in_class = record.scope && PyType_Check(record.scope.ptr()) != 0;
    if (!is_in_class) {
        return record.name;
    }
    const auto owner = record.scope.attr("__name__").cast<std::string>();
    return record.is_constructor ? owner : owner + "." + record.name;
}

std::string signature_text(const Record& record, const Signature& signature) {
    std::vector<std::string> parts;
    parts.reserve(signature.parameters.size());
    for (const Parameter& parameter : signature.parameters) {
        parts.push_back(parameter.name + (parameter.value.empty() ? "" : "=" + parameter.value));
    }
    return text(function_name(record), "(", core::join(parts, ", "), ")");
}

std::vector<std::string> alternatives(const std::string& type) {
    std::vector<std::string> parts;
    constexpr std::string_view kSeparator = " | ";
    std::size_t begin = 0;
    for (std::size_t at = 0; at != std::string::npos; begin = at + kSeparator.size()) {
        at = type.find(kSeparator, begin);
        parts.push_back(trim(std::string_view(type).substr(begin, at - begin)));
    }
    return parts;
}

/// The class of a name like "weft._native.Tensor"; null for others.
py::object native_class(const std::string& type) {
    const py::module_ module = py::module_::import("weft._native");
    const std::string name = type.substr(type.rfind('.') + 1);
    const bool is_ours = type.starts_with("weft.") && py::hasattr(module, name.c_str());
    return is_ours ? py::object(module.attr(name.c_str())) : py::object();
}

bool fits_one(const std::string& type, PyObject* value) {
    if (type == "None") {
        return value == Py_None;
    }
    if (type == "str") {
        return PyUnicode_Check(value) != 0;
    }
    if (type == "bool") {
        return PyBool_Check(value) != 0;
    }
    if (type == "typing.SupportsInt" || type == "typing.SupportsIndex" || type == "int") {
        return PyIndex_Check(value) != 0;
    }
    if (type == "typing.SupportsFloat" || type == "float") {
        return PyFloat_Check(value) != 0 || PyIndex_Check(value) != 0;
    }
    if (type.starts_with("dict")) {
        return PyDict_Check(value) != 0;
    }
    if (type.starts_with("list") || type.starts_with("collections.abc.Sequence")) {
        return PySequence_Check(value) != 0 && PyUnicode_Check(value) == 0;
    }
    if (type.starts_with("collections.abc.Iterable")) {
        return has_attribute(value, "__iter__");
    }
    const py::object known = native_class(type);
    return !known || py::isinstance(value, known);
}

bool fits(const std::string& type, PyObject* value) {
    const std::vector<std::string> options = alternatives(type);
    return type.empty() || std::ranges::any_of(options, [value](const std::string& option) {
               return fits_one(option, value);
           });
}

std::string words(const std::string& type) {
    if (type.starts_with("typing.SupportsI") || type == "int") {
        return "an integer";
    }
    if (type.starts_with("typing.SupportsFloat") || type == "float") {
        return "a number";
    }
    if (type == "str") {
        return "a string";
    }
    if (type == "bool") {
        return "True or False";
    }
    if (type.starts_with("dict")) {
        return "a dict";
    }
    if (type.starts_with("list") || type.starts_with("collections.abc")) {
        return "a list";
    }
    return type.starts_with("weft.") ? "a weft." + type.substr(type.rfind('.') + 1) : type;
}

/// "an integer or None"
std::string wanted_text(const std::string& type) {
    const bool takes_float = type.find("SupportsFloat") != std::string::npos;
    std::vector<std::string> parts;
    for (const std::string& option : alternatives(type)) {
        const std::string word =
            takes_float && option == "typing.SupportsIndex" ? "" : words(option);
        if (!word.empty() && std::ranges::find(parts, word) == parts.end()) {
            parts.push_back(word);
        }
    }
    return core::join(parts, " or ");
}

std::string remedy(const std::string& type) {
    if (type.ends_with(".Tensor")) {
        return "; make one with Tensor.from_numpy(device, array)";
    }
    return type.ends_with(".Device") ? "; pass what weft.create_device() returns" : "";
}

/// What a call gave, self left out.
struct GivenArguments {
    std::span<PyObject* const> positional;
    std::vector<std::pair<std::string, PyObject*>> named;

    GivenArguments(const Record& record, PyObject* const* values, std::size_t count,
                   PyObject* names)
        : positional(values, count) {
        if (record.is_method && !positional.empty()) {
            positional = positional.subspan(1);
        }
        for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
            named.emplace_back(py::handle(PyTuple_GET_ITEM(names, i)).cast<std::string>(),
                               values[count + static_cast<std::size_t>(i)]);
        }
    }

    PyObject* find(const Signature& signature, std::size_t index) const {
        if (index < positional.size() && index < signature.positional) {
            return positional[index];
        }
        const std::string& name = signature.parameters[index].name;
        const auto found =
            std::ranges::find(named, name, &std::pair<std::string, PyObject*>::first);
        return found == named.end() ? nullptr : found->second;
    }
};

/// The first thing that is wrong with the names and the number of the arguments; "" if nothing is.
std::string wrong_form(const Signature& signature, const GivenArguments& given) {
    std::vector<std::string> names;
    names.reserve(signature.parameters.size());
    for (const Parameter& parameter : signature.parameters) {
        names.push_back(parameter.name);
    }
    for (const auto& [name, value] : given.named) {
        const auto at = std::ranges::find(names, name);
        if (at == names.end() && !signature.takes_any) {
            return text("it has no argument '", name, "'", core::suggestion(name, names));
        }
        if (at != names.end() &&
            static_cast<std::size_t>(at - names.begin()) < given.positional.size()) {
            return text("argument '", name, "' is given twice");
        }
    }
    if (given.positional.size() > signature.positional && !signature.takes_any) {
        return text("it takes ", signature.positional, " arguments by position, got ",
                    given.positional.size());
    }
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (signature.parameters[i].value.empty() && given.find(signature, i) == nullptr) {
            return text("argument '", names[i], "' is missing");
        }
    }
    return "";
}

/// The first argument of a wrong type; "" if all seem right.
std::string wrong_type(const Signature& signature, const GivenArguments& given) {
    for (std::size_t i = 0; i < signature.parameters.size(); ++i) {
        const Parameter& parameter = signature.parameters[i];
        PyObject* const value = given.find(signature, i);
        if (value != nullptr && !fits(parameter.type, value)) {
            return text("argument '", parameter.name, "' must be ", wanted_text(parameter.type),
                        ", got ", Py_TYPE(value)->tp_name, remedy(parameter.type));
        }
    }
    return "";
}

std::string wrong_call(const Record& record, const GivenArguments& given) {
    const Signature signature = parse_signature(record);
    const std::string function = function_name(record);
    const std::string ending = "; its signature is " + signature_text(record, signature);
    if (std::string form = wrong_form(signature, given); !form.empty()) {
        return text(function, ": ", form, form.ends_with('?') ? " Its" : "; its",
                    ending.substr(std::string_view("; its").size()));
    }
    if (const std::string type = wrong_type(signature, given); !type.empty()) {
        return text(function, ": ", type);
    }
    return text(function, ": an argument has a value that it cannot take", ending);
}

/// True for the TypeError that says that no overload takes the arguments.
bool is_mismatch(const py::error_already_set& error) {
    if (error.type().ptr() != PyExc_TypeError) {
        return false;
    }
    const auto message = py::str(error.value()).cast<std::string>();
    return message.find("(): incompatible ") != std::string::npos;
}

/// Replaces the error that is set if it is a mismatch.
void explain(PyObject* self, PyObject* const* values, std::size_t count, PyObject* names) {
    try {
        throw py::error_already_set();
    } catch (py::error_already_set& error) {
        const Record* const record = py::detail::function_record_ptr_from_PyObject(self);
        if (record == nullptr || !is_mismatch(error)) {
            error.restore();
            return;
        }
        const GivenArguments given(*record, values, count, names);
        throw core::ArgumentError(wrong_call(*record, given), core::ArgumentError::Kind::type);
    }
}

/// A method called on its class, with None for an object: pybind11 would pass a null pointer on.
bool is_called_on_none(PyObject* self, PyObject* const* values, Py_ssize_t count) {
    if (PyVectorcall_NARGS(count) == 0 || values[0] != Py_None) {
        return false;
    }
    const Record* const record = py::detail::function_record_ptr_from_PyObject(self);
    if (record == nullptr || !record->is_method) {
        return false;
    }
    PyErr_Format(PyExc_TypeError, "%s(): incompatible function arguments", record->name);
    return true;
}

PyObject* call(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    PyObject* const result =
        is_called_on_none(self, values, count) ? nullptr : dispatcher()(self, values, count, names);
    if (result == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
        try {
            explain(self, values, static_cast<std::size_t>(PyVectorcall_NARGS(count)), names);
        } catch (...) {
            set_python_error(std::current_exception());
        }
    }
    return result;
}

/// The function behind a method or static method of a class.
py::handle unwrapped(py::handle value) {
    if (PyInstanceMethod_Check(value.ptr()) != 0) {
        return PyInstanceMethod_GET_FUNCTION(value.ptr());
    }
    return value;
}

void explain_all(const py::dict& members) {
    for (const auto& [name, value] : members) {
        if (Py_TYPE(value.ptr()) == &PyStaticMethod_Type) {
            explain_wrong_calls(value.attr("__func__"));
        } else if (PyObject_TypeCheck(value.ptr(), &PyProperty_Type) != 0) {
            explain_wrong_calls(value.attr("fget"));
            explain_wrong_calls(value.attr("fset"));
        } else {
            explain_wrong_calls(unwrapped(value));
        }
    }
}

} // namespace

void explain_wrong_calls(py::handle function) {
    if (Py_TYPE(function.ptr()) != &PyCFunction_Type) {
        return;
    }
    PyMethodDef* const definition = reinterpret_cast<PyCFunctionObject*>(function.ptr())->m_ml;
    const auto own = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&call));
    const bool is_bound = py::detail::function_record_ptr_from_PyObject(
                              PyCFunction_GET_SELF(function.ptr())) != nullptr;
    if (!is_bound || definition->ml_flags != (METH_FASTCALL | METH_KEYWORDS) ||
        definition->ml_meth == own) {
        return; // before 3.1 pybind11 took tuples: its messages stay as they are
    }
    dispatcher(reinterpret_cast<Dispatcher>(reinterpret_cast<void (*)()>(definition->ml_meth)));
    definition->ml_meth = own;
}

void explain_wrong_calls_of_module(const py::module_& module) {
    const py::dict members(module.attr("__dict__"));
    explain_all(members);
    for (const auto& [name, value] : members) {
        if (PyType_Check(value.ptr()) != 0) {
            explain_all(py::dict(value.attr("__dict__")));
        }
    }
}

} // namespace weft::python
