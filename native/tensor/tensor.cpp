// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor.hpp"

#include "core/text.hpp"
#include "tensor/dtype.hpp"

namespace weft::tensor {

Tensor::Tensor(Key /*key*/, std::shared_ptr<device::Buffer> buffer, ArrayLayoutRef layout,
               std::int64_t offset) noexcept
    : m_buffer(std::move(buffer)), m_layout(std::move(layout)), m_offset(offset),
      m_address(m_buffer->address() == 0 ? 0 : m_buffer->address() + offset_bytes()) {}

TensorRef Tensor::create(const std::shared_ptr<device::Device>& device, Desc desc,
                         std::string label) {
    require_storable(desc.dtype.get());
    reflect::TypeRef dtype = storage_type(desc.dtype, device->info().type);
    return create(
        device, make_array_layout(std::move(dtype), std::move(desc.shape), std::move(desc.strides)),
        std::move(label));
}

TensorRef Tensor::create(const std::shared_ptr<device::Device>& device, ArrayLayoutRef layout,
                         std::string label) {
    const std::uint64_t size = static_cast<std::uint64_t>(layout->reach) * layout->element_bytes();
    auto buffer = device->create_buffer({.size_bytes = size, .label = std::move(label)});
    return std::make_shared<Tensor>(Key{}, std::move(buffer), std::move(layout), 0);
}

TensorRef Tensor::wrap(std::shared_ptr<device::Buffer> buffer, Desc desc) {
    return wrap(
        std::move(buffer),
        make_array_layout(std::move(desc.dtype), std::move(desc.shape), std::move(desc.strides)),
        desc.offset);
}

TensorRef Tensor::wrap(std::shared_ptr<device::Buffer> buffer, ArrayLayoutRef layout,
                       std::int64_t offset) {
    const auto capacity = static_cast<std::int64_t>(buffer->size_bytes() / layout->element_bytes());
    if (offset < 0 || offset > capacity || layout->reach > capacity - offset) {
        throw core::ArgumentError(
            core::text("Tensor: a view of shape ", core::shape_text(layout->shape), " at offset ",
                       offset, " needs ", layout->reach, " elements, the buffer holds ", capacity,
                       " of ", display_name(*layout->dtype),
                       "; pass a smaller shape, smaller strides or a smaller offset"));
    }
    return std::make_shared<Tensor>(Key{}, std::move(buffer), std::move(layout), offset);
}

} // namespace weft::tensor
