// SPDX-License-Identifier: Apache-2.0
// Arrays of other libraries: torch, jax, cupy and whatever else speaks DLPack.
#pragma once

#include "dispatch/copier.hpp"
#include "tensor/tensor.hpp"

#include <memory>
#include <pybind11/pybind11.h>
#include <string>
#include <string_view>

namespace weft::python {

/// An array of another library, or what stands for it.
struct ForeignArray {
    pybind11::object value;
    std::string write_refusal{}; ///< as of dispatch::HostArray
};

/// The array without what only its library knows of: torch's tracking, negative and conjugate bits. Other objects are
/// returned as they are.
[[nodiscard]] ForeignArray plain_array(pybind11::handle object);

/// The memory of an object with __dlpack__: as a Tensor if `device` can use it in place (CUDA memory of the same GPU),
/// as a numpy array over it if it is the host's.
/// @param context begins messages: "f: argument 'x'".
/// @throws ArgumentError for memory or scalars that cannot be used, and for what the other library refuses.
[[nodiscard]] ForeignArray share_from_dlpack(pybind11::handle object,
                                             const std::shared_ptr<device::Device>& device,
                                             std::string_view context);

/// Anything with __dlpack__ (torch, cupy, jax, numpy arrays), or a DLPack capsule, as a Tensor of `device`:
/// CUDA memory of the same GPU is shared unless it is read-only, other memory is copied.
/// @throws ArgumentError{type} for other objects; ArgumentError for memory the device cannot use.
[[nodiscard]] pybind11::object tensor_from_dlpack(pybind11::handle object,
                                                  const std::shared_ptr<device::Device>& device);

/// A contiguous tensor of the same elements with memory of its own. Needs no interpreter lock.
[[nodiscard]] tensor::TensorRef copy_tensor(const tensor::Tensor& source, dispatch::Copier& copier);

} // namespace weft::python
