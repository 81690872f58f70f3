// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// _Kernel and _BoundKernel, under what weft.slangtorch calls kernels.
void bind_kernel(pybind11::module_& module);

} // namespace weft::python
