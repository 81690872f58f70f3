// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Tables of a scene that are built on the host.
void bind_scene(pybind11::module_& module);

} // namespace weft::python
