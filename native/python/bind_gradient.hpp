// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Adds gradients to the classes Tensor and Function, which are bound before.
void bind_gradient(const pybind11::module_& module);

} // namespace weft::python
