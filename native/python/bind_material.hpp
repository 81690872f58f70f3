// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Closures, checks of values, programs, kernel text and tables of materials.
void bind_material(pybind11::module_& module);

/// Names of parameters, and directions in their space.
void bind_parameters(pybind11::module_& module);

} // namespace weft::python
