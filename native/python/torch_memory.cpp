// SPDX-License-Identifier: Apache-2.0
#include "python/torch_memory.hpp"

#include "python/interpreter_lock.hpp"
#include "python/torch_bridge.hpp"

#include <algorithm>

namespace weft::python {

namespace py = pybind11;
namespace dlpack = tensor::dlpack;

namespace {

/// resize_(0) of the storage: elements without memory.
bool is_freed(const dlpack::Array& array) {
    const std::span shape(array.shape, static_cast<std::size_t>(array.rank));
    return array.data == nullptr && std::ranges::find(shape, 0) == shape.end();
}

} // namespace

py::object TorchCallMemory::allocate(std::span<const std::int64_t> shape,
                                     reflect::ScalarKind kind) const {
    const TorchBridge& torch = TorchBridge::get();
    for (const auto& [layout, tensor] : m_prototypes) { // half the time of a shape and a dtype
        if (layout->dtype->scalar == kind && layout->is_contiguous &&
            std::ranges::equal(layout->shape, shape)) {
            return torch.empty_like(tensor);
        }
    }
    return torch.empty_on_gpu(m_device.info().adapter, shape, kind);
}

std::shared_ptr<device::Buffer> TorchCallMemory::lend(const py::object& owner,
                                                      std::uint64_t size_bytes) {
    return m_device.lend(TorchBridge::get().address_of(owner), size_bytes, nullptr);
}

tensor::TensorRef TorchCallMemory::result(const tensor::ArrayLayoutRef& layout) {
    if (!m_lends_results) {
        return nullptr;
    }
    const reflect::Type& scalar = reflect::leaf(*layout->dtype);
    std::vector<std::int64_t> shape = reflect::element_shape(*layout->dtype);
    std::uint64_t packed_bytes = reflect::size_bytes(scalar.scalar);
    for (const std::int64_t extent : shape) {
        packed_bytes *= static_cast<std::uint64_t>(extent);
    }
    if (scalar.kind != reflect::TypeKind::scalar || packed_bytes != layout->element_bytes()) {
        return nullptr;
    }
    shape.insert(shape.begin(), layout->shape.begin(), layout->shape.end());
    py::object owner = allocate(shape, scalar.scalar);
    tensor::TensorRef made = tensor::Tensor::wrap(
        lend(owner, static_cast<std::uint64_t>(layout->element_count) * packed_bytes), layout, 0);
    keep(*made, std::move(owner));
    return made;
}

std::shared_ptr<device::Buffer> TorchCallMemory::scratch(std::uint64_t size_bytes) {
    const auto extent = static_cast<std::int64_t>(size_bytes);
    m_scratch.push_back(allocate({&extent, 1}, reflect::ScalarKind::uint8));
    return lend(m_scratch.back(), size_bytes);
}

std::optional<reflect::ScalarKind> view_on_gpu(const device::Device& device, py::handle tensor,
                                               dlpack::Array& array) {
    if (device.cuda_ordinal() < 0 || !TorchBridge::get().view(tensor, array) || is_freed(array) ||
        array.device.code != dlpack::DeviceCode::cuda ||
        array.device.index != device.cuda_ordinal()) {
        return std::nullopt;
    }
    return tensor::dlpack_kind(array.dtype);
}

tensor::TensorRef wrap_lent(device::Device& device, const dlpack::Array& array,
                            const tensor::ArrayLayoutRef& layout,
                            std::shared_ptr<void> keep_alive) {
    const std::uint64_t address = reinterpret_cast<std::uintptr_t>(array.data) + array.byte_offset;
    const std::uint64_t bytes =
        static_cast<std::uint64_t>(layout->extent_elements) * layout->element_bytes();
    return tensor::Tensor::wrap(device.lend(address, bytes, std::move(keep_alive)), layout, 0);
}

tensor::TensorRef lend_torch_tensor(device::Device& device, py::handle tensor) {
    const TorchBridge& torch = TorchBridge::get();
    dlpack::Array array;
    if (device.info().type != device::DeviceType::cuda || !is_torch_tensor(tensor) ||
        !torch.is_plain(tensor) || torch.is_negated(tensor)) {
        return nullptr;
    }
    const std::optional<reflect::ScalarKind> kind = view_on_gpu(device, tensor, array);
    if (!kind) {
        return nullptr;
    }
    const std::vector<std::int64_t> shape(array.shape, array.shape + array.rank);
    const tensor::ArrayLayoutRef layout =
        tensor::make_array_layout(reflect::scalar_type(*kind, reflect::LayoutRules::host), shape,
                                  tensor::dlpack_strides(array));
    return wrap_lent(device, array, layout, keep_alive(tensor.ptr()));
}

} // namespace weft::python
