// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Classes LoweringCompiler and LoweredFunction, which weft/lowering.py wraps. After bind_function.
void bind_lower(pybind11::module_& module);

} // namespace weft::python
