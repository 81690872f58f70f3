// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Environments and textures of scenes as kernels read them, and what media a place is in.
void bind_environment(pybind11::module_& module);
void bind_texture_table(pybind11::module_& module);

} // namespace weft::python
