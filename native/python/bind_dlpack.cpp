// SPDX-License-Identifier: Apache-2.0
#include "python/bind_dlpack.hpp"

#include "core/text.hpp"
#include "python/foreign_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/interrupt.hpp"
#include "python/sequence_reader.hpp"
#include "python/session.hpp"
#include "tensor/dlpack.hpp"

namespace weft::python {

namespace py = pybind11;
namespace dlpack = tensor::dlpack;
using core::text;
using tensor::TensorRef;

namespace {

constexpr int kNoSynchronization = -1;
constexpr int kLegacyDefaultStream = 1;

/// Releases an array that nobody took out of its capsule.
template <typename Managed>
void destroy_capsule(PyObject* capsule, const char* name) {
    if (PyCapsule_IsValid(capsule, name) != 0) {
        auto* const managed = static_cast<Managed*>(PyCapsule_GetPointer(capsule, name));
        managed->release(managed);
    }
}

py::object make_capsule(void* managed, const char* name, PyCapsule_Destructor destructor) {
    py::object capsule =
        py::reinterpret_steal<py::object>(PyCapsule_New(managed, name, destructor));
    if (!capsule) {
        throw py::error_already_set();
    }
    return capsule;
}

/// Lets the consumer's stream see what was written before this point.
void synchronize(device::Device& device, const py::object& stream) {
    const std::int64_t consumer = stream.is_none()
                                      ? kLegacyDefaultStream
                                      : require_int64(stream, "Tensor.__dlpack__: stream");
    const bool is_same = consumer == static_cast<std::int64_t>(device.native_stream());
    const Unlocked unlocked;
    if (is_same || consumer == kNoSynchronization) {
        device.flush();
    } else {
        device.make_stream_wait(static_cast<std::uint64_t>(consumer));
    }
}

py::tuple device_tuple(const tensor::Tensor& tensor) {
    const dlpack::Device device = tensor::dlpack_device(tensor);
    return py::make_tuple(static_cast<std::int32_t>(device.code), device.index);
}

void check_request(const tensor::Tensor& tensor, const py::object& dl_device,
                   const py::object& copy) {
    if (!dl_device.is_none() && !device_tuple(tensor).equal(dl_device)) {
        throw py::buffer_error(text("Tensor.__dlpack__: the memory is on DLPack device ",
                                    py::str(device_tuple(tensor)).cast<std::string>(),
                                    ", asked for ", py::str(dl_device).cast<std::string>(),
                                    "; use to_numpy() for the host"));
    }
    if (!copy.is_none() && !copy.cast<bool>() && !tensor::is_shared_by_dlpack(tensor)) {
        throw py::buffer_error(
            "Tensor.__dlpack__: memory of this device can only leave as a copy; pass copy=None");
    }
}

py::object export_tensor(TensorRef tensor, const py::object& stream, const py::object& max_version,
                         const py::object& dl_device, const py::object& copy) {
    check_request(*tensor, dl_device, copy);
    const std::shared_ptr<Session> session = session_of(tensor->device());
    const bool is_shared = tensor::is_shared_by_dlpack(*tensor);
    if (is_shared && !copy.is_none() && copy.cast<bool>()) {
        const Unlocked unlocked;
        tensor = copy_tensor(*tensor, *session->copier);
    }
    if (is_shared) {
        synchronize(tensor->device(), stream);
    }
    const bool is_versioned =
        !max_version.is_none() &&
        require_int64(py::object(max_version[py::int_(0)]), "Tensor.__dlpack__: max_version") >=
            dlpack::kMajorVersion;
    void* managed = nullptr;
    {
        const Unlocked unlocked;
        tensor = is_shared ? tensor : session->copier->contiguous(tensor, interrupt_poll());
        managed =
            is_versioned
                ? static_cast<void*>(tensor::export_versioned_dlpack(tensor, interrupt_poll()))
                : static_cast<void*>(tensor::export_dlpack(tensor, interrupt_poll()));
    }
    if (is_versioned) {
        return make_capsule(managed, dlpack::kVersionedName, [](PyObject* capsule) {
            destroy_capsule<dlpack::VersionedArray>(capsule, dlpack::kVersionedName);
        });
    }
    return make_capsule(managed, dlpack::kPlainName, [](PyObject* capsule) {
        destroy_capsule<dlpack::ManagedArray>(capsule, dlpack::kPlainName);
    });
}

} // namespace

void bind_dlpack(py::class_<tensor::Tensor, std::shared_ptr<tensor::Tensor>>& tensor_class) {
    tensor_class
        .def("__dlpack__", &export_tensor, py::kw_only(), py::arg("stream") = py::none(),
             py::arg("max_version") = py::none(), py::arg("dl_device") = py::none(),
             py::arg("copy") = py::none(),
             "For other array libraries, e.g. torch.from_dlpack(tensor).\n\n"
             "CUDA memory is shared; the memory of other devices leaves as a copy on the host. "
             "Vectors, matrices and\n"
             "structures of one scalar become axes.\n")
        .def("__dlpack_device__", &device_tuple, "(2, adapter) on CUDA, else (1, 0): the host.");
}

} // namespace weft::python
