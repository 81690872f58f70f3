// SPDX-License-Identifier: Apache-2.0
// Kernels compiled side by side, by threads that never touch Python.
#include "core/cancellation.hpp"
#include "python/call_function.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/render_objects.hpp"

#include <utility>
#include <vector>

namespace weft::python {

namespace py = pybind11;

namespace {

/// A call of Python with what its arguments point to.
struct PendingCall {
    std::shared_ptr<dispatch::Module> module;
    std::shared_ptr<dispatch::Function> function;
    std::unique_ptr<FrameLease> lease;
    std::shared_ptr<void> kept; ///< the arguments

    ~PendingCall() {
        if (is_ending()) {
            static_cast<void>(lease.release()); // nobody may touch its objects any more
            return;
        }
        const py::gil_scoped_acquire locked;
        lease.reset();
    }
};

std::function<void()> job_of(const py::handle entry) {
    const auto pair = entry.cast<std::pair<py::object, py::tuple>>();
    const auto& function = pair.first.cast<const FunctionObject&>();
    auto pending = std::make_shared<PendingCall>();
    pending->module = function.module;
    pending->kept = keep_alive(entry.ptr());
    pending->lease = std::make_unique<FrameLease>(*function.pool);
    CallArguments& arguments = (**pending->lease).arguments;
    std::vector<PyObject*> values;
    for (const py::handle value : pair.second) {
        values.push_back(value.ptr());
    }
    const PythonCall call{.values = values.data(), .positional = values.size(), .names = nullptr};
    const ResultRequest request = read_arguments(function, arguments, call);
    pending->function = requested_function(function, request, arguments);
    return [pending] {
        const auto& list = (**pending->lease).arguments.list();
        if (!pending->function->find_plan(list)) {
            static_cast<void>(pending->function->make_plan(list));
        }
    };
}

void compile_together(const py::iterable& calls, const py::object& interrupt,
                      const std::shared_ptr<render::CompileProgress>& compiling) {
    std::vector<std::function<void()>> jobs;
    for (const py::handle entry : calls) {
        jobs.push_back(job_of(entry));
    }
    const core::InterruptPoll check = poll_with(interrupt);
    const Unlocked unlocked;
    render::compile_together(std::move(jobs), check, compiling.get());
}

} // namespace

core::InterruptPoll poll_with(const py::object& interrupt) {
    core::InterruptPoll signals = interrupt_poll();
    if (interrupt.is_none()) {
        return signals;
    }
    return [signals, kept = keep_alive(interrupt.ptr())] {
        signals();
        const py::gil_scoped_acquire locked;
        try {
            py::handle(static_cast<PyObject*>(kept.get())).attr("check")();
        } catch (const py::error_already_set& raised) {
            if (raised.matches(py::module_::import("weft.render.interrupt").attr("Interrupted"))) {
                throw PythonInterrupted(raised);
            }
            throw;
        }
    };
}

void bind_compiling(py::module_& module) {
    py::class_<core::Cancellation>(
        module, "_Cancellation",
        "With it entered, what the thread waits for ends in KeyboardInterrupt once "
        "cancel() was called.")
        .def(py::init<>())
        .def("cancel", &core::Cancellation::cancel)
        .def(
            "__enter__",
            [](core::Cancellation& self) -> core::Cancellation& {
                self.enter();
                return self;
            },
            py::return_value_policy::reference)
        .def("__exit__", [](core::Cancellation&, const py::args&) { core::Cancellation::leave(); });
    using render::CompileProgress;
    py::class_<CompileProgress, std::shared_ptr<CompileProgress>>(
        module, "Compiling", "How many kernels of those that are wanted together are compiled.")
        .def(py::init<>())
        .def_property_readonly(
            "done", [](const CompileProgress& self) { return self.done.load(); }, "So far.")
        .def_property_readonly(
            "total", [](const CompileProgress& self) { return self.total.load(); }, "Of them.");
    module.def(
        "compile_together", &compile_together, py::arg("calls"), py::arg("interrupt") = py::none(),
        py::arg("compiling") = py::none(),
        "Compiles the kernels of calls that will come, on all cores.\n\n"
        "Args:\n"
        "    calls: Functions and the tuples that they will be called with, of whose tensors "
        "kinds and\n"
        "        dtypes matter.\n"
        "    interrupt: Its check() ends the wait by raising, and is called every 50 ms.\n"
        "    compiling: Told how far it is.\n\n"
        "Raises:\n    CompileError: One of them does not compile.\n");
}

} // namespace weft::python
