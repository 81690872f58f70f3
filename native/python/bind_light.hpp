// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Lights of scenes as kernels read them: rows, tables, alias tables, kinds of ray.
void bind_light(pybind11::module_& module);

} // namespace weft::python
