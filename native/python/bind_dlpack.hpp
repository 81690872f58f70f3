// SPDX-License-Identifier: Apache-2.0
// DLPack in Python: the methods of Tensor. What comes in is in foreign_array.hpp.
#pragma once

#include "tensor/tensor.hpp"

#include <memory>
#include <pybind11/pybind11.h>

namespace weft::python {

/// Adds __dlpack__ and __dlpack_device__ to the class.
void bind_dlpack(pybind11::class_<tensor::Tensor, std::shared_ptr<tensor::Tensor>>& tensor_class);

} // namespace weft::python
