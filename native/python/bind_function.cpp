// SPDX-License-Identifier: Apache-2.0
// Calls of Slang functions. Start reading at vectorcall(), then call().
#include "python/bind_function.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_error.hpp"
#include "python/bind_tensor.hpp"
#include "python/call_function.hpp"
#include "python/call_options.hpp"
#include "python/derive_function.hpp"
#include "python/docstrings.hpp"
#include "python/interpreter_lock.hpp"
#include "python/torch_plan.hpp"
#include "python/value_ref.hpp"

#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;
using core::text;

namespace {

/// pybind11's per-function wrapper costs more than a whole call, so calls bypass it.
PyObject* vectorcall(PyObject* self, PyObject* const* values, std::size_t flagged_count,
                     PyObject* names) {
    park_at_end();
    try {
        const auto positional = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
        const PythonCall arguments{values, positional, names};
        return call(native_value<FunctionObject>(self), arguments, self, nullptr).release().ptr();
    } catch (...) {
        set_python_error(std::current_exception());
        return nullptr;
    }
}

/// Where the pointer of PEP 590 sits: behind pybind11's own instance.
constexpr std::size_t kVectorcallOffset = sizeof(py::detail::instance);

void enable_vectorcall(PyHeapTypeObject* heap_type) {
    PyTypeObject& type = heap_type->ht_type;
    type.tp_basicsize = static_cast<Py_ssize_t>(kVectorcallOffset + sizeof(vectorcallfunc));
    type.tp_vectorcall_offset = static_cast<Py_ssize_t>(kVectorcallOffset);
    type.tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL;
    type.tp_call = PyVectorcall_Call;
}

/// Splits *args, **kwargs of a bound method into the vectorcall form and calls `run(call)`.
template <typename Run>
auto with_vector_arguments(const py::args& args, const py::kwargs& kwargs, Run&& run) {
    std::vector<PyObject*> values;
    for (const py::handle value : args) {
        values.push_back(value.ptr());
    }
    py::tuple names(kwargs.size());
    std::size_t at = 0;
    for (const auto& [name, value] : kwargs) {
        names[at++] = name;
        values.push_back(value.ptr());
    }
    return run(PythonCall{values.data(), args.size(), names.ptr()});
}

/// dispatch(thread_count, ...). No name is its own but `thread_count`: a Slang function may call a parameter "self".
void dispatch_threads(const py::args& all, const py::kwargs& kwargs) {
    const py::handle first = all[0];
    const auto& self = first.cast<const FunctionObject&>();
    const bool is_named = kwargs.contains("thread_count");
    if (!is_named && all.size() < 2) {
        throw core::ArgumentError(core::text(self.function->name(),
                                             ".dispatch: thread_count is missing; pass the number "
                                             "of threads, or (x, y, z)"),
                                  core::ArgumentError::Kind::type);
    }
    const py::object thread_count =
        is_named ? py::object(kwargs["thread_count"]) : py::object(all[1]);
    const auto args =
        py::reinterpret_borrow<py::args>(all[py::slice(is_named ? 1 : 2, all.size(), 1)]);
    dispatch::CallOptions options = self.function->options();
    options.is_raw_dispatch = true;
    options.thread_count = parse_thread_count(thread_count);
    FunctionObject raw = self;
    device::CommandList* commands = nullptr;
    if (kwargs.contains("vars") && !kwargs["vars"].is_none()) {
        raw.uniforms = self.uniforms ? py::dict(self.uniforms.attr("copy")()) : py::dict();
        add_uniforms(raw, kwargs["vars"]);
    }
    if (kwargs.contains("command_encoder") && !kwargs["command_encoder"].is_none()) {
        commands = &encoder_argument(kwargs["command_encoder"].ptr(), "dispatch");
    }
    py::kwargs rest(kwargs.attr("copy")());
    rest.attr("pop")("vars", py::none());
    rest.attr("pop")("command_encoder", py::none());
    rest.attr("pop")("thread_count", py::none());
    raw.function = find_function(*self.module, self.function->name(), options);
    with_vector_arguments(args, rest, [&](const PythonCall& arguments) {
        return call(raw, arguments, nullptr, commands);
    });
}

/// append_to(command_encoder=encoder, ...)
void append_by_keyword(const FunctionObject& self, PyObject* const* values, PyObject* names) {
    std::vector<PyObject*> rest;
    py::list rest_names;
    device::CommandList* commands = nullptr;
    for (Py_ssize_t i = 0; names != nullptr && i < PyTuple_GET_SIZE(names); ++i) {
        if (utf8(PyTuple_GET_ITEM(names, i)) == "command_encoder") {
            commands = &encoder_argument(values[i], "append_to");
        } else {
            rest.push_back(values[i]);
            rest_names.append(py::handle(PyTuple_GET_ITEM(names, i)));
        }
    }
    if (commands == nullptr) {
        throw core::ArgumentError("append_to: command_encoder is missing; pass what "
                                  "device.create_command_encoder() returns",
                                  core::ArgumentError::Kind::type);
    }
    const py::tuple tuple(rest_names);
    static_cast<void>(call(self, {rest.data(), 0, tuple.ptr()}, nullptr, commands));
}

/// Takes its arguments as vectorcall() does: py::args and py::kwargs would copy them.
PyObject* append_to(PyObject* self, PyObject* const* values, Py_ssize_t count, PyObject* names) {
    park_at_end();
    try {
        const auto& function = native_value<FunctionObject>(self);
        if (count == 0) {
            append_by_keyword(function, values, names);
        } else {
            device::CommandList& commands = encoder_argument(values[0], "append_to");
            const PythonCall rest{values + 1, static_cast<std::size_t>(count) - 1, names};
            static_cast<void>(call(function, rest, nullptr, &commands));
        }
        return py::none().release().ptr();
    } catch (...) {
        set_python_error(std::current_exception());
        return nullptr;
    }
}

void add_append_to(const py::object& function_class) {
    static PyMethodDef definition = {
        "append_to",
        reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(&append_to)),
        METH_FASTCALL | METH_KEYWORDS,
        "append_to($self, command_encoder, *args, **kwargs)\n--\n\n"
        "Records the call instead of running it; all arrays must be tensors, results need "
        "_result.",
    };
    auto* const type = reinterpret_cast<PyTypeObject*>(function_class.ptr());
    function_class.attr("append_to") =
        py::reinterpret_steal<py::object>(PyDescr_NewMethod(type, &definition));
}

} // namespace

py::object make_function(FunctionObject function) {
    function.backward = function.forward = py::object(); // not those of the copied function
    function.requested = {};
    py::object object = py::cast(std::move(function));
    const vectorcallfunc entry = &vectorcall;
    std::memcpy(reinterpret_cast<std::byte*>(object.ptr()) + kVectorcallOffset,
                static_cast<const void*>(&entry), sizeof(entry));
    return object;
}

namespace {

using FunctionClass = py::class_<FunctionObject>;

void bind_calls(FunctionClass& bound) {
    bound
        .def(
            "call",
            [](const FunctionObject& self, const py::args& args, const py::kwargs& kwargs) {
                const py::object object = py::cast(&self, py::return_value_policy::reference);
                return with_vector_arguments(args, kwargs, [&](const PythonCall& arguments) {
                    return call(self, arguments, object.ptr(), nullptr);
                });
            },
            "Same as calling the function.")
        .def("dispatch", &dispatch_threads,
             "Runs the function once a thread, without vectorising.\n\nArgs:\n    thread_count: "
             "Threads along x, or (x, y, z).\n"
             "    vars: Module-scope uniforms by name.\n    command_encoder: Records instead of "
             "running.\n");
}

/// What makes another Function of one.
void bind_derivations(FunctionClass& bound) {
    bound
        .def(
            "as_func", [](const py::object& self) { return self; },
            "The function itself, for scripts of other systems.")
        .def("map", &map_arguments, kMapDoc)
        .def("set", &set_uniforms,
             "A function whose module-scope uniforms have these values, by name or in a dict.")
        .def("constants", &set_constants, py::arg("constants"),
             "A function compiled for these values of `extern static const`, in a dict.")
        .def(
            "return_type",
            [](const FunctionObject& self, const py::object& type) {
                dispatch::CallOptions options = self.function->options();
                options.return_kind = parse_return_kind(type, "return_type: the type");
                return derive(self, options);
            },
            py::arg("return_type"), "A function that returns 'numpy' arrays or Tensors.")
        .def(
            "bind",
            [](const FunctionObject& self, py::object value) {
                FunctionObject method = self;
                method.this_value = std::move(value);
                return make_function(std::move(method));
            },
            py::arg("this"),
            "A method with `this` given: a dict, a tensor of the structure, or an object with "
            "get_this().");
}

void bind_kernel_options(FunctionClass& bound) {
    bound
        .def(
            "thread_group_size",
            [](const FunctionObject& self, const py::object& size) {
                dispatch::CallOptions options = self.function->options();
                const auto count = parse_thread_count(size);
                options.group_size = {static_cast<std::uint32_t>(count[0]),
                                      static_cast<std::uint32_t>(count[1]),
                                      static_cast<std::uint32_t>(count[2])};
                return derive(self, options);
            },
            py::arg("size"), "Group size for dispatch().")
        .def(
            "for_threads",
            [](const FunctionObject& self, const py::object& thread_count) {
                dispatch::CallOptions options = self.function->options();
                options.is_raw_dispatch = true;
                options.thread_count = parse_thread_count(thread_count);
                return derive(self, options);
            },
            py::arg("thread_count"),
            "What dispatch(thread_count, ...) runs, as a function of the other arguments: repeated "
            "launches cost less.")
        .def(
            "prelude",
            [](const FunctionObject& self, const std::string& code) {
                dispatch::CallOptions options = self.function->options();
                options.prelude += (options.prelude.empty() ? "" : "\n") + code;
                return derive(self, options);
            },
            py::arg("code"), "Slang text put in front of the generated kernel.");
}

/// "scale" of "ns.Pair<ns.T>.scale<float>".
std::string own_name(const std::string& full_name) {
    std::size_t begin = 0;
    std::size_t end = full_name.size();
    int depth = 0;
    for (std::size_t i = 0; i < full_name.size(); ++i) {
        if (full_name[i] == '<' && depth++ == 0) {
            end = i;
        } else if (full_name[i] == '>') {
            --depth;
        } else if (full_name[i] == '.' && depth == 0) {
            begin = i + 1;
            end = full_name.size();
        }
    }
    return full_name.substr(begin, end - begin);
}

void bind_inspection(FunctionClass& bound) {
    bound
        .def(
            "explain",
            [](const FunctionObject& self, const py::args& args, const py::kwargs& kwargs) {
                return with_vector_arguments(args, kwargs, [&](const PythonCall& arguments) {
                    return explain(self, arguments, false);
                });
            },
            "How a call with these arguments would run, as text.")
        .def(
            "generated_source",
            [](const FunctionObject& self, const py::args& args, const py::kwargs& kwargs) {
                return with_vector_arguments(args, kwargs, [&](const PythonCall& arguments) {
                    return explain(self, arguments, true);
                });
            },
            "The Slang kernel generated for these arguments.")
        .def(
            "_torch_plan",
            [](const FunctionObject& self, const py::args& args, const py::kwargs& kwargs) {
                return with_vector_arguments(args, kwargs, [&](const PythonCall& arguments) {
                    return torch_plan(self, arguments);
                });
            },
            "What weft.torch has to know of a call.")
        .def(
            "_generation",
            [](const FunctionObject& self) {
                const Unlocked unlocked;
                self.module->reload_if_stale();
                return self.module->generation();
            },
            "How often the code of the function's module was replaced.")
        .def(
            "_is_as_declared",
            [](const FunctionObject& self) {
                const dispatch::CallOptions& options = self.function->options();
                return !self.this_value && options.positional.empty() && options.named.empty() &&
                       options.derivative == codegen::Derivative::none &&
                       !options.is_raw_dispatch &&
                       (options.return_kind == dispatch::ReturnKind::automatic ||
                        options.return_kind == dispatch::ReturnKind::torch);
            },
            "Whether a call takes and gives what the declaration says: no derivative, nothing "
            "mapped or bound.");
}

void bind_names(FunctionClass& bound) {
    bound
        .def_property_readonly(
            "name", [](const FunctionObject& self) { return own_name(self.function->name()); },
            "Without the structure or namespace around it, and without generic arguments.")
        .def_property_readonly(
            "full_name", [](const FunctionObject& self) { return self.function->name(); },
            "As the module finds it: 'Pixel.scale', 'twice<float>'.")
        .def_property_readonly(
            "overloads", [](const FunctionObject& self) { return overloads_of(*self.function); },
            "Reflection data of every overload.")
        .def_property_readonly(
            "signature",
            [](const FunctionObject& self) { return overloads_of(*self.function).front(); },
            "Reflection data of the first overload.")
        .def("__repr__", [](const FunctionObject& self) {
            std::string out;
            for (const auto& overload : overloads_of(*self.function)) {
                out += (out.empty() ? "" : "\n") +
                       ("<weft.Function " + dispatch::signature_text(overload) + ">");
            }
            return out;
        });
}

/// help() and inspect.signature() of a function say what its Slang declaration does.
void bind_introspection(const FunctionClass& bound) {
    const py::module_ documentation = py::module_::import("weft._documentation");
    bound.attr("__doc__") = documentation.attr("FunctionDocumentation")(bound.attr("__doc__"));
    bound.attr("__signature__") = documentation.attr("FunctionSignature")();
}

/// Function.__call__ for whoever looks it up: torch.compile, which reads it. Calls go to vectorcall() all the same, as an
/// assignment by Python would change.
void show_call(const py::object& function_class) {
    auto* const type = reinterpret_cast<PyTypeObject*>(function_class.ptr());
    const py::object shown = py::module_::import("weft._compiled_calls").attr("call");
    if (PyDict_SetItemString(type->tp_dict, "__call__", shown.ptr()) != 0) {
        throw py::error_already_set();
    }
    PyType_Modified(type);
}

} // namespace

void bind_function(py::module_& module) {
    bind_value_ref(module);
    FunctionClass bound(module, "Function", py::custom_type_setup(&enable_vectorcall),
                        kFunctionDoc);
    bind_calls(bound);
    bind_derivations(bound);
    bind_kernel_options(bound);
    bind_inspection(bound);
    bind_names(bound);
    add_append_to(bound);
    bind_introspection(bound);
    show_call(bound);
}

} // namespace weft::python
