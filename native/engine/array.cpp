// SPDX-License-Identifier: Apache-2.0
#include "engine/array.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "tensor/dtype.hpp"

namespace weft::engine {

tensor::TensorRef zeros(const std::shared_ptr<device::Device>& device,
                        const reflect::TypeRef& dtype, std::vector<std::int64_t> shape) {
    tensor::TensorRef made =
        tensor::Tensor::create(device, {.dtype = dtype, .shape = std::move(shape)});
    tensor::clear(*made);
    return made;
}

tensor::TensorRef with_gradient(const tensor::TensorRef& tensor) {
    const auto shape = tensor->shape();
    const tensor::TensorRef gradient =
        zeros(tensor->buffer().device_ref(),
              tensor::Tensor::gradient_dtype(tensor->dtype(), tensor->device().layout_rules()),
              {shape.begin(), shape.end()});
    return tensor::Tensor::with_gradients(tensor, gradient, gradient);
}

std::vector<std::byte> read_scalars(const tensor::Tensor& tensor, reflect::ScalarKind kind,
                                    const char* function) {
    const auto uniform = tensor::uniform_scalars(tensor.dtype());
    if (!uniform || uniform->scalar->scalar != kind) {
        throw core::ArgumentError(
            core::text(function, ": the elements must be made of ", reflect::slang_name(kind),
                       ", got ", tensor::display_name(*tensor.dtype()),
                       "; name its own type, or read bytes with tensor::download"),
            core::ArgumentError::Kind::type);
    }
    std::vector<std::byte> bytes(tensor::host_size_bytes(tensor));
    tensor::download(tensor, bytes);
    return bytes;
}

} // namespace weft::engine
