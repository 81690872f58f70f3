// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <pybind11/pybind11.h>

namespace weft::python {

/// Films, modules of scenes, memory of paths and their stages.
void bind_render(pybind11::module_& module);

/// Cameras, settings and sizes of paths, without a device.
void bind_path_settings(pybind11::module_& module);

} // namespace weft::python
