// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// The objects of a scene as kernels look them up. Call after bind_kept_parts() and bind_tensor().
void bind_geometry(pybind11::module_& module);

} // namespace weft::python
