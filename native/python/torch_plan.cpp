// SPDX-License-Identifier: Apache-2.0
#include "python/torch_plan.hpp"

namespace weft::python {

namespace py = pybind11;

namespace {

/// Of all that the node is passed for.
py::tuple use_of(const dispatch::LaunchPlan& plan, std::uint32_t node, PyObject* tensor) {
    dispatch::Source use{.rank = -1};
    for (const dispatch::Source& source : plan.sources) {
        if (source.node != node || source.part != dispatch::SourcePart::primal) {
            continue;
        }
        use.name = source.name;
        use.is_read = use.is_read || source.is_read;
        use.is_written = use.is_written || source.is_written || source.downloads;
        use.is_whole = use.is_whole || source.is_whole;
        use.rank = std::max(use.rank, source.rank);
    }
    return py::make_tuple(py::handle(tensor), use.name, use.is_read, use.is_written, use.is_whole,
                          use.rank);
}

} // namespace

py::tuple torch_plan(const FunctionObject& self, const PythonCall& call) {
    const FrameLease lease(*self.pool);
    CallFrame& frame = *lease;
    frame.arguments.allow_lending();
    const ResultRequest request = read_arguments(self, frame.arguments, call);
    const std::shared_ptr<dispatch::Function> function =
        requested_function(self, request, frame.arguments);
    const auto plan = plan_for(*function, frame.arguments);
    py::list uses;
    for (const auto& [node, tensor] : frame.arguments.torch().tensors) {
        uses.append(use_of(*plan, node, tensor));
    }
    py::list returned;
    for (const std::uint32_t source : plan->returned) {
        returned.append(plan->sources[source].name);
    }
    const bool is_torch = function->options().return_kind == dispatch::ReturnKind::torch;
    return py::make_tuple(plan->is_differentiable, is_torch, self.module->generation(), returned,
                          uses);
}

} // namespace weft::python
