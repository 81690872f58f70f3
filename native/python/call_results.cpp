// SPDX-License-Identifier: Apache-2.0
#include "python/call_results.hpp"

#include "python/bind_error.hpp"
#include "python/bind_tensor.hpp"
#include "python/value_ref.hpp"
#include "python/value_to_python.hpp"

namespace weft::python {

namespace py = pybind11;

namespace {

py::object output_to_python(const dispatch::Output& output, dispatch::ReturnKind kind) {
    if (!output.tensor) {
        return value_to_python(*output.type, output.value);
    }
    if (kind == dispatch::ReturnKind::numpy) {
        return tensor_to_numpy(*output.tensor);
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
                           const CallArguments& arguments, dispatch::ReturnKind kind) {
    const auto& outputs = state.outputs;
    if (outputs.empty()) {
        return py::none();
    }
    py::list values;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        py::object value = output_to_python(outputs[i], kind);
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

} // namespace weft::python
