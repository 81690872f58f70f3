// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "python/session.hpp"
#include "tensor/tensor.hpp"

#include <memory>
#include <pybind11/numpy.h>

namespace weft::python {

[[nodiscard]] pybind11::object tensor_to_python(const std::shared_ptr<tensor::Tensor>& tensor);

/// The values, row-major: shape, then the element's own dimensions; structures as a structured array.
/// Waits for the device; Ctrl-C raises KeyboardInterrupt.
[[nodiscard]] pybind11::array tensor_to_numpy(const tensor::Tensor& tensor);

void bind_tensor(pybind11::module_& module);

} // namespace weft::python
