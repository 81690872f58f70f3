// SPDX-License-Identifier: Apache-2.0
// Calls of Slang functions. Start reading at vectorcall(), then call().
#include "python/bind_function.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_error.hpp"
#include "python/bind_tensor.hpp"
#include "python/call_checks.hpp"
#include "python/call_options.hpp"
#include "python/call_results.hpp"
#include "python/derive_function.hpp"
#include "python/docstrings.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/value_ref.hpp"

#include <pybind11/stl.h>
#include <set>

namespace weft::python {

namespace py = pybind11;
using core::text;
using dispatch::Role;

/// Arguments and state of one call, reused.
struct CallFrame {
    CallFrame(const KnownTypes& types, const std::shared_ptr<Session>& session)
        : arguments(types, session) {}
    CallArguments arguments;
    dispatch::CallState state;
};

struct CallPool {
    std::shared_ptr<Session> session;
    KnownTypes types = KnownTypes::find();
    ReturnKinds return_kinds{};
    std::vector<std::unique_ptr<CallFrame>> free{};
    std::set<std::string> shown_warnings{};
};

namespace {

/// Takes a frame from the pool for the length of a call; nested calls get frames of their own.
class FrameLease {
public:
    explicit FrameLease(CallPool& pool) : m_pool(pool) {
        if (pool.free.empty()) {
            m_frame = std::make_unique<CallFrame>(pool.types, pool.session);
        } else {
            m_frame = std::move(pool.free.back());
            pool.free.pop_back();
        }
    }
    ~FrameLease() {
        m_frame->arguments.clear();
        m_frame->state.release();
        m_pool.free.push_back(std::move(m_frame));
    }
    FrameLease(const FrameLease&) = delete;
    FrameLease& operator=(const FrameLease&) = delete;
    CallFrame& operator*() const noexcept { return *m_frame; }

private:
    CallPool& m_pool;
    std::unique_ptr<CallFrame> m_frame;
};

std::string_view utf8(PyObject* text) {
    Py_ssize_t size = 0;
    const char* data = PyUnicode_AsUTF8AndSize(text, &size);
    if (data == nullptr) {
        throw py::error_already_set();
    }
    return {data, static_cast<std::size_t>(size)};
}

/// The `_result=` argument: memory to write into, or the kind of result to return.
struct ResultRequest {
    dispatch::ReturnKind kind = dispatch::ReturnKind::automatic;
    bool has_kind = false;
    std::optional<bool> is_deterministic; ///< what the call says; else its device does
};

bool is_result_keyword(std::string_view name) {
    return name == "_result";
}

/// `deterministic=True` of bwds(), unless the Slang function has a parameter of that name.
bool is_deterministic_keyword(const FunctionObject& self, std::string_view name) {
    return name == "deterministic" &&
           self.function->options().derivative == codegen::Derivative::backward &&
           !has_parameter(*self.function, name);
}

void add_result(const FunctionObject& self, CallArguments& arguments, PyObject* value,
                ResultRequest& request) {
    if (value == Py_None) {
        return;
    }
    if (PyUnicode_Check(value) || PyType_Check(value)) {
        request.kind = self.pool->return_kinds.parse(value, self.function->name());
        request.has_kind = true;
        return;
    }
    arguments.add(Role::result, value, "_result");
}

ResultRequest read_arguments(const FunctionObject& self, CallArguments& arguments,
                             PyObject* const* values, std::size_t positional, PyObject* names) {
    ResultRequest request;
    arguments.set_function(*self.function);
    for (std::size_t i = 0; i < positional; ++i) {
        arguments.add(Role::positional, values[i], {});
    }
    const Py_ssize_t named = names == nullptr ? 0 : PyTuple_GET_SIZE(names);
    for (Py_ssize_t i = 0; i < named; ++i) {
        const std::string_view name = utf8(PyTuple_GET_ITEM(names, i));
        PyObject* value = values[positional + static_cast<std::size_t>(i)];
        if (is_result_keyword(name)) {
            add_result(self, arguments, value, request);
        } else if (is_deterministic_keyword(self, name)) {
            request.is_deterministic = deterministic_argument(value, self.function->name());
        } else {
            arguments.add(Role::keyword, value, name);
        }
    }
    if (self.this_value) {
        arguments.add(Role::this_value, self.this_value.ptr(), "this");
    }
    if (self.uniforms) {
        PyObject* key = nullptr;
        PyObject* value = nullptr;
        Py_ssize_t position = 0;
        while (PyDict_Next(self.uniforms.ptr(), &position, &key, &value) != 0) {
            arguments.add(Role::uniform, value, utf8(key));
        }
    }
    return request;
}

std::shared_ptr<const dispatch::LaunchPlan> plan_for(dispatch::Function& function,
                                                     const CallArguments& arguments) {
    if (auto plan = function.find_plan(arguments.list())) {
        return plan;
    }
    const Unlocked unlocked;
    return function.make_plan(arguments.list());
}

/// The function with the options that the call itself names.
const std::shared_ptr<dispatch::Function>& requested_function(const FunctionObject& self,
                                                              const ResultRequest& request) {
    const dispatch::CallOptions& given = self.function->options();
    const bool is_deterministic =
        given.derivative == codegen::Derivative::backward &&
        request.is_deterministic.value_or(self.pool->session->deterministic);
    const dispatch::ReturnKind kind = request.has_kind ? request.kind : given.return_kind;
    if (kind == given.return_kind && is_deterministic == given.is_deterministic) {
        return self.function;
    }
    auto& requested =
        self.requested[static_cast<std::size_t>(kind)][static_cast<std::size_t>(is_deterministic)];
    if (!requested) {
        dispatch::CallOptions options = given;
        options.is_deterministic = is_deterministic;
        options.return_kind = kind;
        requested = find_function(*self.module, self.function->name(), options);
    }
    return requested;
}

py::object call(const FunctionObject& self, PyObject* const* values, std::size_t positional,
                PyObject* names, device::CommandList* commands) {
    const FrameLease lease(*self.pool);
    CallFrame& frame = *lease;
    const ResultRequest request = read_arguments(self, frame.arguments, values, positional, names);
    const std::shared_ptr<dispatch::Function> function = requested_function(self, request);
    report_wrong_gradients(self, *self.pool->session);
    const auto plan = plan_for(*function, frame.arguments);
    if (!plan->names.empty()) {
        frame.arguments.replace_names(plan->names);
    }
    if (commands != nullptr && (plan->uploads || plan->downloads || plan->allocates)) {
        throw core::ArgumentError(
            text("append_to: '", function->name(),
                 "' would return a value or needs host arrays moved, which cannot be recorded; "
                 "pass tensors for all array arguments and _result"));
    }
    if (!plan->warnings.empty()) {
        show_warnings(*plan, self.pool->shown_warnings);
    }
    frame.arguments.require_writable(*plan);
    begin_gradient_check(self, *self.pool->session, *function, plan, frame.arguments.list());
    device::Device& device = *self.module->context().device;
    frame.state.launch(*plan, frame.arguments.list(), device, commands);
    if (frame.state.needs_read_back(*plan)) {
        const Unlocked unlocked;
        frame.state.read_back(*plan, device, interrupt_poll());
    }
    if (plan->index_faults && commands == nullptr) {
        require_no_index_faults(*plan, frame.state, frame.arguments.list(), device);
    }
    if (plan->downloads) {
        frame.state.store_host_arrays(*plan, frame.arguments.list());
    }
    if (self.pool->session->check_nan && commands == nullptr && !plan->is_empty) {
        require_finite(*plan, frame.state, frame.arguments, *function);
    }
    if (!frame.arguments.instances().empty()) {
        update_instances(frame.arguments);
    }
    return collect_results(*plan, frame.state, frame.arguments, function->options().return_kind);
}

/// pybind11's per-function wrapper costs more than a whole call, so calls bypass it.
PyObject* vectorcall(PyObject* self, PyObject* const* values, std::size_t flagged_count,
                     PyObject* names) {
    park_at_end();
    try {
        const auto positional = static_cast<std::size_t>(PyVectorcall_NARGS(flagged_count));
        return call(native_value<FunctionObject>(self), values, positional, names, nullptr)
            .release()
            .ptr();
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

/// Splits *args, **kwargs of a bound method into the vectorcall form and calls `run(values, count, names)`.
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
    return run(values.data(), args.size(), names.ptr());
}

void dispatch_threads(const FunctionObject& self, const py::object& thread_count,
                      const py::args& args, const py::kwargs& kwargs) {
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
    raw.function = find_function(*self.module, self.function->name(), options);
    with_vector_arguments(args, rest,
                          [&](PyObject* const* values, std::size_t count, PyObject* names) {
                              return call(raw, values, count, names, commands);
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
    call(self, rest.data(), 0, py::tuple(rest_names).ptr(), commands);
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
            call(function, values + 1, static_cast<std::size_t>(count) - 1, names, &commands);
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

std::string explain(const FunctionObject& self, const py::args& args, const py::kwargs& kwargs,
                    bool source) {
    const FrameLease lease(*self.pool);
    CallFrame& frame = *lease;
    return with_vector_arguments(
        args, kwargs, [&](PyObject* const* values, std::size_t count, PyObject* names) {
            const ResultRequest request =
                read_arguments(self, frame.arguments, values, count, names);
            const auto plan = plan_for(*requested_function(self, request), frame.arguments);
            return source && plan->compiled
                       ? plan->compiled->source
                       : plan->explanation + self.pool->session->gradient_checker->outcome(*plan);
        });
}

} // namespace

std::shared_ptr<CallPool> create_call_pool(std::shared_ptr<Session> session) {
    auto pool = std::make_shared<CallPool>();
    pool->session = std::move(session);
    return pool;
}

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
                return with_vector_arguments(
                    args, kwargs, [&](PyObject* const* values, std::size_t count, PyObject* names) {
                        return call(self, values, count, names, nullptr);
                    });
            },
            "Same as calling the function.")
        .def("dispatch", &dispatch_threads, py::arg("thread_count"),
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
            "prelude",
            [](const FunctionObject& self, const std::string& code) {
                dispatch::CallOptions options = self.function->options();
                options.prelude += (options.prelude.empty() ? "" : "\n") + code;
                return derive(self, options);
            },
            py::arg("code"), "Slang text put in front of the generated kernel.");
}

void bind_inspection(FunctionClass& bound) {
    bound
        .def(
            "explain",
            [](const FunctionObject& self, const py::args& args, const py::kwargs& kwargs) {
                return explain(self, args, kwargs, false);
            },
            "How a call with these arguments would run, as text.")
        .def(
            "generated_source",
            [](const FunctionObject& self, const py::args& args, const py::kwargs& kwargs) {
                return explain(self, args, kwargs, true);
            },
            "The Slang kernel generated for these arguments.")
        .def_property_readonly("name",
                               [](const FunctionObject& self) { return self.function->name(); })
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

} // namespace

void bind_function(py::module_& module) {
    bind_value_ref(module);
    FunctionClass bound(module, "Function", py::custom_type_setup(&enable_vectorcall),
                        kFunctionDoc);
    bind_calls(bound);
    bind_derivations(bound);
    bind_kernel_options(bound);
    bind_inspection(bound);
    add_append_to(bound);
    bind_introspection(bound);
}

} // namespace weft::python
