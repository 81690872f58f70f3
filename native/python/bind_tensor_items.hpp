// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tensor/tensor.hpp"

#include <memory>
#include <pybind11/pybind11.h>

namespace weft::python {

/// What a tensor is to Python itself: indexing, assignment to parts, length, iteration, and the value of a
/// tensor of one element.
void bind_tensor_items(
    pybind11::class_<tensor::Tensor, std::shared_ptr<tensor::Tensor>>& tensor_class);

} // namespace weft::python
