// SPDX-License-Identifier: Apache-2.0
#include "python/call_results.hpp"

#include "core/text.hpp"
#include "python/bind_error.hpp"
#include "python/bind_tensor.hpp"
#include "python/host_array.hpp"
#include "python/torch_bridge.hpp"
#include "python/value_ref.hpp"
#include "python/value_to_python.hpp"

namespace weft::python {

namespace py = pybind11;

namespace {

py::object output_to_python(const dispatch::Output& output, dispatch::ReturnKind kind,
                            const TorchArguments& torch, const ResultMemory* memory) {
    if (!output.tensor) {
        return value_to_python(*output.type, output.value);
    }
    if (py::object owner = memory != nullptr ? memory->owner(*output.tensor) : py::object()) {
        return owner;
    }
    if (kind == dispatch::ReturnKind::numpy) {
        return tensor_to_numpy(*output.tensor);
    }
    if (kind == dispatch::ReturnKind::torch) {
        const bool is_on_host =
            torch.on_device == nullptr && (torch.on_host != nullptr || torch.has_number);
        const bool is_vulkan = output.tensor->device().info().type == device::DeviceType::vulkan;
        return TorchBridge::get().to_torch(output.tensor,
                                           is_vulkan ? torch.on_device != nullptr : !is_on_host);
    }
    return tensor_to_python(output.tensor);
}

} // namespace

void show_warnings(const dispatch::LaunchPlan& plan, std::set<std::string>& shown) {
    for (const std::string& warning : plan.warnings) {
        if (shown.contains(warning)) {
            continue;
        }
        if (PyErr_WarnEx(gradient_warning().ptr(), warning.c_str(), 1) != 0) {
            throw py::error_already_set();
        }
        shown.insert(warning);
    }
}

py::object collect_results(const dispatch::LaunchPlan& plan, const dispatch::CallState& state,
                           const CallArguments& arguments, dispatch::ReturnKind kind,
                           const ResultMemory* memory) {
    const auto& outputs = state.outputs;
    if (outputs.empty()) {
        return py::none();
    }
    py::list values;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        py::object value = output_to_python(outputs[i], kind, arguments.torch(), memory);
        const std::uint32_t node = plan.sources[plan.returned[i]].node;
        const py::handle reference =
            node == dispatch::kNoNode ? py::handle() : arguments.value_ref(node);
        if (reference) {
            native_value<ValueRef>(reference.ptr()).value = std::move(value);
        } else {
            values.append(std::move(value));
        }
    }
    if (values.empty()) {
        return py::none();
    }
    return values.size() == 1 ? py::object(values[0]) : py::tuple(values);
}

namespace {

/// As the user wrote it.
std::string called_name(const dispatch::Function& function) {
    switch (function.options().derivative) {
    case codegen::Derivative::backward: return function.name() + ".bwds";
    case codegen::Derivative::forward: return function.name() + ".fwds";
    case codegen::Derivative::none: break;
    }
    return function.name();
}

/// What a source holds after the call, as numpy or Python has it.
py::object values_of(const dispatch::LaunchPlan& plan, const dispatch::CallState& state,
                     const CallArguments& arguments, std::uint32_t source) {
    if (const auto* const tensor = state.tensor_of(plan, arguments.list(), source)) {
        return tensor_to_numpy(*tensor);
    }
    for (std::size_t i = 0; i < plan.returned.size(); ++i) {
        if (plan.returned[i] == source) {
            return value_to_python(*state.outputs[i].type, state.outputs[i].value);
        }
    }
    return py::none();
}

} // namespace

void require_finite(const dispatch::LaunchPlan& plan, const dispatch::CallState& state,
                    const CallArguments& arguments, const dispatch::Function& function) {
    const py::object find = py::module_::import("weft.finite").attr("find_not_finite");
    for (const std::uint32_t index : plan.written) {
        const py::object found = find(values_of(plan, state, arguments, index));
        if (found.is_none()) {
            continue;
        }
        const dispatch::Source& source = plan.sources[index];
        const char* const part = source.part == dispatch::SourcePart::gradient_in    ? ".grad_in"
                                 : source.part == dispatch::SourcePart::gradient_out ? ".grad_out"
                                                                                     : "";
        throw_not_finite(core::text(
            called_name(function), ": the results must be finite (check_nan), got ", source.name,
            part, found.cast<std::string>(),
            "; no call before it wrote such a value: look at this function and its arguments"));
    }
}

void update_instances(const CallArguments& arguments) {
    for (const py::object& instance : arguments.instances()) {
        if (has_attribute(instance, "update_this")) {
            instance.attr("update_this")(instance.attr("get_this")());
        }
    }
}

} // namespace weft::python
