// SPDX-License-Identifier: Apache-2.0
// Tensors of torch on a GPU beside a Vulkan device on the same one. What torch allocated itself is copied on the device into
// memory that both know; what came from Weft is that memory already. See device/external_memory.hpp.
#pragma once

#include "python/torch_bridge.hpp"

namespace weft::python {

/// A tensor of torch in memory that the device knows.
struct SharedTensor {
    tensor::TensorRef tensor;
    pybind11::object twin = pybind11::none(); ///< torch's view of the copy; None: no copy was made
};

/// The device is to wait for torch's current stream before it reads the values.
/// Preconditions: resolved(); the device shares memory with CUDA (Device::share_with_cuda).
/// @throws ArgumentError before torch 2.10; DeviceError if memory is short.
[[nodiscard]] SharedTensor share_with_vulkan(const std::shared_ptr<device::Device>& device,
                                             pybind11::handle tensor, const TorchMemory& memory,
                                             reflect::ScalarKind kind);

} // namespace weft::python
