// SPDX-License-Identifier: Apache-2.0
#include "python/bind_reduce.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "dispatch/reduce.hpp"
#include "python/bind_tensor.hpp"
#include "python/host_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/sequence_reader.hpp"
#include "python/session.hpp"
#include "python/value_to_python.hpp"
#include "tensor/transfer.hpp"

namespace weft::python {

namespace py = pybind11;
using dispatch::ReduceRequest;
using dispatch::Reduction;

namespace {

constexpr std::size_t kMaxAxes = 64; // more than a tensor can have

void set_axes(ReduceRequest& request, const py::object& axis) {
    request.all_axes = axis.is_none();
    if (request.all_axes) {
        return;
    }
    const auto add = [&](py::handle entry) {
        request.axes.push_back(
            require_int64(entry, core::text(dispatch::to_string(request.operation), ": axis")));
    };
    if (PyIndex_Check(axis.ptr()) != 0) {
        add(axis);
        return;
    }
    if (!has_attribute(axis, "__iter__")) {
        throw core::ArgumentError(core::text(dispatch::to_string(request.operation),
                                             ": axis must be an integer or a tuple of them, got ",
                                             Py_TYPE(axis.ptr())->tp_name),
                                  core::ArgumentError::Kind::type);
    }
    for (const py::handle entry : axis) {
        if (request.axes.size() == kMaxAxes) {
            throw core::ArgumentError(core::text(dispatch::to_string(request.operation),
                                                 ": axis has more than ", kMaxAxes,
                                                 " entries; name each axis once"));
        }
        add(entry);
    }
}

/// A reduction over everything gives a Python number, else a Tensor. Tests give bools.
py::object run(const ReduceRequest& request, bool is_test) {
    const std::shared_ptr<Session> session = session_of(request.x->device());
    tensor::TensorRef result;
    std::vector<std::byte> value;
    {
        const Unlocked unlocked;
        result = session->reducer->reduce(request);
        if (result->rank() == 0) {
            value.resize(tensor::host_size_bytes(*result));
            tensor::download(*result, value, interrupt_poll());
        }
    }
    if (result->rank() != 0) {
        return tensor_to_python(result);
    }
    py::object number = value_to_python(*result->dtype(), value);
    return is_test ? py::bool_(number) : number;
}

void bind_one(py::module_& module, const char* name, Reduction operation,
              const char* documentation) {
    const bool is_test = operation == Reduction::any || operation == Reduction::all;
    module.def(
        name,
        [operation, is_test](tensor::TensorRef x, const py::object& axis, bool keepdims) {
            ReduceRequest request{.operation = operation, .x = std::move(x)};
            request.keep_dimensions = keepdims;
            set_axes(request, axis);
            return run(request, is_test);
        },
        py::arg("tensor").none(false), py::arg("axis") = py::none(), py::kw_only(),
        py::arg("keepdims") = false, documentation);
}

} // namespace

void bind_reduce(py::module_& module) {
    bind_one(
        module, "sum", Reduction::sum,
        "Sum over all elements, or over the given axes.\n\n"
        "half and float are summed pairwise in float, integers in 64 bits. Bit-identical from run "
        "to run on one\n"
        "device. Vectors count as a last axis. Returns a Python number without `axis`, else a "
        "Tensor.\n\n"
        "Raises:\n    ArgumentError: An axis is out of range, or the tensor holds structures.\n");
    bind_one(module, "mean", Reduction::mean,
             "Arithmetic mean; float, or double for double. See sum().\n");
    bind_one(module, "min", Reduction::minimum,
             "Smallest element, NaN if there is one. See sum().\n");
    bind_one(module, "max", Reduction::maximum,
             "Largest element, NaN if there is one. See sum().\n");
    bind_one(module, "norm", Reduction::norm,
             "Euclidean norm: the square root of the sum of squares. See sum().\n");
    bind_one(module, "any", Reduction::any,
             "Whether any element is not zero; uint 0 or 1 in a Tensor. See sum().\n");
    bind_one(module, "all", Reduction::all,
             "Whether no element is zero; uint 0 or 1 in a Tensor. See sum().\n");
    module.def(
        "dot",
        [](tensor::TensorRef a, tensor::TensorRef b, const py::object& axis) {
            ReduceRequest request{
                .operation = Reduction::dot, .x = std::move(a), .y = std::move(b)};
            set_axes(request, axis);
            return run(request, false);
        },
        py::arg("a").none(false), py::arg("b").none(false), py::arg("axis") = py::none(),
        "Sum of products of two tensors of equal shape and dtype, over all elements or the given "
        "axes. See sum().\n");
    module.def(
        "all_close",
        [](tensor::TensorRef a, tensor::TensorRef b, float rtol, float atol) {
            ReduceRequest request{
                .operation = Reduction::all_close, .x = std::move(a), .y = std::move(b)};
            request.relative_tolerance = rtol;
            request.absolute_tolerance = atol;
            return run(request, true);
        },
        py::arg("a").none(false), py::arg("b").none(false), py::arg("rtol") = 1e-5F,
        py::arg("atol") = 1e-8F,
        "Whether |a - b| <= atol + rtol * |b| for every element; False where one is NaN.\n");
}

} // namespace weft::python
