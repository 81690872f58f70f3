// SPDX-License-Identifier: Apache-2.0
// The Python class Tensor. What its methods do lies in tensor/, tensor_factories and numpy_values; here is
// how they are called.
#include "python/bind_tensor.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/bind_dlpack.hpp"
#include "python/bind_reflect.hpp"
#include "python/bind_storage.hpp"
#include "python/bind_tensor_items.hpp"
#include "python/class_or_instance.hpp"
#include "python/docstrings.hpp"
#include "python/foreign_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/numpy_values.hpp"
#include "python/pinned_array.hpp"
#include "python/print_tensor.hpp"
#include "python/tensor_factories.hpp"
#include "python/torch_bridge.hpp"
#include "tensor/dtype.hpp"
#include "tensor/host_format.hpp"
#include "tensor/view.hpp"

#include <pybind11/gil_safe_call_once.h>
#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;
using core::ArgumentError;
using core::text;
using reflect::ScalarKind;
using tensor::Tensor;
using tensor::TensorRef;

namespace {

using TensorClass = py::class_<Tensor, std::shared_ptr<Tensor>>;

/// A weft.Shape, which is a tuple.
py::object to_shape(std::span<const std::int64_t> values) {
    PYBIND11_CONSTINIT static py::gil_safe_call_once_and_store<py::object> shape_class;
    const py::object& type =
        shape_class
            .call_once_and_store_result(
                [] { return py::object(py::module_::import("weft._porting").attr("Shape")); })
            .get_stored();
    py::tuple extents(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
        extents[i] = values[i];
    }
    const py::tuple arguments = py::make_tuple(extents);
    PyObject* const shape =
        PyTuple_Type.tp_new(reinterpret_cast<PyTypeObject*>(type.ptr()), arguments.ptr(), nullptr);
    if (shape == nullptr) {
        throw py::error_already_set();
    }
    return py::reinterpret_steal<py::object>(shape);
}

TensorRef make_empty(const py::object& device, const py::object& shape, const py::object& dtype,
                     const char* function) {
    const auto session = device_argument(device, function);
    return Tensor::create(session->device,
                          {.dtype = dtype_argument(dtype, function, ScalarKind::float32),
                           .shape = shape_argument(shape, function)},
                          "tensor");
}

void fill_value(Tensor& tensor, const py::object& value, const char* context) {
    const std::vector<std::byte> element = host_element(value, tensor.dtype(), context);
    const std::shared_ptr<Session> session = session_of(tensor.device());
    const Unlocked unlocked;
    session->copier->fill(tensor, element);
}

void clear_values(Tensor& tensor) {
    const std::shared_ptr<Session> session = session_of(tensor.device());
    const Unlocked unlocked;
    session->copier->clear(tensor);
}

TensorRef make_zeros(const py::object& device, const py::object& shape, const py::object& dtype,
                     const py::object& /*usage*/, const py::object& /*memory_type*/,
                     const py::object& /*program_layout*/) {
    TensorRef result = make_empty(device, shape, dtype, "Tensor.zeros");
    clear_values(*result);
    return result;
}

TensorRef make_ones(const py::object& device, const py::object& shape, const py::object& dtype) {
    TensorRef result = make_empty(device, shape, dtype, "Tensor.ones");
    fill_value(*result, py::int_(1), "Tensor.ones: argument 'dtype'");
    return result;
}

TensorRef make_full(const py::object& device, const py::object& shape, const py::object& value,
                    const py::object& dtype) {
    const char* const function = "Tensor.full";
    const py::object type =
        dtype.is_none() ? type_to_python(dtype_of_value(value, function)) : dtype;
    TensorRef result = make_empty(device, shape, type, function);
    fill_value(*result, value, "Tensor.full: argument 'value'");
    return result;
}

TensorRef empty_like(const Tensor& other) {
    const std::vector<std::int64_t> shape(other.shape().begin(), other.shape().end());
    return Tensor::create(other.buffer().device_ref(), {.dtype = other.dtype(), .shape = shape},
                          "tensor");
}

/// NDBuffer(device, dtype=..., shape=...): contents are zero, as nothing else says what they are.
TensorRef construct(const py::object& device, const py::object& dtype, const py::object& shape,
                    const py::object& /*usage*/, const py::object& /*memory_type*/) {
    TensorRef result = make_empty(device, shape, dtype, "Tensor");
    clear_values(*result);
    return result;
}

/// reshape(2, 3) and reshape((2, 3)).
std::vector<std::int64_t> variadic_shape(const py::args& args, const char* function) {
    const bool is_one_sequence = args.size() == 1 && PySequence_Check(args[0].ptr()) != 0;
    return shape_argument(is_one_sequence ? py::object(args[0]) : py::object(args), function);
}

TensorRef reshape_tensor(const TensorRef& self, const py::args& shape) {
    std::vector<std::int64_t> extents = variadic_shape(shape, "Tensor.reshape");
    if (TensorRef view = tensor::try_reshape(self, extents)) {
        return view;
    }
    const std::shared_ptr<Session> session = session_of(self->device());
    const Unlocked unlocked;
    return session->copier->reshape(self, std::move(extents), interrupt_poll());
}

constexpr char kTranspose[] = "Tensor.transpose";
constexpr char kPermute[] = "Tensor.permute";

/// @tparam kName: the method's name in messages.
template <const char* kName>
TensorRef permute_tensor(const TensorRef& self, const py::args& axes) {
    if (axes.empty()) {
        std::vector<std::int64_t> reversed(self->rank());
        for (std::size_t i = 0; i < reversed.size(); ++i) {
            reversed[i] = static_cast<std::int64_t>(reversed.size() - 1 - i);
        }
        return tensor::permute(self, reversed);
    }
    return tensor::permute(self, variadic_shape(axes, kName), kName);
}

TensorRef astype_tensor(const TensorRef& self, const py::object& dtype) {
    const reflect::TypeRef type = parse_type(dtype, "Tensor.astype");
    if (type->kind != reflect::TypeKind::scalar) {
        throw ArgumentError(text("Tensor.astype: dtype must be a scalar type, got ",
                                 tensor::display_name(*type),
                                 "; use flatten_dtype() and reshape() to change vectors"));
    }
    const std::shared_ptr<Session> session = session_of(self->device());
    const Unlocked unlocked;
    return session->copier->with_scalar_kind(self, type->scalar, interrupt_poll());
}

TensorRef contiguous_tensor(const TensorRef& self) {
    if (self->is_contiguous()) {
        return self;
    }
    const std::shared_ptr<Session> session = session_of(self->device());
    const Unlocked unlocked;
    return session->copier->contiguous(self, interrupt_poll());
}

TensorRef view_tensor(const TensorRef& self, const py::object& shape, const py::object& strides,
                      std::int64_t offset) {
    std::vector<std::int64_t> extents = shape_argument(shape, "Tensor.view");
    std::vector<std::int64_t> steps;
    if (!strides.is_none()) {
        steps = shape_argument(strides, "Tensor.view");
    }
    return tensor::view(self, std::move(extents), std::move(steps), offset);
}

void copy_from_torch(const TensorRef& self, const py::object& other) {
    const std::shared_ptr<Session> session = session_of(self->device());
    const auto source = tensor_from_dlpack(other, session->device).cast<TensorRef>();
    const TensorRef target =
        self->dtype()->kind == reflect::TypeKind::scalar ? self : tensor::flatten_dtype(self);
    const Unlocked unlocked;
    session->copier->copy(*target, *source, interrupt_poll());
}

/// values, dtype and copy as numpy passes them.
py::object array_protocol(const Tensor& self, const py::object& dtype, const py::object& copy) {
    if (!copy.is_none() && !copy.cast<bool>()) {
        throw ArgumentError(
            "Tensor.__array__: device memory can only become an array as a copy; pass copy=None");
    }
    const py::array values = tensor_to_numpy(self);
    return dtype.is_none() ? py::object(values) : values.attr("astype")(dtype);
}

std::string print_values(const TensorRef& self) {
    return tensor_summary(*self) + "\n" + tensor_values_text(self);
}

void bind_factories(TensorClass& tensor_class) {
    tensor_class
        .def(py::init(&construct), py::arg("device"), py::arg("dtype") = py::none(),
             py::arg("shape") = py::tuple(), py::kw_only(), py::arg("usage") = py::none(),
             py::arg("memory_type") = py::none())
        .def_static(
            "empty",
            [](const py::object& device, const py::object& shape, const py::object& dtype,
               const py::object&, const py::object&,
               const py::object&) { return make_empty(device, shape, dtype, "Tensor.empty"); },
            py::arg("device"), py::arg("shape"), py::arg("dtype") = py::none(), py::kw_only(),
            py::arg("usage") = py::none(), py::arg("memory_type") = py::none(),
            py::arg("program_layout") = py::none(), kEmptyDoc)
        .def_static("zeros", &make_zeros, py::arg("device"), py::arg("shape"),
                    py::arg("dtype") = py::none(), py::kw_only(), py::arg("usage") = py::none(),
                    py::arg("memory_type") = py::none(), py::arg("program_layout") = py::none(),
                    "Every byte 0. Arguments as of empty().")
        .def_static("ones", &make_ones, py::arg("device"), py::arg("shape"),
                    py::arg("dtype") = py::none(), "Every scalar 1. Arguments as of empty().")
        .def_static("full", &make_full, py::arg("device"), py::arg("shape"), py::arg("value"),
                    py::arg("dtype") = py::none(), kFullDoc)
        .def_static(
            "arange",
            [](const py::object& device, const py::object& start, const py::object& stop,
               const py::object& step, const py::object& dtype) {
                return make_range(*device_argument(device, "Tensor.arange"), start, stop, step,
                                  dtype);
            },
            py::arg("device"), py::arg("start"), py::arg("stop") = py::none(), py::arg("step") = 1,
            py::arg("dtype") = py::none(),
            "start, start + step, ... below stop; arange(device, 5) counts 0 to 4. int32 for "
            "integers, else float32.")
        .def_static("empty_like", &empty_like, py::arg("other"),
                    "Uninitialised, with shape, dtype and device of `other`.")
        .def_static(
            "zeros_like",
            [](const Tensor& other) {
                TensorRef result = empty_like(other);
                clear_values(*result);
                return result;
            },
            py::arg("other"), "Zeros with shape, dtype and device of `other`.")
        .def_static(
            "ones_like",
            [](const Tensor& other) {
                TensorRef result = empty_like(other);
                fill_value(*result, py::int_(1), "Tensor.ones_like: argument 'other'");
                return result;
            },
            py::arg("other"), "Ones with shape, dtype and device of `other`.")
        .def_static(
            "from_dlpack",
            [](const py::object& device, const py::object& array) {
                return tensor_from_dlpack(array,
                                          device_argument(device, "Tensor.from_dlpack")->device);
            },
            py::arg("device"), py::arg("array"),
            "An array of another library: CUDA memory of the same GPU is shared, host memory is "
            "copied.");
}

void bind_properties(TensorClass& tensor_class) {
    tensor_class
        .def_property_readonly(
            "shape", [](const Tensor& self) { return to_shape(self.shape()); },
            "Elements a dimension.")
        .def_property_readonly(
            "strides", [](const Tensor& self) { return to_shape(self.strides()); }, "In elements.")
        .def_property_readonly(
            "storage", [](const Tensor& self) { return Storage{self.buffer_ref(), self.dtype()}; },
            "The memory that the tensor and its views share, as bytes.")
        .def_property_readonly("offset", &Tensor::offset,
                               "Elements from the start of the memory to element 0.")
        .def_property_readonly(
            "dtype", [](const Tensor& self) { return type_to_python(self.dtype()); },
            "The element type.")
        .def_property_readonly("ndim", &Tensor::rank)
        .def_property_readonly("size", &Tensor::element_count, "Number of elements.")
        .def_property_readonly("element_count", &Tensor::element_count, "Number of elements.")
        .def_property_readonly(
            "nbytes",
            [](const Tensor& self) {
                return static_cast<std::uint64_t>(self.element_count()) *
                       self.layout()->element_bytes();
            },
            "Bytes of all elements on the device.")
        .def_property_readonly("device",
                               [](const Tensor& self) { return session_of(self.device()); })
        .def_property_readonly("address", &Tensor::address,
                               "Device address of element 0 as an integer; 0 if empty.")
        .def_property_readonly(
            "T", [](const TensorRef& self) { return permute_tensor<kTranspose>(self, py::args()); },
            "The view with all axes reversed.")
        .def("is_contiguous", &Tensor::is_contiguous, "True for row-major memory without gaps.");
}

void bind_views(TensorClass& tensor_class) {
    tensor_class
        .def("reshape", &reshape_tensor,
             "A view of another shape; one extent may be -1. Copies only if strides cannot express "
             "it.")
        .def("transpose", &permute_tensor<kTranspose>,
             "The axes in this order; reversed if none is given.")
        .def("permute", &permute_tensor<kPermute>,
             "The axes in this order; reversed if none is given.")
        .def(
            "broadcast_to",
            [](const TensorRef& self, const py::object& shape) {
                return tensor::broadcast_to(self, shape_argument(shape, "Tensor.broadcast_to"));
            },
            py::arg("shape"), "A read-only view that repeats elements.")
        .def("squeeze", &tensor::squeeze, py::arg("axis") = py::none(),
             "Drops one axis of extent 1, or all.")
        .def("unsqueeze", &tensor::unsqueeze, py::arg("axis"), "Inserts an axis of extent 1.")
        .def("flatten_dtype", &tensor::flatten_dtype,
             "The scalars of the elements as axes: float3[N] becomes float[N, 3].")
        .def("view", &view_tensor, py::arg("shape"), py::arg("strides") = py::none(),
             py::arg("offset") = 0, "Shape, strides and offset in elements from element 0.")
        .def("astype", &astype_tensor, py::arg("dtype"),
             "A copy with scalars of this type; floats lose their fraction in integers.")
        .def(
            "contiguous", [](const TensorRef& self) { return contiguous_tensor(self); },
            "The tensor itself if its memory has no gaps, else a copy.");
}

void bind_values(TensorClass& tensor_class) {
    tensor_class
        .def(
            "to_numpy",
            [](const Tensor& self, const py::object& out) { return tensor_to_array(self, out); },
            py::kw_only(), py::arg("out") = py::none(), kToNumpyDoc)
        .def(
            "copy_from_numpy",
            [](Tensor& self, const py::object& array) {
                store_values(self, array, "Tensor.copy_from_numpy: argument 'array'");
            },
            py::arg("array"), kCopyFromNumpyDoc)
        .def("copy_from_torch", &copy_from_torch, py::arg("tensor"),
             "Copies a torch tensor of the same shape and dtype; gradients stay behind.")
        .def(
            "cursor",
            [](const py::object& self, std::int64_t start, const py::object& count) {
                return py::module_::import("weft.cursor").attr("Cursor")(self, start, count);
            },
            py::arg("start") = 0, py::arg("count") = py::none(),
            "Elements to read and write one by one on the host; see weft.cursor.Cursor.")
        .def(
            "fill",
            [](Tensor& self, const py::object& value) {
                fill_value(self, value, "Tensor.fill: argument 'value'");
            },
            py::arg("value"), "Every element becomes `value`.")
        .def("clear", &clear_values, "Every byte of every element becomes 0.")
        .def(
            "torch",
            [](const TensorRef& self) {
                return py::module_::import("torch").attr("from_dlpack")(self);
            },
            "A torch tensor: CUDA memory is shared, other devices are copied to the CPU.")
        .def(
            "to_torch", [](const TensorRef& self) { return py::cast(self).attr("torch")(); },
            "Same as torch().")
        .def(
            "_to_torch",
            [](const TensorRef& self, bool on_device) {
                return TorchBridge::get().to_torch(self, on_device);
            },
            py::arg("on_device"),
            "torch(), on the GPU or on the CPU; in memory of torch's own unless its current "
            "stream is the default one.")
        .def("__array__", &array_protocol, py::arg("dtype") = py::none(),
             py::arg("copy") = py::none())
        .def("__repr__", &tensor_summary)
        .def("__str__", &print_values);
}

/// numpy and from_numpy construct on the class and read or write on an instance.
void bind_numpy(py::module_& module, TensorClass& tensor_class) {
    const auto construct_from = [](const py::object& device, const py::object& array,
                                   const py::object& dtype, const py::object& target_slang_dtype,
                                   const py::object&, const py::object&, const py::object&) {
        if (!dtype.is_none() && !target_slang_dtype.is_none()) {
            throw ArgumentError("Tensor.from_numpy: 'target_slang_dtype' is another name of "
                                "'dtype'; pass one of them",
                                ArgumentError::Kind::type);
        }
        return make_from_array(*device_argument(device, "Tensor.from_numpy"), array,
                               dtype.is_none() ? target_slang_dtype : dtype);
    };
    const auto constructor = [&](const char* name) {
        return py::cpp_function(construct_from, py::name(name), py::arg("device"), py::arg("array"),
                                py::arg("dtype") = py::none(), py::kw_only(),
                                py::arg("target_slang_dtype") = py::none(),
                                py::arg("usage") = py::none(), py::arg("memory_type") = py::none(),
                                py::arg("program_layout") = py::none(), kFromNumpyDoc);
    };
    define_class_or_instance(
        module, tensor_class, "numpy", constructor("numpy"),
        py::cpp_function([](const Tensor& self) { return tensor_to_numpy(self); },
                         py::name("numpy"), "Same as to_numpy()."));
    define_class_or_instance(module, tensor_class, "from_numpy", constructor("from_numpy"),
                             py::cpp_function(
                                 [](Tensor& self, const py::object& array) {
                                     store_values(self, array,
                                                  "Tensor.from_numpy: argument 'array'");
                                 },
                                 py::name("from_numpy"), py::arg("self"), py::arg("array"),
                                 "Same as copy_from_numpy()."));
}

} // namespace

py::object tensor_to_python(const std::shared_ptr<Tensor>& tensor) {
    return py::cast(tensor);
}

py::array tensor_to_numpy(const Tensor& tensor) {
    const tensor::HostFormat format(tensor.dtype());
    py::array result = empty_array(
        {.type = format.host_type(), .shape = {tensor.shape().begin(), tensor.shape().end()}});
    const auto bytes = static_cast<std::size_t>(tensor.element_count()) * format.host_stride();
    auto* const data = static_cast<std::byte*>(result.mutable_data());
    const std::shared_ptr<Session> session = session_of(tensor.device());
    const Unlocked unlocked;
    session->copier->download(tensor, {data, bytes}, interrupt_poll());
    return result;
}

void bind_tensor(py::module_& module) {
    bind_storage(module);
    TensorClass tensor_class(
        module, "Tensor",
        "An array on a device: dtype, shape, strides, memory. Views share the memory.\n\n"
        "Tensor(device, dtype=float32, shape=(4, 4)) starts with zeros.\n\n"
        "Any thread may read it and pass it to calls; where one writes, the others must wait for "
        "it.\n");
    bind_factories(tensor_class);
    bind_properties(tensor_class);
    bind_views(tensor_class);
    bind_values(tensor_class);
    bind_dlpack(tensor_class);
    bind_tensor_items(tensor_class);
    bind_numpy(module, tensor_class);
    bind_pinned_array(module);
    module.attr("NDBuffer") = tensor_class;
    module.def(
        "from_dlpack",
        [](const py::object& device, const py::object& array) {
            return tensor_from_dlpack(array, device_argument(device, "from_dlpack")->device);
        },
        py::arg("device"), py::arg("array"), "Same as Tensor.from_dlpack().");
}

} // namespace weft::python
