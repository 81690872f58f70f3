// SPDX-License-Identifier: Apache-2.0
#include "python/call_function.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/call_checks.hpp"
#include "python/call_results.hpp"
#include "python/derive_function.hpp"
#include "python/host_tensor.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/torch_bridge.hpp"
#include "python/torch_memory.hpp"

namespace weft::python {

namespace py = pybind11;
using core::text;
using dispatch::Role;

namespace {

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

/// f.bwds(a, b, result): more positional arguments than any overload of that result has parameters.
bool ends_in_result(const FunctionObject& self, const PythonCall& call) {
    if (call.positional == 0 ||
        self.function->options().derivative != codegen::Derivative::backward) {
        return false;
    }
    const Py_ssize_t named = call.names == nullptr ? 0 : PyTuple_GET_SIZE(call.names);
    for (Py_ssize_t i = 0; i < named; ++i) {
        if (is_result_keyword(utf8(PyTuple_GET_ITEM(call.names, i)))) {
            return false;
        }
    }
    return takes_result_after(*self.function, call.positional);
}

} // namespace

ResultRequest read_arguments(const FunctionObject& self, CallArguments& arguments,
                             const PythonCall& call) {
    ResultRequest request;
    arguments.set_function(*self.function);
    const bool has_result = ends_in_result(self, call);
    for (std::size_t i = 0; i + (has_result ? 1 : 0) < call.positional; ++i) {
        arguments.add(Role::positional, call.values[i], {});
    }
    if (has_result) {
        add_result(self, arguments, call.values[call.positional - 1], request);
    }
    const Py_ssize_t named = call.names == nullptr ? 0 : PyTuple_GET_SIZE(call.names);
    for (Py_ssize_t i = 0; i < named; ++i) {
        const std::string_view name = utf8(PyTuple_GET_ITEM(call.names, i));
        PyObject* value = call.values[call.positional + static_cast<std::size_t>(i)];
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

const std::shared_ptr<dispatch::Function>& requested_function(const FunctionObject& self,
                                                              const ResultRequest& request,
                                                              const CallArguments& arguments) {
    const dispatch::CallOptions& given = self.function->options();
    const bool is_deterministic =
        given.derivative == codegen::Derivative::backward &&
        request.is_deterministic.value_or(self.pool->session->deterministic);
    dispatch::ReturnKind kind = request.has_kind ? request.kind : given.return_kind;
    if (kind == dispatch::ReturnKind::automatic && !arguments.torch().tensors.empty() &&
        given.derivative == codegen::Derivative::none) {
        kind = dispatch::ReturnKind::torch;
    }
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

namespace {

/// Hands the call to weft.torch, which comes back with tensors that torch does not track.
py::object track(const FunctionObject& self, const PythonCall& call, PyObject* object) {
    py::tuple arguments(call.positional);
    for (std::size_t i = 0; i < call.positional; ++i) {
        arguments[i] = py::handle(call.values[i]);
    }
    py::dict keywords;
    const Py_ssize_t named = call.names == nullptr ? 0 : PyTuple_GET_SIZE(call.names);
    for (Py_ssize_t i = 0; i < named; ++i) {
        keywords[py::handle(PyTuple_GET_ITEM(call.names, i))] =
            py::handle(call.values[call.positional + static_cast<std::size_t>(i)]);
    }
    return TorchBridge::get().track(py::reinterpret_borrow<py::object>(object),
                                    self.this_value ? self.this_value : py::none(), arguments,
                                    keywords);
}

/// Whether CUDA tensors of torch are among the arguments for a device of another API, whose queue knows no stream: before
/// and after a launch the two wait for each other.
bool is_beside_torch(const TorchArguments& torch, const device::Device& device) {
    return torch.knows_stream && device.info().type != device::DeviceType::cuda;
}

/// The check of gradients reads a few elements in the device's queue, and now: not in the middle of a capture.
bool may_begin_check(const dispatch::LaunchPlan& plan, const TorchArguments& torch,
                     device::Device& device) {
    if (!plan.wants_check.load(std::memory_order_relaxed) || torch.stream == 0) {
        return true;
    }
    if (device.is_capturing(torch.stream)) {
        return false;
    }
    device.wait_for_stream(torch.stream);
    return true;
}

/// @throws ArgumentError if the call needs more than a launch.
void require_recordable(const dispatch::LaunchPlan& plan, const dispatch::Function& function,
                        const TorchArguments& torch, const device::Device& device) {
    if (plan.uploads || plan.downloads || plan.allocates) {
        throw core::ArgumentError(
            text("append_to: '", function.name(),
                 "' would return a value or needs host arrays moved, which cannot be recorded; "
                 "pass tensors for all array arguments and _result"));
    }
    if (is_beside_torch(torch, device)) {
        throw core::ArgumentError(
            text("append_to: '", function.name(),
                 "' is recorded for a Vulkan device, which would not wait for torch when it runs; "
                 "pass a weft.Tensor, such as weft.from_dlpack(device, tensor)"));
    }
}

/// Where a launch may put results, apart from memory of the device.
ResultMemory* choose_memory(const device::Device& device, TorchCallMemory* on_gpu,
                            HostCallMemory& on_host) {
    if (on_gpu != nullptr) {
        return on_gpu;
    }
    return device.info().features.host_memory ? &on_host : nullptr;
}

/// Waits for what goes to the host, and stores it there.
void read_back(const dispatch::LaunchPlan& plan, CallFrame& frame, device::Device& device,
               bool has_run) {
    if (frame.state.needs_read_back(plan)) {
        const Unlocked unlocked;
        frame.state.read_back(plan, device, interrupt_poll());
    }
    if (plan.index_faults && has_run) {
        require_no_index_faults(plan, frame.state, frame.arguments.list(), device);
    }
    if (plan.downloads) {
        frame.state.store_host_arrays(plan, frame.arguments.list());
    }
}

/// Tells objects of Python and torch what was written to them.
void tell_owners(const dispatch::LaunchPlan& plan, const CallArguments& arguments) {
    if (!arguments.instances().empty()) {
        update_instances(arguments);
    }
    if (!arguments.torch().tensors.empty()) {
        arguments.note_torch_writes(plan);
    }
}

} // namespace

py::object call(const FunctionObject& self, const PythonCall& call, PyObject* object,
                device::CommandList* commands) {
    const FrameLease lease(*self.pool);
    CallFrame& frame = *lease;
    if (object != nullptr) {
        frame.arguments.allow_tracking();
    }
    if (commands == nullptr) {
        frame.arguments.allow_lending();
    }
    const ResultRequest request = read_arguments(self, frame.arguments, call);
    if (frame.arguments.torch().is_tracked) {
        return track(self, call, object);
    }
    const std::shared_ptr<dispatch::Function> function =
        requested_function(self, request, frame.arguments);
    report_wrong_gradients(self, *self.pool->session);
    const auto plan = plan_for(*function, frame.arguments);
    if (!plan->names.empty()) {
        frame.arguments.replace_names(plan->names);
    }
    if (commands != nullptr) {
        require_recordable(*plan, *function, frame.arguments.torch(),
                           *self.module->context().device);
    }
    // A tensor of torch has its gradient in torch's graph: it is not to be told to bring one.
    if (!plan->warnings.empty() && frame.arguments.torch().tensors.empty()) {
        show_warnings(*plan, self.pool->shown_warnings);
    }
    frame.arguments.require_writable(*plan);
    device::Device& device = *self.module->context().device;
    const TorchArguments& torch = frame.arguments.torch();
    const bool is_beside = is_beside_torch(torch, device);
    if (is_beside) {
        device.wait_for_stream(torch.stream);
    }
    if (may_begin_check(*plan, torch, device)) {
        begin_gradient_check(self, *self.pool->session, *function, plan, frame.arguments.list());
    }
    const dispatch::ReturnKind return_kind = function->options().return_kind;
    const bool is_torch = return_kind == dispatch::ReturnKind::torch;
    TorchCallMemory on_gpu(device, torch.lent, is_torch);
    HostCallMemory on_host(device, return_kind);
    const bool is_borrowed = commands == nullptr && torch.knows_stream && !is_beside &&
                             (torch.stream != 0 || (plan->allocates && is_torch));
    ResultMemory* const memory = choose_memory(device, is_borrowed ? &on_gpu : nullptr, on_host);
    frame.state.launch(
        *plan, frame.arguments.list(), device,
        {.commands = commands, .stream = commands == nullptr ? torch.stream : 0, .memory = memory});
    if (is_beside) {
        device.make_stream_wait(torch.stream);
    }
    read_back(*plan, frame, device, commands == nullptr);
    if (self.pool->session->check_nan && commands == nullptr && !plan->is_empty) {
        device.wait_for_stream(torch.stream);
        require_finite(*plan, frame.state, frame.arguments, *function);
    }
    tell_owners(*plan, frame.arguments);
    return collect_results(*plan, frame.state, frame.arguments, return_kind, memory);
}

std::string explain(const FunctionObject& self, const PythonCall& call, bool source) {
    const FrameLease lease(*self.pool);
    CallFrame& frame = *lease;
    frame.arguments.allow_lending();
    const ResultRequest request = read_arguments(self, frame.arguments, call);
    const auto& function = requested_function(self, request, frame.arguments);
    const auto plan = plan_for(*function, frame.arguments);
    if (source && plan->compiled) {
        return plan->compiled->source;
    }
    device::Device& device = *self.module->context().device;
    const HostCallMemory memory(device, function->options().return_kind);
    dispatch::InPlace in_place;
    if (plan->uploads && dispatch::is_awaited(*plan, &memory)) {
        in_place.add_arguments(plan->sources, frame.arguments.list(), device);
    }
    return plan->explanation + in_place.explanation(plan->sources) +
           self.pool->session->gradient_checker->outcome(*plan);
}

std::shared_ptr<CallPool> create_call_pool(std::shared_ptr<Session> session) {
    auto pool = std::make_shared<CallPool>();
    pool->session = std::move(session);
    return pool;
}

} // namespace weft::python
