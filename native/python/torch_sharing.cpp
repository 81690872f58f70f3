// SPDX-License-Identifier: Apache-2.0
#include "python/torch_sharing.hpp"

#include "tensor/dlpack.hpp"

namespace weft::python {

namespace py = pybind11;
namespace dlpack = tensor::dlpack;

namespace {

/// The shape of the elements that memory has, each of them once.
std::vector<std::int64_t> stored_shape(const TorchMemory& memory) {
    std::vector<std::int64_t> shape = memory.shape;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (memory.strides[i] == 0 && shape[i] > 1) {
            shape[i] = 1;
        }
    }
    return shape;
}

/// A copy with the same elements repeated.
SharedTensor copy_to_device(const std::shared_ptr<device::Device>& device, py::handle tensor,
                            const TorchMemory& memory, const reflect::TypeRef& dtype) {
    const std::vector<std::int64_t> stored = stored_shape(memory);
    const tensor::TensorRef copy =
        tensor::Tensor::create(device, {.dtype = dtype, .shape = stored}, "copy of a CUDA tensor");
    const TorchBridge& torch = TorchBridge::get();
    py::object twin = torch.lend(copy);
    torch.copy_stored(twin, tensor);
    if (stored == memory.shape) {
        return {copy, std::move(twin)};
    }
    std::vector<std::int64_t> strides = tensor::contiguous_strides(stored);
    for (std::size_t i = 0; i < stored.size(); ++i) {
        if (stored[i] != memory.shape[i]) {
            strides[i] = 0;
        }
    }
    return {tensor::Tensor::wrap(copy->buffer_ref(),
                                 {.dtype = dtype, .shape = memory.shape, .strides = strides}),
            std::move(twin)};
}

} // namespace

SharedTensor share_with_vulkan(const std::shared_ptr<device::Device>& device, py::handle tensor,
                               const TorchMemory& memory, reflect::ScalarKind kind) {
    TorchMemory view = memory;
    dlpack::Array array;
    array.data = view.data;
    array.device = view.device;
    array.rank = static_cast<std::int32_t>(view.shape.size());
    array.dtype = view.dtype;
    array.shape = view.shape.data();
    array.strides = view.strides.data();
    const reflect::TypeRef dtype = reflect::scalar_type(kind, reflect::LayoutRules::host);
    SharedTensor shared{
        .tensor = tensor::find_lent(*device, array,
                                    tensor::make_array_layout(dtype, view.shape, view.strides))};
    if (!shared.tensor) {
        // Refuses a stream that is captured: a graph would hold the copy to memory that is gone later.
        device->make_stream_wait(TorchBridge::get().current_stream(memory.device));
        shared = copy_to_device(device, tensor, memory, dtype);
    }
    return shared;
}

} // namespace weft::python
