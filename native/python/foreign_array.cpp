// SPDX-License-Identifier: Apache-2.0
#include "python/foreign_array.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "python/host_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/sequence_reader.hpp"
#include "python/session.hpp"
#include "python/torch_bridge.hpp"
#include "python/torch_sharing.hpp"
#include "tensor/dlpack.hpp"

#include <pybind11/numpy.h>
#include <pybind11/stl.h>

namespace weft::python {

namespace py = pybind11;
namespace dlpack = tensor::dlpack;
using core::ArgumentError;
using core::text;
using tensor::TensorRef;

namespace {

constexpr int kLegacyDefaultStream = 1;
constexpr const char* kImport = "from_dlpack";

/// An array that was taken out of its capsule.
struct TakenArray {
    const dlpack::Array* array = nullptr;
    std::shared_ptr<void> owner;
    bool is_read_only = false;
};

/// The result releases the array, under the interpreter lock or not.
template <typename Managed>
std::shared_ptr<Managed> take(PyObject* capsule, const char* name, const char* used_name) {
    auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
    PyCapsule_SetName(capsule, used_name);
    return {managed, [](Managed* array) {
                if (array->release != nullptr) {
                    array->release(array);
                }
            }};
}

TakenArray take_array(PyObject* capsule, std::string_view context) {
    if (PyCapsule_IsValid(capsule, dlpack::kVersionedName) != 0) {
        auto managed = take<dlpack::VersionedArray>(capsule, dlpack::kVersionedName,
                                                    "used_dltensor_versioned");
        if (managed->version.major > dlpack::kMajorVersion) {
            throw ArgumentError(
                text(context, ": the array is of DLPack ", managed->version.major,
                     ", only version 1 is understood; update Weft or the other library"));
        }
        const bool is_read_only = (managed->flags & dlpack::kFlagReadOnly) != 0;
        return {&managed->array, managed, is_read_only};
    }
    if (PyCapsule_IsValid(capsule, dlpack::kPlainName) == 0) {
        throw ArgumentError(
            text(context, ": the capsule holds no array, or it was taken out before; make a new "
                          "one"));
    }
    auto managed = take<dlpack::ManagedArray>(capsule, dlpack::kPlainName, "used_dltensor");
    return {&managed->array, managed};
}

/// The stream on which the array must be ready, if its device has streams.
py::dict stream_arguments(py::handle object, const device::Device& device) {
    py::dict arguments;
    const py::object location = object.attr("__dlpack_device__")();
    if (!PyTuple_Check(location.ptr()) || PyTuple_GET_SIZE(location.ptr()) != 2) {
        throw ArgumentError(text("from_dlpack: __dlpack_device__() of a ",
                                 Py_TYPE(object.ptr())->tp_name, " must give (type, index), got ",
                                 Py_TYPE(location.ptr())->tp_name),
                            ArgumentError::Kind::type);
    }
    const auto code = static_cast<dlpack::DeviceCode>(require_int64(
        PyTuple_GET_ITEM(location.ptr(), 0), "from_dlpack: the type of __dlpack_device__()"));
    if (code == dlpack::DeviceCode::cuda || code == dlpack::DeviceCode::cuda_managed) {
        const std::uint64_t stream = device.native_stream();
        arguments["stream"] = stream == 0 ? py::int_(kLegacyDefaultStream) : py::int_(stream);
    }
    return arguments;
}

py::object request_capsule(py::handle object, const device::Device& device) {
    py::dict arguments = stream_arguments(object, device);
    const py::object method = object.attr("__dlpack__");
    try {
        return method(**arguments,
                      py::arg("max_version") = py::make_tuple(dlpack::kMajorVersion, 0));
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_TypeError)) { // older libraries do not know max_version
            throw;
        }
    }
    return method(**arguments);
}

bool is_read_only_buffer(py::handle object) {
    Py_buffer view{};
    if (PyObject_CheckBuffer(object.ptr()) == 0) {
        return false;
    }
    if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_STRIDES) != 0) {
        PyErr_Clear();
        return false;
    }
    const bool is_read_only = view.readonly != 0;
    PyBuffer_Release(&view);
    return is_read_only;
}

TakenArray request_array(py::handle object, const device::Device& device,
                         std::string_view context) {
    py::object capsule;
    try {
        capsule = request_capsule(object, device);
    } catch (py::error_already_set& error) {
        if (!error.matches(PyExc_Exception)) {
            throw;
        }
        throw ArgumentError(text(context, ": its library does not share this ",
                                 Py_TYPE(object.ptr())->tp_name, " (",
                                 py::str(error.value()).cast<std::string>(),
                                 "); pass a numpy array of its values"),
                            ArgumentError::Kind::type);
    }
    TakenArray taken = take_array(capsule.ptr(), context);
    // jax says by this protocol only that its arrays are not to be written.
    taken.is_read_only = taken.is_read_only || is_read_only_buffer(object);
    return taken;
}

bool is_on_host(const dlpack::Array& array) {
    return array.device.code == dlpack::DeviceCode::cpu ||
           array.device.code == dlpack::DeviceCode::cuda_host;
}

/// A numpy array over the memory, which keeps it alive.
py::array over_host_memory(const TakenArray& taken, std::string_view context) {
    const dlpack::Array& array = *taken.array;
    const reflect::ScalarKind kind = tensor::dlpack_scalar(array, context);
    std::vector<py::ssize_t> strides;
    for (const std::int64_t stride : tensor::dlpack_strides(array)) {
        strides.push_back(stride * static_cast<std::int64_t>(reflect::size_bytes(kind)));
    }
    const py::capsule owner(std::make_unique<std::shared_ptr<void>>(taken.owner).release(),
                            [](void* held) {
                                const std::unique_ptr<std::shared_ptr<void>> released(
                                    static_cast<std::shared_ptr<void>*>(held));
                            });
    py::array result(py::dtype(std::string(reflect::numpy_name(kind))),
                     std::vector<py::ssize_t>(array.shape, array.shape + array.rank), strides,
                     static_cast<const std::byte*>(array.data) + array.byte_offset, owner);
    if (taken.is_read_only) {
        result.attr("setflags")(py::arg("write") = false);
    }
    return result;
}

/// Null unless it is a tensor of torch in memory of the same GPU that holds the values as they are. On Vulkan a copy of
/// what the device has not lent to torch.
TensorRef share_torch_memory(py::handle object, const std::shared_ptr<device::Device>& device) {
    const bool is_cuda = device->info().type == device::DeviceType::cuda;
    if (!is_torch_tensor(object)) {
        return nullptr;
    }
    const TorchBridge& torch = TorchBridge::get();
    const py::object tensor = torch.resolved(object);
    TorchMemory memory;
    if (tensor.is_none() || (is_cuda && !tensor.is(object)) || !torch.read_memory(tensor, memory) ||
        memory.device.code != dlpack::DeviceCode::cuda) {
        return nullptr;
    }
    if (!is_cuda) {
        dlpack::Array array;
        array.dtype = memory.dtype;
        const reflect::ScalarKind kind = tensor::dlpack_scalar(array, kImport);
        device->share_with_cuda(memory.device.index, "from_dlpack: the array");
        const SharedTensor shared = share_with_vulkan(device, tensor, memory, kind);
        device->wait_for_stream(torch.current_stream(memory.device));
        return shared.tensor;
    }
    if (memory.device.index != device->info().adapter) {
        return nullptr;
    }
    device->wait_for_stream(torch.current_stream(memory.device));
    return torch.share(tensor, device);
}

bool says(py::handle object, const char* question) {
    const py::object answer = py::getattr(object, question, py::none());
    return answer.is(py::bool_(true)) ||
           (PyCallable_Check(answer.ptr()) != 0 && answer().is(py::bool_(true)));
}

} // namespace

ForeignArray plain_array(py::handle object) {
    ForeignArray plain{.value = py::reinterpret_borrow<py::object>(object)};
    if (says(object, "requires_grad") && has_attribute(object, "detach")) {
        plain = {object.attr("detach")(),
                 "is tracked by torch (requires_grad), which would not see the results written to "
                 "it; pass tensor.detach()"};
    }
    const std::pair<const char*, const char*> bits[] = {{"is_neg", "resolve_neg"},
                                                        {"is_conj", "resolve_conj"}};
    for (const auto& [question, resolve] : bits) {
        if (has_attribute(object, resolve) && says(object, question)) {
            plain = {plain.value.attr(resolve)(),
                     text("is a view that torch negates when it is read, results are written to "
                          "it; pass tensor.",
                          resolve, "()")};
        }
    }
    return plain;
}

ForeignArray share_from_dlpack(py::handle object, const std::shared_ptr<device::Device>& device,
                               std::string_view context) {
    ForeignArray plain = plain_array(object);
    const TakenArray taken = request_array(plain.value, *device, context);
    if (is_on_host(*taken.array)) {
        return {over_host_memory(taken, context), std::move(plain.write_refusal)};
    }
    if (plain.write_refusal.empty() && taken.is_read_only) {
        plain.write_refusal = "is a read-only array, results are written to it; pass a copy";
    }
    return {py::cast(tensor::import_dlpack(device, *taken.array, taken.owner)),
            std::move(plain.write_refusal)};
}

py::object tensor_from_dlpack(py::handle object, const std::shared_ptr<device::Device>& device) {
    if (TensorRef shared = share_torch_memory(object, device)) {
        return py::cast(shared);
    }
    TakenArray taken;
    if (PyCapsule_CheckExact(object.ptr())) {
        taken = take_array(object.ptr(), kImport);
    } else if (has_attribute(object, "__dlpack__")) {
        require_unmasked(object, kImport);
        taken = request_array(plain_array(object).value, *device, kImport);
    } else {
        throw ArgumentError(text(kImport, ": an array with __dlpack__ is expected, got ",
                                 Py_TYPE(object.ptr())->tp_name,
                                 "; pass a torch, cupy, jax or numpy array"),
                            ArgumentError::Kind::type);
    }
    TensorRef tensor = tensor::import_dlpack(device, *taken.array, taken.owner);
    if (taken.is_read_only && !is_on_host(*taken.array)) {
        const Unlocked unlocked;
        tensor = copy_tensor(*tensor, *session_of(*device)->copier);
    }
    return py::cast(tensor);
}

TensorRef copy_tensor(const tensor::Tensor& source, dispatch::Copier& copier) {
    const std::vector<std::int64_t> shape(source.shape().begin(), source.shape().end());
    TensorRef result = tensor::Tensor::create(
        source.buffer().device_ref(), {.dtype = source.dtype(), .shape = shape}, "dlpack copy");
    copier.copy(*result, source, interrupt_poll());
    return result;
}

} // namespace weft::python
