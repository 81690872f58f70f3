// SPDX-License-Identifier: Apache-2.0
// Numbers and arrays of the host that have gradients.
#include "python/diff_pair.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/host_array.hpp"
#include "tensor/tensor.hpp"

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;
using Form = DiffPair::Form;

namespace {

constexpr const char* kPrimal = "diffPair: argument 'primal'";
constexpr const char* kGradient = "diffPair: argument 'gradient'";

py::module_ numpy() {
    return py::module_::import("numpy");
}

Form form_of(const py::object& value) {
    if (py::isinstance<tensor::Tensor>(value)) {
        return Form::tensor;
    }
    if (is_numpy_array(value)) {
        return Form::array;
    }
    return py::isinstance<py::sequence>(value) ? Form::list : Form::number;
}

/// The caller's own array, or a new one of float64.
py::object float_array(const py::object& value, const char* context) {
    if (py::isinstance<py::dict>(value)) {
        throw ArgumentError(text(context, " is a dict; give its fields pairs of their own: ",
                                 "{'x': weft.diffPair(1.0)}"),
                            ArgumentError::Kind::type);
    }
    const py::array array = to_array(value, context);
    const bool is_own = array.is(value);
    const char kind = array.dtype().kind();
    if ((is_own && kind != 'f') || (kind != 'f' && kind != 'i' && kind != 'u')) {
        throw ArgumentError(text(context, " must hold floats, got ",
                                 py::str(array.dtype()).cast<std::string>(),
                                 "; values without derivatives are passed as they are"),
                            ArgumentError::Kind::type);
    }
    return is_own ? py::object(array) : numpy().attr("array")(array, "float64");
}

py::object repeated(const py::object& array, const py::object& like, const char* context) {
    const py::tuple shape = like.attr("shape");
    try {
        return numpy().attr("broadcast_to")(array, shape).attr("copy")();
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_ValueError)) {
            throw;
        }
        throw ArgumentError(text(
            context, " has shape ", py::str(array.attr("shape")).cast<std::string>(),
            ", the value has shape ", py::str(shape).cast<std::string>(), "; give both one shape"));
    }
}

DiffPair pair_of_tensor(const py::object& tensor, const py::object& gradient) {
    const bool has_one = !tensor.attr("grad_in").is_none() || !tensor.attr("grad_out").is_none();
    if (gradient.is_none()) {
        return {.form = Form::tensor, .value = has_one ? tensor : tensor.attr("with_grads")()};
    }
    py::object held = gradient;
    if (!py::isinstance<tensor::Tensor>(gradient)) {
        held = tensor.attr("with_grads")().attr("grad");
        held.attr("__setitem__")(py::ellipsis(), gradient);
    }
    return {.form = Form::tensor, .value = tensor.attr("with_grads")(held, held)};
}

/// The argument under Weft's name or under SlangPy's.
py::object either(const py::object& own, const py::object& other, const char* own_name,
                  const char* other_name) {
    if (!own.is_none() && !other.is_none()) {
        throw ArgumentError(text("diffPair: '", other_name, "' is another name of '", own_name,
                                 "'; pass one of them"),
                            ArgumentError::Kind::type);
    }
    return own.is_none() ? other : own;
}

DiffPair make_pair_of(const py::object& primal, const py::object& gradient) {
    if (form_of(primal) == Form::tensor) {
        return pair_of_tensor(primal, gradient);
    }
    DiffPair pair{.form = form_of(primal), .value = float_array(primal, kPrimal)};
    if (is_numpy_array(gradient) && gradient.attr("shape").equal(pair.value.attr("shape"))) {
        pair.gradient = float_array(gradient, kGradient); // the caller's own
    } else if (gradient.is_none()) {
        pair.gradient = numpy().attr("zeros_like")(pair.value);
    } else {
        pair.gradient = repeated(float_array(gradient, kGradient), pair.value, kGradient);
    }
    return pair;
}

DiffPair make_pair(const py::object& primal, const py::object& gradient, bool needs_grad,
                   const py::object& p, const py::object& d) {
    const py::object value = either(primal, p, "primal", "p");
    DiffPair pair = make_pair_of(value.is_none() ? py::float_(0.0) : value,
                                 either(gradient, d, "gradient", "d"));
    pair.needs_gradient = needs_grad;
    return pair;
}

/// As the value was given: a number, nested lists, the array.
py::object read(const DiffPair& self, const py::object& array) {
    return self.form == Form::array ? array : array.attr("tolist")();
}

py::object primal(const DiffPair& self) {
    return self.form == Form::tensor ? self.value : read(self, self.value);
}

py::object gradient(const DiffPair& self) {
    return self.form == Form::tensor ? self.value.attr("grad") : read(self, self.gradient);
}

void set_primal(const DiffPair& self, const py::object& value) {
    self.value.attr("__setitem__")(py::ellipsis(), value);
}

py::object gradient_holder(const DiffPair& self) {
    return self.form == Form::tensor ? self.value.attr("grad") : self.gradient;
}

void set_gradient(const DiffPair& self, const py::object& value) {
    gradient_holder(self).attr("__setitem__")(py::ellipsis(), value);
}

void clear(const DiffPair& self) {
    if (self.form == Form::tensor) {
        self.value.attr("grad").attr("clear")();
    } else {
        self.gradient.attr("fill")(0.0);
    }
}

std::string represent(const DiffPair& self) {
    return text("DiffPair(primal=", py::repr(primal(self)).cast<std::string>(),
                ", grad=", py::repr(gradient(self)).cast<std::string>(), ")");
}

constexpr const char* kDiffPairDoc =
    R"(A value with its gradient, for numbers and arrays of the host as for tensors.

``f.bwds(weft.diffPair(2.0), x, _result=r)`` differentiates by a Python number. A parameter of type
``DifferentialPair<T>`` takes both halves; an ``inout`` one writes both back.

Args:
    primal: A number, a list or array of floats, or a Tensor.
    needs_grad: False makes a constant of the value; calls leave ``grad`` as it is.
    p: Another name of ``primal``, which is 0.0 if left out.
    d: Another name of ``gradient``.
    gradient: What ``grad`` starts as, of the shape of ``primal`` or broadcast to it; None: zeros, or the
        gradient that the Tensor has. An array of the shape of ``primal`` is the gradient itself, not a copy.

Raises:
    ArgumentError: Values without derivatives, or shapes that differ.
)";

constexpr const char* kGradDoc =
    R"(The gradient, in the form of the value: a number, lists, an array, a Tensor. Backward calls add to that of an
input and read that of an output; forward calls read that of an input and write that of an output.)";

} // namespace

void bind_diff_pair(py::module_& module) {
    py::class_<DiffPair>(module, "DiffPair", kDiffPairDoc)
        .def(py::init(&make_pair), py::arg("primal") = py::none(), py::arg("gradient") = py::none(),
             py::arg("needs_grad") = true, py::kw_only(), py::arg("p") = py::none(),
             py::arg("d") = py::none())
        .def_readonly("needs_grad", &DiffPair::needs_gradient, "Whether calls see the gradient.")
        .def_property("primal", &primal, &set_primal,
                      "The value, as it was given: a number, lists, an array, a Tensor.")
        .def_property("grad", &gradient, &set_gradient, kGradDoc)
        .def("clear", &clear, "Sets the gradient to zero.")
        .def("__repr__", &represent);
}

} // namespace weft::python
