// SPDX-License-Identifier: Apache-2.0
#include "python/host_tensor.hpp"

#include "dispatch/array_view.hpp"
#include "dispatch/in_place.hpp"
#include "python/host_array.hpp"
#include "python/interpreter_lock.hpp"
#include "python/numpy_values.hpp"
#include "python/torch_bridge.hpp"
#include "tensor/dlpack.hpp"
#include "tensor/dtype.hpp"
#include "tensor/host_format.hpp"

namespace weft::python {

namespace py = pybind11;
using dispatch::ReturnKind;

tensor::TensorRef HostCallMemory::result(const tensor::ArrayLayoutRef& layout) {
    const std::size_t bytes = is_of_host() ? dispatch::bytes_in_place(*layout, m_device) : 0;
    if (bytes == 0) {
        return nullptr;
    }
    py::object made;
    std::byte* data = nullptr;
    if (m_kind == ReturnKind::numpy) {
        py::array array = empty_array(
            {.type = tensor::HostFormat(layout->dtype).host_type(), .shape = layout->shape});
        data = static_cast<std::byte*>(array.mutable_data());
        made = std::move(array);
    } else if (dispatch::leaf_type(layout->dtype)->kind != reflect::TypeKind::structure) {
        std::tie(made, data) = TorchBridge::get().make_tensor(*layout->dtype, layout->shape);
    } else {
        return nullptr; // leaves as a dict
    }
    tensor::TensorRef tensor =
        dispatch::wrap_in_place({data, bytes}, keep_alive(made.ptr()), layout, m_device);
    if (tensor) {
        keep(*tensor, std::move(made));
    }
    return tensor;
}

tensor::TensorRef lend_host_tensor(device::Device& device, py::handle tensor) {
    const TorchBridge& torch = TorchBridge::get();
    const device::DeviceInfo& info = device.info();
    TorchMemory memory;
    if (!info.features.host_memory || !is_torch_tensor(tensor) || !torch.is_plain(tensor) ||
        torch.is_negated(tensor) || !torch.read_memory(tensor, memory) ||
        memory.device.code != tensor::dlpack::DeviceCode::cpu) {
        return nullptr;
    }
    const std::optional<reflect::ScalarKind> kind = tensor::dlpack_kind(memory.dtype);
    if (!kind) {
        return nullptr;
    }
    const TorchArray array(std::move(memory), *kind, tensor);
    const reflect::TypeRef dtype =
        tensor::storage_type(reflect::scalar_type(*kind), device.layout_rules());
    return dispatch::wrap_in_place(array, tensor::make_array_layout(dtype, array.shape), device);
}

} // namespace weft::python
