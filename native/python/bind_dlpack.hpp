// SPDX-License-Identifier: Apache-2.0
// DLPack in Python: the methods of Tensor and the way in.
#pragma once

#include "tensor/tensor.hpp"

#include <memory>
#include <pybind11/pybind11.h>

namespace weft::python {

/// Anything with __dlpack__ (torch, cupy, jax, numpy arrays), or a DLPack capsule, as a Tensor of `device`:
/// CUDA memory of the same GPU is shared, host memory is copied.
/// @throws ArgumentError{type} for other objects; ArgumentError for memory the device cannot use.
[[nodiscard]] pybind11::object tensor_from_dlpack(pybind11::handle object,
                                                  const std::shared_ptr<device::Device>& device);

/// Adds __dlpack__ and __dlpack_device__ to the class.
void bind_dlpack(pybind11::class_<tensor::Tensor, std::shared_ptr<tensor::Tensor>>& tensor_class);

} // namespace weft::python
