// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Classes Module, Struct and CommandEncoder, and the load_module methods of Device.
void bind_module(pybind11::module_& module);

} // namespace weft::python
