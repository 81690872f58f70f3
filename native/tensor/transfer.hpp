// SPDX-License-Identifier: Apache-2.0
// Values into and out of tensors. Host bytes are row-major elements in the tensor's HostFormat:
// element_count * host_stride() bytes. What is strided or converted passes the host here; dispatch/copier.hpp
// does it on the device.
#pragma once

#include "core/api.hpp"
#include "tensor/tensor.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace weft::tensor {

/// Bytes of all elements on the host.
[[nodiscard]] WEFT_API std::size_t host_size_bytes(const Tensor& tensor);

/// Ordered with dispatches; `host` may be reused at return. Into a view with gaps, the memory in the
/// gaps is read and written back: no other thread may write there meanwhile.
/// @throws ArgumentError if `host` has another size, or if the tensor repeats elements (broadcast).
WEFT_API void upload(Tensor& tensor, std::span<const std::byte> host);

/// Waits for work that writes the tensor. @throws ArgumentError if `host` has another size.
WEFT_API void download(const Tensor& tensor, std::span<std::byte> host,
                       const device::InterruptPoll& poll = {});

/// Every element becomes `element`, one element in host format.
WEFT_API void fill(Tensor& tensor, std::span<const std::byte> element);

/// Every byte of every element becomes 0.
WEFT_API void clear(Tensor& tensor);

/// Copies between tensors of one device. Shapes must be equal; dtypes must be the same type.
WEFT_API void copy(Tensor& target, const Tensor& source, const device::InterruptPoll& poll = {});

/// The tensor itself if it is contiguous, else a copy that is.
[[nodiscard]] WEFT_API TensorRef contiguous(const TensorRef& tensor,
                                            const device::InterruptPoll& poll = {});

/// The same vector, matrix or array of another scalar; null for structures.
[[nodiscard]] WEFT_API reflect::TypeRef replace_scalar(const reflect::TypeRef& type,
                                                       reflect::ScalarKind kind);

/// @throws ArgumentError naming `function` if the tensor repeats elements (broadcast): it cannot be written.
WEFT_API void refuse_repeats(const char* function, const Tensor& tensor);

/// @throws ArgumentError unless both have one shape, one dtype and one device.
WEFT_API void require_same_form(const Tensor& target, const Tensor& source);

/// A copy whose scalars have another kind; vectors, matrices and arrays keep their shape.
/// @throws ArgumentError for structures, and as convert() does.
[[nodiscard]] WEFT_API TensorRef with_scalar_kind(const Tensor& tensor, reflect::ScalarKind kind,
                                                  const device::InterruptPoll& poll = {});

} // namespace weft::tensor
