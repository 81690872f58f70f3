// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Class CommandEncoder; before bind_function, whose signatures name it.
void bind_command_encoder(pybind11::module_& module);
/// Classes Module and Struct, and the load_module methods of Device.
void bind_module(pybind11::module_& module);

} // namespace weft::python
