// SPDX-License-Identifier: Apache-2.0
// Numbers of C++ into tensors and out of them. tensor/transfer.hpp does the same for bytes, tensor/view.hpp makes
// slices and other shapes.
#pragma once

#include "core/api.hpp"
#include "engine/number.hpp"
#include "tensor/transfer.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

namespace weft::engine {

/// A tensor of `dtype` whose bytes are 0. @param shape elements a dimension; empty: one element.
/// @throws ArgumentError for a dtype without a size or a negative extent; DeviceError if memory is short.
[[nodiscard]] WEFT_API tensor::TensorRef zeros(const std::shared_ptr<device::Device>& device,
                                               const reflect::TypeRef& dtype,
                                               std::vector<std::int64_t> shape);

/// The same memory with one zeroed gradient, which backward calls read and add to (Tensor::grad_in(), grad_out()).
/// The tensor itself stays without. @throws ArgumentError if its elements have no derivatives.
[[nodiscard]] WEFT_API tensor::TensorRef with_gradient(const tensor::TensorRef& tensor);

/// The scalars of a tensor, row-major, as bytes. Waits for what writes it.
/// @throws ArgumentError naming `function` if they are of another kind, or if elements are structures.
[[nodiscard]] WEFT_API std::vector<std::byte>
read_scalars(const tensor::Tensor& tensor, reflect::ScalarKind kind, const char* function);

/// A tensor of numbers of type T, row-major. A parameter that is a vector takes the last dimension as its components.
/// `values` may be reused at return. @throws ArgumentError if the shape has another number of elements.
template <Number T>
[[nodiscard]] tensor::TensorRef array(const std::shared_ptr<device::Device>& device,
                                      std::span<const T> values, std::vector<std::int64_t> shape) {
    tensor::TensorRef made =
        zeros(device, reflect::scalar_type(scalar_kind<T>()), std::move(shape));
    tensor::upload(*made, std::as_bytes(values));
    return made;
}

/// All numbers of a tensor, row-major; those of a tensor of vectors one after the other.
/// @throws ArgumentError unless its scalars are of type T.
template <Number T>
    requires(!std::is_same_v<T, bool>)
[[nodiscard]] std::vector<T> values_of(const tensor::Tensor& tensor) {
    const std::vector<std::byte> bytes = read_scalars(tensor, scalar_kind<T>(), "values_of");
    std::vector<T> values(bytes.size() / sizeof(T));
    std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
}

} // namespace weft::engine
