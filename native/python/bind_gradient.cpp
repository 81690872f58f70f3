// SPDX-License-Identifier: Apache-2.0
// Gradients: what Tensor holds, and the derivative of a Function.
#include "python/bind_gradient.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_function.hpp"
#include "python/derive_function.hpp"
#include "python/interpreter_lock.hpp"
#include "python/session.hpp"
#include "python/torch_backward.hpp"
#include "tensor/tensor.hpp"

#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;
using tensor::Tensor;
using tensor::TensorRef;

namespace {

TensorRef allocate_gradient(const Tensor& tensor) {
    const std::vector<std::int64_t> shape(tensor.shape().begin(), tensor.shape().end());
    TensorRef gradient = Tensor::create(
        tensor.buffer().device_ref(),
        {.dtype = Tensor::gradient_dtype(tensor.dtype(), tensor.device().layout_rules()),
         .shape = shape},
        "gradient");
    const std::shared_ptr<Session> session = session_of(tensor.device());
    const Unlocked unlocked;
    session->copier->clear(*gradient);
    return gradient;
}

/// Memory that is allocated here is always zero; what the caller gives is left as it is, whatever `zero` says.
TensorRef with_grads(const TensorRef& self, TensorRef grad_in, TensorRef grad_out, bool /*zero*/) {
    if (!grad_in && !grad_out) {
        grad_in = grad_out = allocate_gradient(*self);
    }
    return Tensor::with_gradients(self, std::move(grad_in), std::move(grad_out));
}

TensorRef gradient_argument(const py::object& value, const char* name) {
    if (!value.is_none() && !py::isinstance<Tensor>(value)) {
        throw core::ArgumentError(core::text("Tensor.", name, ": expected a Tensor or None, got ",
                                             Py_TYPE(value.ptr())->tp_name,
                                             "; fill the gradient with copy_from_numpy()"),
                                  core::ArgumentError::Kind::type);
    }
    return value.is_none() ? nullptr : value.cast<TensorRef>();
}

TensorRef only_gradient(const Tensor& self) {
    if (self.grad_in() && self.grad_out() && self.grad_in() != self.grad_out()) {
        throw core::ArgumentError(
            "Tensor.grad: the tensor has two gradients; name the one that you mean: grad_in, "
            "read by backward calls, or grad_out, which they add to");
    }
    return self.grad_in() ? self.grad_in() : self.grad_out();
}

py::object derivative_of(const FunctionObject& self, codegen::Derivative derivative,
                         py::object& kept) {
    if (self.function->options().derivative != codegen::Derivative::none) {
        throw core::ArgumentError("Function.bwds, fwds: '" + self.function->name() +
                                  "' is a derivative already; differentiate the function itself");
    }
    if (!kept) {
        dispatch::CallOptions options = self.function->options();
        options.derivative = derivative;
        kept = derive(self, options);
    }
    return kept;
}

py::object backward_of(const FunctionObject& self) {
    return derivative_of(self, codegen::Derivative::backward, self.backward);
}

py::object forward_of(const FunctionObject& self) {
    return derivative_of(self, codegen::Derivative::forward, self.forward);
}

constexpr const char* kWithGradsDoc =
    R"(The same memory with gradients attached; the tensor itself stays without.

Args:
    grad_in: Derivative of a loss by this tensor, which a backward call reads if the function wrote the
        tensor. A tensor of the same shape and of the element type's differential.
    grad_out: What a backward call adds to if the function read the tensor.
        Without both, one zeroed tensor is allocated and serves as both. A gradient that is passed is never zeroed.
    zero: Accepted for scripts of other systems; allocated gradients are always zero.

Returns:
    A tensor whose ``grad_in``, ``grad_out`` and ``grad`` are set.

Raises:
    ArgumentError: The elements have no derivatives (integers, structures without IDifferentiable), or a
        gradient has another shape, type or device.
)";

constexpr const char* kPointToDoc =
    R"(Takes over the memory of another tensor: what was a view or an owner becomes a view of that memory.

Args:
    target: Of the same device, shape and element size. Dtype and gradients of the tensor itself stay.

Raises:
    ArgumentError: The two do not fit.
)";

constexpr const char* kBackwardDoc =
    R"(The backward derivative: ``f.bwds(...)`` takes the arguments of ``f(...)``.

Gradients of outputs are read from ``grad_in`` of the tensors passed for ``_result``, out and inout parameters; gradients
of inputs are added to ``grad_out`` of the tensors passed for them. Arguments without gradients are constants. The
primal result is written into ``_result``, which may also be the last of the positional arguments. ``deterministic=True`` gives equal bits from run to run on a device and costs
a second evaluation; it needs 64-bit integer atomics. Left out, it is ``Device.deterministic``.

Raises:
    ArgumentError: The function is not [Differentiable], an output has no gradient, or no argument has one to
        add to.
)";

constexpr const char* kForwardDoc =
    R"(The forward derivative: ``f.fwds(...)`` takes the arguments of ``f(...)``.

Tangents of inputs are read from ``grad_in`` of the tensors passed for them, arguments without one are constants; tangents of
outputs are written (not added) to ``grad_out`` of the tensors passed for ``_result``, out and inout parameters. The
values themselves are written as by ``f(...)``.

Raises:
    ArgumentError: The function is not [Differentiable], no input or no output has a gradient, or a parameter is
        a DiffTensor, WDiffTensor or RWDiffTensor, which have no place for tangents.
)";

} // namespace

void bind_gradient(const py::module_& module) {
    py::class_<Tensor, std::shared_ptr<Tensor>>(module.attr("Tensor"))
        .def("with_grads", &with_grads, py::arg("grad_in") = py::none(),
             py::arg("grad_out") = py::none(), py::arg("zero") = true, kWithGradsDoc)
        .def_property(
            "grad_in", [](const Tensor& self) { return self.grad_in(); },
            [](Tensor& self, const py::object& gradient) {
                self.set_gradients(gradient_argument(gradient, "grad_in"), self.grad_out());
            },
            "Derivative of a loss by this tensor, read by backward calls; or None.")
        .def_property(
            "grad_out", [](const Tensor& self) { return self.grad_out(); },
            [](Tensor& self, const py::object& gradient) {
                self.set_gradients(self.grad_in(), gradient_argument(gradient, "grad_out"));
            },
            "What backward calls add to; or None.")
        .def(
            "detach",
            [](const TensorRef& self) {
                return Tensor::wrap(self->buffer_ref(), self->layout(), self->offset());
            },
            "The same memory without gradients.")
        .def(
            "point_to", [](Tensor& self, const Tensor& target) { self.point_to(target); },
            py::arg("target"), kPointToDoc)
        .def_property_readonly("grad", &only_gradient,
                               "The gradient, if there is one or both are the same; None without.");
    py::class_<FunctionObject>(module.attr("Function"))
        .def_property_readonly(
            "device",
            [](const FunctionObject& self) { return session_of(*self.module->context().device); },
            "The device of the function's module.")
        .def(
            "_torch_backward",
            [](const py::object& self, std::vector<std::int64_t> places, py::tuple numbers,
               py::tuple values, py::tuple needs, py::object cotangent, bool is_deterministic) {
                return run_torch_backward({.function = self,
                                           .places = std::move(places),
                                           .numbers = std::move(numbers),
                                           .values = std::move(values),
                                           .needs = std::move(needs),
                                           .cotangent = std::move(cotangent),
                                           .is_deterministic = is_deterministic});
            },
            py::arg("places"), py::arg("numbers"), py::arg("values"), py::arg("needs"),
            py::arg("cotangent"), py::arg("is_deterministic"),
            "Of bwds: the gradients of a plain call in memory of torch; None: it is none such.")
        .def_property_readonly("bwds", &backward_of, kBackwardDoc)
        .def_property_readonly("fwds", &forward_of, kForwardDoc);
}

} // namespace weft::python
