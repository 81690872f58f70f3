// SPDX-License-Identifier: Apache-2.0
#include "tensor/tensor.hpp"

#include "core/text.hpp"
#include "reflect/differential.hpp"
#include "tensor/dtype.hpp"

#include <algorithm>

namespace weft::tensor {

Tensor::Tensor(Key /*key*/, std::shared_ptr<device::Buffer> buffer, ArrayLayoutRef layout,
               std::int64_t offset) noexcept
    : m_buffer(std::move(buffer)), m_layout(std::move(layout)), m_offset(offset),
      m_address(m_buffer->address() == 0 ? 0 : m_buffer->address() + offset_bytes()) {}

TensorRef Tensor::create(const std::shared_ptr<device::Device>& device, Desc desc,
                         std::string label) {
    require_storable(desc.dtype.get());
    reflect::TypeRef dtype = storage_type(desc.dtype, device->layout_rules());
    return create(
        device, make_array_layout(std::move(dtype), std::move(desc.shape), std::move(desc.strides)),
        std::move(label));
}

TensorRef Tensor::create(const std::shared_ptr<device::Device>& device, ArrayLayoutRef layout,
                         std::string label) {
    const std::uint64_t size =
        static_cast<std::uint64_t>(layout->extent_elements) * layout->element_bytes();
    auto buffer = device->create_buffer({.size_bytes = size, .label = std::move(label)});
    return std::make_shared<Tensor>(Key{}, std::move(buffer), std::move(layout), 0);
}

namespace {

/// Sums of many halves may be kept in float.
bool is_wider_sum(const reflect::Type& dtype, const reflect::Type& given, bool is_sum) {
    return is_sum && dtype.kind == reflect::TypeKind::scalar &&
           given.kind == reflect::TypeKind::scalar &&
           dtype.scalar == reflect::ScalarKind::float16 &&
           given.scalar == reflect::ScalarKind::float32;
}

void check_gradient(const Tensor& tensor, const Tensor* gradient, const char* name, bool is_sum) {
    if (gradient == nullptr) {
        return;
    }
    const reflect::TypeRef dtype =
        Tensor::gradient_dtype(tensor.dtype(), tensor.device().layout_rules());
    const bool fits = std::equal(gradient->shape().begin(), gradient->shape().end(),
                                 tensor.shape().begin(), tensor.shape().end()) &&
                      (reflect::same_type(*gradient->dtype(), *dtype) ||
                       is_wider_sum(*dtype, *gradient->dtype(), is_sum));
    if (!fits) {
        throw core::ArgumentError(core::text(
            "with_grads: ", name, " must be a tensor of ", display_name(*dtype), " of shape ",
            core::shape_text(tensor.shape()), ", got one of ", display_name(*gradient->dtype()),
            " of shape ", core::shape_text(gradient->shape())));
    }
    if (&gradient->device() != &tensor.device()) {
        throw core::ArgumentError(core::text("with_grads: ", name,
                                             " lives on another device than the tensor; "
                                             "make it on the tensor's device"));
    }
}

} // namespace

reflect::TypeRef Tensor::gradient_dtype(const reflect::TypeRef& dtype, reflect::LayoutRules rules) {
    reflect::TypeRef result = reflect::differential_type(dtype, rules);
    if (!result) {
        const bool is_structure = dtype->kind == reflect::TypeKind::structure;
        throw core::ArgumentError(core::text(
            "with_grads: values of ", display_name(*dtype), " have no derivatives; ",
            is_structure ? core::text("declare struct ", dtype->name, " : IDifferentiable")
                         : std::string("use half, float or double")));
    }
    return storage_type(result, rules);
}

TensorRef Tensor::with_gradients(const TensorRef& tensor, TensorRef grad_in, TensorRef grad_out) {
    check_gradient(*tensor, grad_in.get(), "grad_in", false);
    check_gradient(*tensor, grad_out.get(), "grad_out", true);
    auto result =
        std::make_shared<Tensor>(Key{}, tensor->m_buffer, tensor->m_layout, tensor->m_offset);
    result->m_grad_in = std::move(grad_in);
    result->m_grad_out = std::move(grad_out);
    return result;
}

void Tensor::set_gradients(TensorRef grad_in, TensorRef grad_out) {
    if (grad_in.get() == this || grad_out.get() == this) {
        throw core::ArgumentError("Tensor.grad_in, grad_out: a tensor cannot be its own gradient; "
                                  "pass another tensor, such as Tensor.zeros_like(tensor)");
    }
    check_gradient(*this, grad_in.get(), "grad_in", false);
    check_gradient(*this, grad_out.get(), "grad_out", true);
    m_grad_in = std::move(grad_in);
    m_grad_out = std::move(grad_out);
}

void Tensor::point_to(const Tensor& target) {
    const std::vector<std::int64_t> shape(m_layout->shape.begin(), m_layout->shape.end());
    const auto refuse = [](const std::string& what) {
        throw core::ArgumentError("Tensor.point_to: the target " + what);
    };
    if (&target.device() != &device()) {
        refuse("lives on another device than the tensor; make it on the tensor's device");
    }
    if (!std::equal(shape.begin(), shape.end(), target.shape().begin(), target.shape().end())) {
        refuse(core::text("has shape ", core::shape_text(target.shape()), ", the tensor ",
                          core::shape_text(shape), "; give both one shape"));
    }
    if (target.m_layout->element_bytes() != m_layout->element_bytes()) {
        refuse(core::text("has elements of ", target.m_layout->element_bytes(),
                          " bytes, the tensor of ", m_layout->element_bytes(),
                          "; give both elements of one size"));
    }
    const TensorRef view =
        wrap(target.m_buffer, {.dtype = dtype(),
                               .shape = shape,
                               .strides = {target.strides().begin(), target.strides().end()},
                               .offset = target.offset()});
    m_buffer = view->m_buffer;
    m_layout = view->m_layout;
    m_offset = view->m_offset;
    m_address = view->m_address;
}

bool Tensor::overlaps(const Tensor& other) const noexcept {
    const auto bytes = [](const Tensor& tensor) {
        return static_cast<std::uint64_t>(tensor.m_layout->extent_elements) *
               tensor.m_layout->element_bytes();
    };
    return m_address < other.m_address + bytes(other) && other.m_address < m_address + bytes(*this);
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
    if (offset < 0 || offset > capacity || layout->extent_elements > capacity - offset) {
        throw core::ArgumentError(
            core::text("Tensor: a view of shape ", core::shape_text(layout->shape), " at offset ",
                       offset, " needs ", layout->extent_elements, " elements, the buffer holds ",
                       capacity, " of ", display_name(*layout->dtype),
                       "; pass a smaller shape, smaller strides or a smaller offset"));
    }
    return std::make_shared<Tensor>(Key{}, std::move(buffer), std::move(layout), offset);
}

} // namespace weft::tensor
