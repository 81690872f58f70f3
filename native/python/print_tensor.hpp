// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.hpp"

#include <string>

namespace weft::python {

/// "Tensor(shape=(4, 3), dtype=float, device=vulkan:0 'llvmpipe')".
[[nodiscard]] std::string tensor_summary(const tensor::Tensor& tensor);

/// The values as numpy prints them, by numpy.printoptions. Of a large tensor only what is shown leaves the
/// device. Call under the interpreter lock.
[[nodiscard]] std::string tensor_values_text(const tensor::TensorRef& tensor);

} // namespace weft::python
